/** `tenon eval`: the command's declaration. Its code is loaded when it runs. */
import { CLIENT_OPTIONS, type Command } from "../invocation.ts";

export const evaluate: Command = {
  summary: "say how often a model picks the right tools of a server",
  usage: [
    "eval [file] [server] [--model provider/name | --agent command] [--runs number] [--record file | --replay file] [-o report.json]",
    "eval [file] -- <command> [argument ...]",
    "eval --compare <report.json> <report.json>",
  ],
  options: [...CLIENT_OPTIONS, "model", "agent", "runs", "only", "concurrency", "record", "replay", "compare", "output"],
  optionHelp: {
    config: ["--config mcp.json", "offer all servers of this file, or the one that is named"],
    model: ["--model provider/name", "anthropic/…, openai/…, google/…, with its key in the environment; or a name in the file"],
    only: ["--only text", "only tasks with this in their name; may be repeated"],
    output: ["-o, --output file", "also write the report as JSON, for --compare"],
    json: ["--json", "the report as one JSON document on stdout"],
  },
  about:
    "[file] is evals.ts unless it is named. Exit code 1 if a task is right too seldom, or a recording is stale; 2 if the command was typed wrongly; 3 if the server cannot be reached.",
  examples: [
    "tenon eval --model openai/gpt-5-mini --runs 5 --record answers.json",
    "tenon eval --replay answers.json",
    "tenon eval evals.ts https://example.com/mcp --model anthropic/claude-sonnet-4-5",
    'tenon eval --config .mcp.json --agent "claude -p --mcp-config {config}"',
    "tenon eval --compare before.json after.json",
  ],
  run: async (invocation) => {
    if (invocation.values.compare === true) return (await import("./compare.ts")).compareReports(invocation);
    return (await import("./run-eval.ts")).runEval(invocation);
  },
};
