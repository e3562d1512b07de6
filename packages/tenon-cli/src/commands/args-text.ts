/** The JSON of `--args`: as it was typed, from stdin (`-`), or from a file (`@file`). */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { UsageError } from "../failure.ts";
import type { Invocation } from "../invocation.ts";

/** Undefined without `--args`. @throws UsageError if the file cannot be read */
export async function argsText({ values: { args }, shell }: Invocation): Promise<string | undefined> {
  if (args === "-") return text(shell.stdin);
  if (args?.startsWith("@") !== true) return args;
  try {
    return await readFile(resolve(shell.cwd, args.slice(1)), "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException; // reading a file throws only these
    throw new UsageError(`--args ${args} cannot be read: ${code === "ENOENT" ? "there is no such file" : String(code)}`, { cause });
  }
}
