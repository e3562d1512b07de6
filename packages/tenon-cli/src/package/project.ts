/** The package that a server file belongs to. */
import { readFile, realpath } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { isJsonObject } from "tenon/internal";
import type { JsonObject } from "tenon";
import { UsageError } from "../failure.ts";
import type { Invocation } from "../invocation.ts";

export interface Project {
  readonly folder: string;
  readonly package: JsonObject;
  /** The server file, by its path in the folder, with `/`. */
  readonly file: string;
}

/** @throws UsageError if no file was typed, or if it is in no package */
export async function projectOf({ positionals: [typed, surplus], words, shell }: Invocation): Promise<Project> {
  if (words !== undefined) throw new UsageError("This command takes the file of a server, and no command after --.");
  if (typed === undefined) throw new UsageError("The file of the server is missing: src/server.ts, for example.");
  if (surplus !== undefined) throw new UsageError(`${JSON.stringify(surplus)} is one word too many.`);
  const path = await realpath(resolve(shell.cwd, typed)).catch(() => undefined);
  if (path === undefined || !/\.[cm]?[jt]s$/.test(path)) throw new UsageError(`${typed} is not a file of JavaScript or TypeScript.`);
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const text = await readFile(join(folder, "package.json"), "utf8").catch(() => undefined);
    if (text !== undefined) return { folder, package: parsed(text, folder), file: relative(folder, path).split(sep).join("/") };
    if (folder === dirname(folder)) throw new UsageError(`${typed} is in no package: there is no package.json above it. Try "npm init".`);
  }
}

function parsed(text: string, folder: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`${join(folder, "package.json")} is not JSON: ${(cause as Error).message}`, { cause }); // JSON.parse throws only SyntaxErrors
  }
  if (!isJsonObject(value)) throw new UsageError(`${join(folder, "package.json")} is not an object.`);
  return value;
}

/** The names of variables in `--env NAME`. @throws UsageError for `NAME=value`, because it would be published, and for a variable that the server would start without */
export function variablesOf({ values: { env = [] }, shell }: Invocation): readonly string[] {
  for (const name of env) {
    if (name.includes("="))
      throw new UsageError(
        `A value does not belong in what others get: write --env ${name.split("=", 1)[0]!}, and set it for this command.`,
      );
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new UsageError(`--env ${name} does not name a variable.`);
    if (shell.env[name] === undefined)
      throw new UsageError(
        `--env ${name} has no value here: set ${name} to one that the server can start with. Others do not get the value.`,
      );
  }
  return env;
}

/** Whether the name of a variable looks like the name of a secret. */
export function isSecretName(name: string): boolean {
  return /token|key|secret|passw|auth|credential|cookie/i.test(name);
}
