/**
 * `<server>` as it is typed, and what it stands for: a URL, a file with a server in it, or a command.
 *
 * A file is served by `tenon run` in a process of its own, so that what it prints, and how it ends, stays its own.
 */
import { accessSync, constants, statSync } from "node:fs";
import { extname, resolve } from "node:path";
import { UsageError } from "./failure.ts";
import { splitCommand } from "./split-command.ts";

/** A program and its arguments, ready to be started. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** An endpoint to connect to. */
export interface ServerUrl {
  readonly url: string;
}

const SOURCE_FILES: ReadonlySet<string> = new Set([".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"]);

/** What `<server>` stands for. @throws UsageError for what is no URL, no file and no command */
export function resolveServer(typed: string): ServerCommand | ServerUrl {
  if (/^https?:\/\//i.test(typed)) {
    if (!URL.canParse(typed)) throw new UsageError(`${typed} is no URL. Give one such as http://127.0.0.1:3000/mcp`);
    return { url: typed };
  }
  return isFile(typed) ? resolveWords([typed]) : resolveWords(splitCommand(typed));
}

/** The program that words stand for: those after `--`, or a command taken apart. @throws UsageError */
export function resolveWords(words: readonly string[]): ServerCommand {
  const [first, ...args] = words;
  if (first === undefined || first === "") throw new UsageError("The server is missing: give a URL, a file or a command.");
  if (isFile(first)) {
    if (SOURCE_FILES.has(extname(first))) return { command: process.execPath, args: [MAIN, "run", first, "--", ...args] };
    if (!isExecutable(first))
      throw new UsageError(`${first} is neither JavaScript, TypeScript nor a program. Give the command that runs it, after --`);
    return { command: resolve(first), args };
  }
  if (looksLikePath(first)) {
    throw new UsageError(`No such file: ${first}. Give a file that exports an McpServer, or a command such as "npx -y <package>".`);
  }
  return { command: first, args };
}

/** The program of this very command: built, this file may lie elsewhere. Node makes its path absolute. */
const MAIN = process.argv[1] ?? "";

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A name without a folder or a known ending is looked up in `PATH`. */
function looksLikePath(word: string): boolean {
  return SOURCE_FILES.has(extname(word)) || /[\\/]/.test(word);
}
