/** Makes what a host has to start, or to reach, from what was typed: absolute paths for a user, portable ones for a project. */
import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { resolveServer, resolveWords, type ServerCommand, type ServerUrl } from "../connection/target.ts";
import { UsageError } from "../failure.ts";
import { headersOf, type Invocation } from "../invocation.ts";
import type { Environment, Shell } from "../shell.ts";
import type { Host, HostServer, Scope } from "./host.ts";
import { WINDOW_PATH } from "./try-entry.ts";

export interface TypedServer {
  readonly target: ServerCommand | ServerUrl;
  readonly env: Readonly<Record<string, string>>;
  readonly references: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

export function typedServerOf({ positionals, words, values, shell }: Invocation): TypedServer {
  const surplus = positionals[words === undefined ? 1 : 0];
  if (surplus !== undefined)
    throw new UsageError(`${JSON.stringify(surplus)} is one word too many. A command of several words belongs in quotes or after --.`);
  if (words === undefined && positionals.length === 0) throw new UsageError("The server is missing.");
  const target = words === undefined ? resolveServer(positionals[0]!, shell) : resolveWords(words, shell);
  const headers = headersOf(values);
  const [env, references] = variablesOf(values.env ?? []);
  if ("url" in target && (values.env ?? []).length > 0)
    throw new UsageError("--env is for a server that the host starts: this one is a URL.");
  if (!("url" in target) && Object.keys(headers).length > 0) throw new UsageError("--header is for a server that is a URL.");
  return { target, env, references, headers };
}

/** `NAME=value` is written into the file; `NAME` is a reference to it. */
function variablesOf(typed: readonly string[]): [env: Record<string, string>, references: string[]] {
  for (const variable of typed) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*(?:=|$)/.test(variable)) throw new UsageError(`--env ${variable} does not name a variable.`);
  }
  const pairs = typed.filter((variable) => variable.includes("="));
  const env = Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]));
  return [env, typed.filter((variable) => !variable.includes("="))];
}

/** @throws UsageError if a project's file would hold a secret, or a path that only this machine has */
export function serverFor(host: Host, { target, env, references, headers }: TypedServer, scope: Scope, shell: Shell): HostServer {
  if (scope === "project") assertNoSecrets(env, headers);
  if ("url" in target) return { url: target.url, headers };
  const { command, args } = target;
  const isOwn = command === process.execPath && args[0] === shell.script && args[1] === "run";
  const words = isOwn && args.at(-1) === "--" ? args.slice(0, -1) : args;
  if (scope === "project") return { ...inProject(host, isOwn, command, words, shell.cwd), env, references };
  // The real path, because links such as `node_modules/.bin/tenon` are not the same on every system.
  if (isOwn)
    return { command, args: [realpathSync(shell.script), "run", resolve(shell.cwd, words[2]!), ...words.slice(3)], env, references };
  const found = onPath(host, command, shell.env);
  return { ...found, args: words, env: { ...found.env, ...env }, references };
}

/** Security: a project's file is shared with others. */
function assertNoSecrets(env: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>>): void {
  const [variable] = Object.keys(env);
  if (variable !== undefined)
    throw new UsageError(`A project's file is shared with others, so that no value belongs in it: write --env ${variable} without one.`);
  const header = Object.entries(headers).find(([, value]) => !value.includes("${"))?.[0];
  if (header !== undefined)
    throw new UsageError(`A project's file is shared with others: write --header '${header}: \${NAME}' with the name of a variable.`);
}

/** A file is served by the command of the project, with paths from the project's folder. */
function inProject(
  host: Host,
  isOwn: boolean,
  command: string,
  args: readonly string[],
  project: string,
): { command: string; args: readonly string[] } {
  if (!isOwn) {
    if (isAbsolute(command))
      throw new UsageError(`${command} is a path of this machine: a project's file needs a command that others have, too.`);
    return { command, args };
  }
  const main = join("node_modules", "tenon-cli", "dist", "main.js");
  if (!existsSync(join(project, main)))
    throw new UsageError(
      `A project's file starts the server with the command of the project: run "npm install -D tenon-cli" in ${project} first.`,
    );
  const file = relative(project, resolve(project, args[2]!));
  if (file.startsWith("..") || isAbsolute(file)) throw new UsageError(`${args[2]} is not in ${project}, the project.`);
  const inFolder = (path: string): string =>
    [...(host.folderVariable === undefined ? [] : [host.folderVariable]), ...path.split(sep)].join("/");
  return { command: "node", args: [inFolder(main), "run", inFolder(file), ...args.slice(3)] };
}

/** A program with a window does not have the `PATH` of a terminal: the command is written with its path, and gets one. */
function onPath(host: Host, command: string, { PATH = "" }: Environment): { command: string; env: Readonly<Record<string, string>> } {
  if (!host.hasWindow || /[\\/]/.test(command) || process.platform === "win32") return { command, env: {} };
  const folders = PATH.split(delimiter).filter(isAbsolute);
  const found = folders.map((folder) => join(folder, command)).find(isProgram);
  if (found === undefined) throw new UsageError(`There is no program ${JSON.stringify(command)} in PATH.`);
  const own = [...new Set([dirname(found), dirname(process.execPath)])];
  return { command: found, env: { PATH: [...own, WINDOW_PATH].join(":") } };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
