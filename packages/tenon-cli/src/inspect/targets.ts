/** The servers of `tenon inspect`: the one that was typed, or every server of a configuration file. */
import { readFileSync } from "node:fs";
import { basename, extname, isAbsolute, relative, resolve, sep } from "node:path";
import { DEFAULT_PROBE_TIMEOUT } from "tenon/internal";
import type { InspectorTarget, ProgramStart } from "../inspector/target/inspector-target.ts";
import type { ConnectionFailure } from "../inspector/entries.ts";
import { ANSWER_TIMEOUT } from "../connection/diagnosis.ts";
import { diagnose } from "../doctor/diagnose.ts";
import { assertFitting, credentialsFor } from "../connection/connection.ts";
import { serverOf, serversIn } from "../connection/typed-server.ts";
import type { ServerCommand } from "../connection/target.ts";
import type { Shell } from "../shell.ts";
import { environmentOf, headersOf, programTimesOf, revisionOf, timeoutOf, type Invocation, type Outcome } from "../invocation.ts";

export async function targetsOf(invocation: Invocation): Promise<InspectorTarget[]> {
  const { config } = invocation.values;
  const { cwd } = invocation.shell;
  if (config === undefined || invocation.positionals.length > 0) return [await targetOf(invocation)];
  const names = Object.keys(await serversIn(config, cwd));
  if (names.length < 2) return [await targetOf(invocation)];
  return Promise.all(names.map((name) => targetOf({ ...invocation, positionals: [name] })));
}

async function targetOf(invocation: Invocation): Promise<InspectorTarget> {
  const { shell } = invocation;
  const { server, values } = await serverOf(invocation, []);
  assertFitting(server, values);
  const revision = revisionOf(values);
  const [env, headers] = [environmentOf(values, shell.env), headersOf(values)];
  const typed = typedName(invocation);
  const common = { name: invocation.positionals[0] ?? typed, typed };
  if ("url" in server) {
    const url = new URL(server.url);
    const auth = await credentialsFor(new URL(url), headers, shell);
    const timeout = timeoutOf(values);
    return {
      ...common,
      server: { url: server.url, headers },
      options: { ...(revision && { revision }), ...(timeout && { timeout }), ...(auth && { auth }) },
      connectTimeout: timeout ?? ANSWER_TIMEOUT,
      diagnose: (error, signal) => diagnoseAs(error, url, { ...invocation, values, signal }, timeout ?? ANSWER_TIMEOUT),
      doctor: (signal) => examine(url, { ...invocation, values, signal }),
      ...(auth && { account: accountOf(url, invocation) }),
    };
  }
  const times = programTimesOf(values);
  const module = moduleOf(invocation.positionals[0], shell.cwd);
  return {
    ...common,
    ...(module && { module }),
    start: startAnywhere(server, shell),
    server: { cwd: shell.cwd, ...server, args: [...server.args], env, timeouts: { start: times.start } },
    diagnose: (error, signal) => diagnoseAs(error, "program", { ...invocation, values, signal }, times.total),
    options: { ...(revision && { revision }), timeout: times.timeout, probeTimeout: Math.min(DEFAULT_PROBE_TIMEOUT, times.timeout / 2) },
  };
}

async function diagnoseAs(...subject: Parameters<typeof diagnose>): Promise<ConnectionFailure | undefined> {
  const found = await diagnose(...subject);
  return found && { message: found.problem, remedy: found.remedy, action: found.action };
}

/** The words that name the server for other commands. */
function typedName({ positionals, words, values }: Invocation): string {
  if (words !== undefined) return `-- ${words.join(" ")}`;
  const name = positionals[0] ?? "";
  return values.config === undefined ? name : `--config ${values.config} ${name}`.trim();
}

/** Logs in and out as `tenon login` and `tenon logout` do, with the page in place of the terminal. */
function accountOf({ href }: URL, invocation: Invocation): NonNullable<InspectorTarget["account"]> {
  const { header } = invocation.values;
  const own = (signal: AbortSignal): Invocation => ({
    ...invocation,
    positionals: [href],
    words: undefined,
    values: { ...(header && { header }) },
    signal,
  });
  return {
    login: async (open, signal) => textOf(await (await import("../login/log-in.ts")).logIn(own(signal), open)),
    logout: async (signal) => textOf(await (await import("../login/account.ts")).logOut(own(signal))),
  };
}

function textOf(outcome: Outcome): string {
  return outcome.text((_style, text) => text, Infinity);
}

/** The steps of `tenon doctor` for a URL. */
export async function examine(url: URL, invocation: Invocation): Promise<unknown> {
  const { walkToUrl } = await import("../doctor/url-walk.ts");
  return (await walkToUrl(url, invocation)).json;
}

/** How a program starts on any machine: a file by the command of its project, and paths from the folder in which the command runs. */
export function startAnywhere({ command, args }: ServerCommand, { cwd, script }: Pick<Shell, "cwd" | "script">): ProgramStart {
  const near = (word: string): string => {
    const path = isAbsolute(word) ? relative(cwd, word) : "..";
    return path.startsWith("..") || isAbsolute(path) ? word : `./${path.split(sep).join("/")}`;
  };
  const isOwn = command === process.execPath && args[0] === script && args[1] === "run";
  if (!isOwn) return { command: near(command), args: args.map(near) };
  const words = args.at(-1) === "--" ? args.slice(1, -1) : args.slice(1);
  return { command: "npx", args: ["tenon", ...words.map(near)] };
}

const MODULES: ReadonlySet<string> = new Set([".ts", ".mts", ".js", ".mjs"]);

/** The file and the name under which it exports its server, if that can be read from its text. */
export function moduleOf(typed: string | undefined, cwd: string): InspectorTarget["module"] {
  if (typed === undefined || !MODULES.has(extname(basename(typed)))) return undefined;
  const path = resolve(cwd, typed);
  const text = readText(path);
  const name = /^export const (\w+)[^=\n]*= *(?:await )?(?:new McpServer\b|fromOpenApi\()/m.exec(text)?.[1];
  if (name !== undefined) return { path, name };
  return /^export default\b/m.test(text) ? { path, name: "default" } : undefined;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // the server itself reports a file that cannot be read
  }
}
