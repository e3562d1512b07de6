/**
 * Resolves the typed `<server>`: a URL, a file with a server in it, or a command.
 *
 * `tenon run` serves a file in its own process, so that the file's output and exit do not affect the command.
 */
import { accessSync, constants, statSync } from "node:fs";
import { extname, resolve } from "node:path";
import { UsageError } from "../failure.ts";
import type { Shell } from "../shell.ts";
import { splitCommand } from "./split-command.ts";

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Its working directory. Default: the command's. */
  readonly cwd?: string | URL;
}

export interface ServerUrl {
  readonly url: string;
}

const SOURCE_FILES: ReadonlySet<string> = new Set([".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"]);

/** Resolves `<server>`. @throws UsageError if it is neither a URL nor a file nor a command */
export function resolveServer(typed: string, shell: Pick<Shell, "cwd" | "script">): ServerCommand | ServerUrl {
  if (/^https?:\/\//i.test(typed)) {
    if (!URL.canParse(typed)) throw new UsageError(`${typed} is no URL. Give one such as http://127.0.0.1:3000/mcp`);
    const { username, password } = new URL(typed);
    if (username !== "" || password !== "")
      throw new UsageError("The URL of a server must not contain a user name or password: use --header 'Authorization: ...'.");
    return { url: typed };
  }
  if (isFile(resolve(shell.cwd, typed))) return resolveWords([typed], shell);
  assertNoUrl(typed, shell.cwd);
  return resolveWords(splitCommand(typed), shell);
}

/** Resolves words to a program: those after `--`, or a split command. @throws UsageError */
export function resolveWords(words: readonly string[], { cwd, script }: Pick<Shell, "cwd" | "script">): ServerCommand {
  const [first, ...args] = words;
  if (first === undefined || first === "") throw new UsageError("The server is missing: give a URL, a file or a command.");
  const path = resolve(cwd, first);
  if (isFile(path)) {
    if (SOURCE_FILES.has(extname(first))) return { command: process.execPath, args: [script, "run", first, "--", ...args] };
    if (!isExecutable(path))
      throw new UsageError(`${first} is neither JavaScript, TypeScript nor a program. Give the command that runs it, after --`);
    return { command: path, args };
  }
  if (looksLikePath(first)) throw new UsageError(explainMissing(first, cwd));
  return { command: first, args };
}

/** Addresses that users write without the scheme. */
const ON_THIS_MACHINE = /^(localhost|\d{1,3}(\.\d{1,3}){3}|\[[\da-f:]+\])(:\d+)?(\/\S*)?$/i;
const ELSEWHERE = /^[a-z\d-]+(\.[a-z\d-]+)+(:\d+(\/\S*)?|\/\S*)$/i;

/** @throws UsageError if the text was probably meant as a URL */
function assertNoUrl(typed: string, cwd: string): void {
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(typed))
    throw new UsageError(`${typed.split("://", 1)[0]}:// is no URL of a server: it must begin with http:// or https://`);
  const scheme = ON_THIS_MACHINE.test(typed) ? "http" : ELSEWHERE.test(typed) ? "https" : undefined;
  if (scheme === undefined || isFolder(resolve(cwd, typed.split("/", 1)[0]!)) || SOURCE_FILES.has(extname(typed))) return;
  throw new UsageError(`${typed} is no URL. Did you mean ${scheme}://${typed}?`);
}

function explainMissing(path: string, cwd: string): string {
  if (isFolder(resolve(cwd, path)))
    return `${path} is a folder. Give the file in it that exports an McpServer, or the command that serves it, after --`;
  const meant = meantFile(path, cwd);
  return `No such file: ${path}.${meant || ' Give a file that exports an McpServer, or a command such as "npx -y <package>".'}`;
}

/** ` Did you mean server.ts?` if only the ending is missing, or nothing. */
export function meantFile(path: string, cwd: string): string {
  const ending = [...SOURCE_FILES].find((known) => isFile(resolve(cwd, path + known)));
  return ending === undefined ? "" : ` Did you mean ${path}${ending}?`;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether a word is a path. A name without a folder or a known ending is looked up in `PATH`. */
function looksLikePath(word: string): boolean {
  return SOURCE_FILES.has(extname(word)) || /[\\/]|^\.\.?$/.test(word);
}
