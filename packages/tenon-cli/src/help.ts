/** The help texts, made from the declarations of the commands. */
import type { Command, OptionHelp, OptionName } from "./invocation.ts";

const OPTION_HELP: Record<OptionName, OptionHelp> = {
  arg: ["--arg name=value", "an argument, read as its schema says; lists and objects as JSON; may be repeated"],
  args: ["--args '{json}'", "all arguments as JSON, passed on unchecked; - is stdin, @file a file; --arg adds to them"],
  env: ["--env NAME[=value]", "a variable for the server; it gets no others but the usual (PATH, HOME ...)"],
  header: ["--header 'Name: value'", "a header for a server that is a URL; may be repeated"],
  timeout: ["--timeout ms", "how long to wait for the server, for each answer (default 60000)"],
  "start-timeout": ["--start-timeout ms", "how long a program may take to start, in addition (default 60000; --timeout alone bounds both)"],
  revision: ["--revision date", "speak this revision of the protocol or fail"],
  json: ["--json", 'exactly one JSON document on stdout, the result or { "error": ... }'],
  stdio: ["--stdio", "serve on stdin and stdout (the default)"],
  http: ["--http", "serve over HTTP on 127.0.0.1, path /mcp, until Ctrl-C"],
  watch: ["--watch", "reload the file at each save, without ending a connection"],
  store: ["--store url", "with --http: the engine that all nodes of the server share, such as redis://localhost:6379"],
  port: ["--port number", "with --http: the port (default 3000; 0 for any that is free)"],
  device: ["--device", "log in on another device, with a code that is shown here"],
  "no-browser": ["--no-browser", "only show the address of the page"],
  scope: ["--scope 'a b'", "ask for these permissions (default what the server names)"],
  "client-id": ["--client-id id", "a client registered by hand; its secret, if any, in TENON_CLIENT_SECRET"],
  issuer: ["--issuer url", "log in with this authorization server or not at all"],
  resource: ["--resource name", "what to ask a token for, instead of the server's own name; none to leave it out"],
  "assume-pkce": ["--assume-pkce", "trust the --issuer to check PKCE though it does not say so"],
  "callback-host": ["--callback-host name", "127.0.0.1 (default), localhost or ::1, as the client is registered"],
  "callback-path": ["--callback-path path", "where the browser comes back to (default /callback)"],
  allow: ["--allow what", "trust addresses on a private network, a host there, a :port, or localhost; may be repeated"],
  register: ["--register", "try to register this command, where no login has done so yet"],
  config: ["--config mcp.json", "a file of a host; <server> is then a name in it, and left out if there is only one"],
  uri: ["--uri uri", "a resource to watch; may be repeated"],
  transport: ["--transport kind", "stdio (the default), http or both"],
  schema: ["--schema kind", "zod (the default), valibot or json: how the schemas are written"],
  "no-tests": ["--no-tests", "without a test"],
  docker: ["--docker", "with a Dockerfile"],
  template: ["--template name", "where a new server is hosted"],
  ci: ["--ci", "with a workflow that checks and publishes"],
  output: ["-o, --output file", "the file to write"],
  quiet: ["-q, --quiet", "show nothing that the server writes to stderr or logs, unless it cannot be reached"],
  check: ["--check", "write nothing, and only compare"],
  profile: ["--profile name", "check for this host or API (claude-code, cursor, gemini-cli, openai, ...); may be repeated"],
  budget: ["--budget [part=]tokens", "most tokens of the list, or of tool= or instructions=; may be repeated, and --update keeps them"],
  off: ["--off rule", "leave this rule out; may be repeated"],
  update: ["--update", "write what callers depend on to mcp.lock"],
  fix: ["--fix", "change the server's file where a finding has one change that mends it"],
  explain: ["--explain [rule]", "say why a rule is there, and what to do; without a rule, all of them"],
  lock: ["--lock file", "the lock file (default mcp.lock)"],
  locked: ["--locked", "fail if there is no lock file: what changed for callers must be compared"],
  sarif: ["--sarif file", "also write the findings as SARIF 2.1.0, for code hosts"],
  undo: ["--undo", "put everything back as it was"],
  native: ["--native", "rewrite files to the API of Tenon"],
  strict: ["--strict", "with --check: titles and descriptions must fit, too"],
  host: ["--host id", "a host; may be repeated"],
  name: ["--name name", "a name"],
  description: ["--description text", "what a new server does"],
  author: ["--author name", "who makes a new server"],
  print: ["--print", "only show what would be written, on stdout"],
  yes: ["--yes", "do not ask: agree to what the command would ask; not to what a server asks"],
  "no-check": ["--no-check", "do not start the server"],
  include: ["--include kind:value", "tag:, method:, path: or id: of operations, or all; may be repeated"],
  "base-url": ["--base-url url", "the API, in place of the servers of the document"],
  auth: ["--auth scheme=VARIABLE", "the variable with the credential of a security scheme (name:password for basic); may be repeated"],
  write: ["--write file.ts", "write the server as a program instead of serving it"],
  "no-open": ["--no-open", "only show the address of the page"],
  mcp: ["--mcp", "serve the documentation to coding agents, on stdin and stdout"],
  "ui-port": ["--ui-port number", "the port of the page on 127.0.0.1 (default 0: any that is free)"],
  remote: ["--remote url", "the URL of a server that runs already"],
  model: [
    "--model provider/name",
    "a model that can draft answers to sampling: anthropic/…, openai/… or google/…; its key in the environment",
  ],
  agent: ["--agent command", "a command that is the agent: it reads the prompt on stdin; {url} and {config} lead to the tools"],
  runs: ["--runs number", "how often each task runs (default 1, or what the file says)"],
  concurrency: ["--concurrency number", "runs at the same time (default 4)"],
  record: ["--record file", "write what the model answers to this file, for --replay"],
  replay: ["--replay file", "run with recorded answers, without a key; the calls are made again"],
  compare: ["--compare", "compare two reports, and fail if a task is right less often"],
  serve: ["--serve file", "serve this recording in the place of the server"],
  faults: ["--faults list", "with --serve: spoil calls by late=200ms, cut, wrong, closed; rate=0.5 spoils half of them"],
  seed: ["--seed number", "with --faults: the same faults again"],
  search: ["--search", "list search_tools and call_tool in the place of all tools"],
  pin: ["--pin tool", "with --search: a tool that stays in the list; may be repeated"],
  audit: ["--audit file", "add a line of JSON to this file for each request: who, what, which server, how it ended"],
  pins: ["--pins file", "serve tools, prompts and pages only as they were when this file first saw them, or as they were approved since"],
  metrics: ["--metrics port", "serve metrics for Prometheus at http://127.0.0.1:port/metrics (0 for any that is free)"],
  only: ["--only server__tool", "serve nothing else; * is any text; may be repeated"],
  deny: ["--deny server__tool", "do not serve it, as if it did not exist; * is any text; may be repeated"],
  prefix: ["--prefix text", "what the keys begin with (default mcp)"],
  days: ["--days number", "for how long (default 90)"],
  provider: [
    "--provider name",
    "check what this provider needs: auth0, entra, okta, keycloak, google, github, workos, clerk, supabase, cognito, betterAuth",
  ],
  help: ["-h, --help", "this text"],
};

