/** The help texts, made from what the commands say of themselves. */
import type { Command, OptionName } from "./invocation.ts";

const OPTION_HELP: Record<OptionName, readonly [form: string, about: string]> = {
  arg: ["--arg name=value", "an argument, read as its schema says; lists and objects as JSON; may be repeated"],
  args: ["--args '{json}'", "all arguments as JSON, passed on unchecked; --arg adds to them"],
  env: ["--env NAME[=value]", "a variable for the server; it gets no others but the usual (PATH, HOME ...)"],
  header: ["--header 'Name: value'", "a header for a server that is a URL; may be repeated"],
  timeout: ["--timeout ms", "how long to wait for the server, for each answer (default 60000)"],
  revision: ["--revision date", "speak this revision of the protocol or fail"],
  json: ["--json", 'exactly one JSON document on stdout, the result or { "error": ... }'],
  stdio: ["--stdio", "serve on stdin and stdout (the default)"],
  http: ["--http", "serve over HTTP on 127.0.0.1, path /mcp, until Ctrl-C"],
  port: ["--port number", "with --http: the port (default 3000; 0 for any that is free)"],
  help: ["-h, --help", "this text"],
};

const SERVER_HELP = `<server> is a URL, a file that exports an McpServer or serves stdio itself (.js, .ts ...), or a command in quotes.`;
const EXIT_CODES = `Exit codes: 0 ok, 1 the server or tool failed, 2 what was typed cannot be done, 3 cannot connect, 130 interrupted.`;

/** `tenon --help` */
export function describeAll(commands: ReadonlyMap<string, Command>): string {
  const usages = [...commands.values()].map(({ usage, summary }): readonly [string, string] => [
    `tenon ${usage[0]!.replace(/ \[--.*/, " ...")}`,
    summary,
  ]);
  return `tenon: talk to Model Context Protocol servers, and serve them

${columns([...usages, ["tenon <command> --help", "more about a command"], ["tenon --version", "the version"]])}

${SERVER_HELP}
${EXIT_CODES}`;
}

/** `tenon <command> --help` */
export function describeCommand({ summary, usage, options, examples }: Command): string {
  const parts = [
    `${usage.map((form) => `tenon ${form}`).join("\n")}\n\n  ${summary}`,
    columns([...options, "help" as const].map((name) => OPTION_HELP[name])),
    `Examples:\n${examples.map((example) => `  ${example}`).join("\n")}`,
  ];
  if (usage[0]!.includes("<server>")) parts.push(SERVER_HELP);
  return parts.join("\n\n");
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(24, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}
