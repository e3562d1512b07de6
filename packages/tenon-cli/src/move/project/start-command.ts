/** Which program serves: the typed one, or what package.json says of itself. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "tenon/internal";
import { splitCommand } from "../../connection/split-command.ts";
import type { ServerCommand } from "../../connection/target.ts";
import { TYPESCRIPT } from "../../commands/typescript.ts";
import type { MovedProject } from "./project.ts";

export type Started = { readonly program: ServerCommand } | { readonly missing: string };

/** @param words what was typed after `--` */
export function startCommandOf(project: MovedProject, words: readonly string[] | undefined): Started {
  const cwd = project.folder;
  const [command, ...args] = words ?? [];
  if (command !== undefined) return { program: { command, args, cwd } };
  const [file] = filesNamedIn(project);
  if (file !== undefined) {
    if (!existsSync(join(cwd, file))) return { missing: `${file} is not there: build the project first, or type the command after --` };
    if (TYPESCRIPT.test(file)) return { missing: `${file} is TypeScript: type the command that starts it after --` };
    return { program: { command: process.execPath, args: [file], cwd } };
  }
  const start = startScript(project);
  if (start !== undefined) return { program: { ...start, cwd } };
  return { missing: "package.json has no bin, no script start and no main: type the command that starts the server after --" };
}

/** The files that `bin` and `main` name, in this order. */
function filesNamedIn(project: MovedProject): string[] {
  const { bin, main, scripts } = project.package;
  const bins = typeof bin === "string" ? [bin] : isJsonObject(bin) ? Object.values(bin).filter((file) => typeof file === "string") : [];
  if (bins.length > 0) return bins;
  const hasStart = isJsonObject(scripts) && typeof scripts["start"] === "string";
  return !hasStart && typeof main === "string" ? [main] : [];
}

/** The script `start`, if it is one program: a shell would stand between it and the client. */
function startScript({ package: { scripts } }: MovedProject): ServerCommand | undefined {
  const start = isJsonObject(scripts) ? scripts["start"] : undefined;
  if (typeof start !== "string" || /[&|;<>$`]/.test(start)) return undefined;
  const [command, ...args] = splitCommand(start);
  if (command === undefined || /^\w+=/.test(command)) return undefined;
  return command === "node" ? { command: process.execPath, args } : { command, args };
}
