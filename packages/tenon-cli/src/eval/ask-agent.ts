/**
 * `--agent`: runs a task with any command. The prompt is its stdin; its stdout is the answer, as text or as a trace in lines of JSON.
 *
 * The tools wait at a URL on this machine, which the command gets in its words or its environment: calls over it are seen without its help.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isJsonObject, signalGroup, jsonIn } from "tenon/internal";
import { splitCommand } from "../connection/split-command.ts";
import { UsageError } from "../failure.ts";
import type { Shell } from "../shell.ts";
import type { Evals } from "./evals-file.ts";
import { NO_TOKENS, type Runner, type Said, type Tokens } from "./run.ts";
import type { WatchedTools } from "./watched-tools.ts";
import { randomBytes } from "node:crypto";
import type { JsonObject, RequestContext } from "tenon";
import { serveHttp, type HttpEndpoint } from "tenon/node";
import { rawServer } from "../raw-server.ts";

/** Most characters of the output of a command. */
const MAX_OUTPUT = 10_485_760;

/** @throws UsageError if the command is empty, or a quote in it is not closed */
export function askAgent(typed: string, { timeout }: Evals, shell: Shell): Runner {
  const words = splitCommand(typed);
  if (words.length === 0) throw new UsageError('--agent has no command: write --agent "command {config}".');
  return async ({ prompt }, tools, { signal }) => {
    const folder = await mkdtemp(join(tmpdir(), "tenon-eval-"));
    await using endpoint = await serveWatched(tools);
    try {
      const config = join(folder, "mcp.json");
      const { url } = endpoint;
      await writeFile(config, JSON.stringify({ mcpServers: { eval: { type: "http", url } } }));
      const filled = words.map((word) => word.replaceAll("{url}", url).replaceAll("{config}", config));
      const env = { ...shell.env, TENON_EVAL_URL: url, TENON_EVAL_CONFIG: config };
      const ended = await output(filled, { prompt, env, cwd: shell.cwd, signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]) });
      signal.throwIfAborted();
      return saidIn(ended, tools, timeout);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly isLate: boolean;
}

interface Start {
  readonly prompt: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Runs the command to its end; what it has started ends with it. @throws UsageError if it cannot be started */
function output([command = "", ...args]: readonly string[], { prompt, env, cwd, signal }: Start): Promise<Ended> {
  const child = spawn(command, args, { env, cwd, detached: process.platform !== "win32", stdio: ["pipe", "pipe", "pipe"] });
  const [stdout, stderr] = [kept(child, "stdout"), kept(child, "stderr")];
  const end = (): void => void signalGroup(child, "SIGKILL");
  if (signal.aborted) end();
  signal.addEventListener("abort", end, { once: true });
  child.stdin.on("error", () => undefined); // it may end without reading
  child.stdin.end(prompt);
  return new Promise((resolve, reject) => {
    child.on("error", (cause) => reject(new UsageError(`--agent: ${command} cannot be started: ${cause.message}`, { cause })));
    child.on("close", (code) => {
      signal.removeEventListener("abort", end);
      resolve({ code, stdout: stdout(), stderr: stderr(), isLate: signal.aborted });
    });
  });
}

/** Keeps the text of a stream, up to a limit. */
function kept(child: ChildProcess, name: "stdout" | "stderr"): () => string {
  let text = "";
  child[name]?.setEncoding("utf8").on("data", (chunk: string) => {
    if (text.length < MAX_OUTPUT) text += chunk;
  });
  return () => text;
}

/** What the command said: a trace, if each line is an object with `tool` or `answer`, else the text. */
function saidIn({ code, stdout, stderr, isLate }: Ended, tools: WatchedTools, timeout: number): Said {
  const trace = traceIn(stdout);
  for (const { tool, arguments: args } of trace ?? [])
    if (typeof tool === "string") tools.calls.push({ tool, arguments: isJsonObject(args) ? args : {}, isError: false, wasMade: false });
  const last = trace?.findLast((line) => "answer" in line);
  const answer = trace === undefined ? stdout.trim() : textIn(last?.["answer"]);
  const tokens = tokensIn(last?.["tokens"]);
  if (isLate) return { answer, tokens, failure: `the command did not end within ${timeout} ms (timeout)` };
  if (code === 0) return { answer, tokens };
  const why = stderr.trim().split("\n").at(-1) ?? "";
  return { answer, tokens, failure: `the command ended with ${code ?? "a signal"}${why === "" ? "" : `: ${why.slice(0, 300)}`}` };
}

function traceIn(stdout: string): readonly { readonly [key: string]: unknown }[] | undefined {
  const lines = stdout.split("\n").filter((line) => line.trim() !== "");
  const values = lines.map(jsonIn);
  const isTrace = values.length > 0 && values.every((value) => isJsonObject(value) && ("tool" in value || "answer" in value));
  return isTrace ? (values as { [key: string]: unknown }[]) : undefined; // each was checked
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}

function tokensIn(value: unknown): Tokens {
  if (!isJsonObject(value)) return NO_TOKENS;
  const { input, output: written } = value;
  return { input: typeof input === "number" ? input : 0, output: typeof written === "number" ? written : 0 };
}

/**
 * Serves the tools of one run over HTTP on this machine. Security: calls are made with what the user's server allows the user, and other
 * users of the machine reach each port. So the path is a secret of the command.
 */
function serveWatched(tools: WatchedTools): Promise<HttpEndpoint> {
  const listed: JsonObject = { tools: [...tools.tools].map(([name, tool]) => ({ ...tool, name })) };
  const call = async ({ params, signal }: RequestContext): Promise<JsonObject> => {
    const { name, arguments: args } = params;
    const result = await tools.callTool(String(name), isJsonObject(args) ? args : {}, { signal });
    return Object.fromEntries(Object.entries(result));
  };
  const server = rawServer({
    info: { name: "eval", version: "1.0.0" },
    capabilities: { tools: {} },
    methods: { "tools/list": () => listed, "tools/call": call },
  });
  return serveHttp(server, { port: 0, path: `/${randomBytes(16).toString("base64url")}` });
}