const SERVER_HELP = `<server> is a URL, a file that exports an McpServer or serves stdio itself (.js, .ts ...), or a command in quotes; with --config, a name in that file.`;
const EXIT_CODES = `Exit codes: 0 ok, 1 the server or tool failed, 2 what was typed cannot be done, 3 cannot connect, 4 not authorized, 130 interrupted.`;

/** `tenon --help` */
export function describeAll(commands: ReadonlyMap<string, Command>): string {
  const usages = [...commands.values()].map(({ usage, summary }): readonly [string, string] => [
    `tenon ${usage[0]!.replace(/ (?:\[|-).*/, " ...")}`,
    summary,
  ]);
  return `tenon: talk to Model Context Protocol servers, and serve them

${columns([...usages, ["tenon <command> --help", "more about a command"], ["tenon --version", "the version"]])}

${wrapped(SERVER_HELP)}
${wrapped(EXIT_CODES)}`;
}

/** `tenon <command> --help` */
export function describeCommand({ summary, usage, options, optionHelp = {}, about, examples }: Command): string {
  const parts = [
    `${usage.map((form) => `tenon ${form}`).join("\n")}\n\n  ${summary}`,
    columns([...options, "help" as const].map((name) => optionHelp[name] ?? OPTION_HELP[name])),
    `Examples:\n${examples.map((example) => `  ${example}`).join("\n")}`,
  ];
  if (usage[0]!.includes("<server>")) parts.push(wrapped(SERVER_HELP));
  if (about !== undefined) parts.push(wrapped(about));
  return parts.join("\n\n");
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(24, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${wrapped(right, width + 4)}`).join("\n");
}

/** Characters of a line of help. */
const LINE = 80;

/** A text in lines of a terminal's usual width. @param indent of each line but the first, which begins there already */
function wrapped(text: string, indent = 0): string {
  const lines = text.match(new RegExp(`\\S.{0,${LINE - indent - 1}}(?=\\s|$)|\\S+`, "g")) ?? [];
  return lines.join(`\n${" ".repeat(indent)}`);
}
