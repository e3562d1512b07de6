/**
 * Resolves the typed `<server>`: a URL, a file with a server in it, or a command.
 *
 * `tenon run` serves a file in its own process, so that the file's output and exit do not affect the command.
 */
import { accessSync, constants, statSync } from "node:fs";
import { extname, resolve } from "node:path";
import { UsageError } from "../failure.ts";
import { splitCommand } from "./split-command.ts";

/** A program and its arguments, ready to be started. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Its working directory. Default: that of this process. */
  readonly cwd?: string | URL;
}

/** An endpoint to connect to. */
export interface ServerUrl {
  readonly url: string;
}

const SOURCE_FILES: ReadonlySet<string> = new Set([".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"]);

/** Resolves `<server>`. @throws UsageError if it is neither a URL nor a file nor a command */
export function resolveServer(typed: string): ServerCommand | ServerUrl {
  if (/^https?:\/\//i.test(typed)) {
    if (!URL.canParse(typed)) throw new UsageError(`${typed} is no URL. Give one such as http://127.0.0.1:3000/mcp`);
    const { username, password } = new URL(typed);
    if (username !== "" || password !== "")
      throw new UsageError("The URL of a server must not contain a user name or password: use --header 'Authorization: ...'.");
    return { url: typed };
  }
  if (isFile(typed)) return resolveWords([typed]);
  assertNoUrl(typed);
  return resolveWords(splitCommand(typed));
}

/** Resolves words to a program: those after `--`, or a split command. @throws UsageError */
export function resolveWords(words: readonly string[]): ServerCommand {
  const [first, ...args] = words;
  if (first === undefined || first === "") throw new UsageError("The server is missing: give a URL, a file or a command.");
  if (isFile(first)) {
    if (SOURCE_FILES.has(extname(first))) return { command: process.execPath, args: [MAIN, "run", first, "--", ...args] };
    if (!isExecutable(first))
      throw new UsageError(`${first} is neither JavaScript, TypeScript nor a program. Give the command that runs it, after --`);
    return { command: resolve(first), args };
  }
  if (looksLikePath(first)) throw new UsageError(explainMissing(first));
  return { command: first, args };
}

/** Addresses that users write without the scheme. */
const ON_THIS_MACHINE = /^(localhost|\d{1,3}(\.\d{1,3}){3}|\[[\da-f:]+\])(:\d+)?(\/\S*)?$/i;
const ELSEWHERE = /^[a-z\d-]+(\.[a-z\d-]+)+(:\d+(\/\S*)?|\/\S*)$/i;

/** @throws UsageError if the text was probably meant as a URL */
function assertNoUrl(typed: string): void {
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(typed))
    throw new UsageError(`${typed.split("://", 1)[0]}:// is no URL of a server: it must begin with http:// or https://`);
  const scheme = ON_THIS_MACHINE.test(typed) ? "http" : ELSEWHERE.test(typed) ? "https" : undefined;
  if (scheme === undefined || isFolder(typed.split("/", 1)[0]!) || SOURCE_FILES.has(extname(typed))) return;
  throw new UsageError(`${typed} is no URL. Did you mean ${scheme}://${typed}?`);
}

function explainMissing(path: string): string {
  if (isFolder(path)) return `${path} is a folder. Give the file in it that exports an McpServer, or the command that serves it, after --`;
  const meant = meantFile(path);
  return `No such file: ${path}.${meant || ' Give a file that exports an McpServer, or a command such as "npx -y <package>".'}`;
}

/** ` Did you mean server.ts?` if only the ending is missing, or nothing. */
export function meantFile(path: string): string {
  const ending = [...SOURCE_FILES].find((known) => isFile(path + known));
  return ending === undefined ? "" : ` Did you mean ${path}${ending}?`;
}

/** The path of the running command. It is not derived from this file, which may be bundled elsewhere. */
const MAIN = process.argv[1] ?? "";

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
