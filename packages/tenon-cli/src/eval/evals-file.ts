/** Reads `evals.ts`: its default export, checked, and what the command line says in place of it. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { defineEvals, type EvalsOptions, type EvalTask } from "tenon/testing";
import { loadFile } from "../commands/server-file.ts";
import { UsageError } from "../failure.ts";
import type { Invocation, OptionValues } from "../invocation.ts";

const USUAL = ["evals.ts", "evals.mts", "evals.js", "evals.mjs"];

export interface Evals extends EvalsOptions {
  readonly tasks: readonly EvalTask[];
  readonly runs: number;
  readonly pass: number;
  readonly maxTurns: number;
  readonly timeout: number;
}

/** The file and the positions after it. @throws UsageError if there is no such file */
export function evalsFileOf({ positionals, shell }: Invocation): { readonly file: string; readonly rest: readonly string[] } {
  const [typed, ...rest] = positionals;
  const isFile = (name: string): boolean => statSync(resolve(shell.cwd, name), { throwIfNoEntry: false })?.isFile() === true;
  if (typed !== undefined) {
    if (isFile(typed)) return { file: typed, rest };
    throw new UsageError(`No such file: ${typed}. The first word is the file with the tasks, such as evals.ts; the server comes after it.`);
  }
  const usual = USUAL.find(isFile);
  if (usual !== undefined) return { file: usual, rest };
  throw new UsageError("There is no evals.ts here. Write one with defineEvals() of tenon/testing, or name the file: tenon eval <file>");
}

/** @throws UsageError if the file fails, or has no tasks */
export async function readEvals(file: string, { values, shell }: Invocation): Promise<Evals> {
  const exported = await loadFile(resolve(shell.cwd, file)).catch((cause: unknown) => {
    throw new UsageError(`${file} cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  });
  const evals = exported["default"];
  if (typeof evals !== "object" || evals === null)
    throw new UsageError(`${file} has no default export. Write: export default defineEvals({ tasks: [ … ] })`);
  try {
    const checked = defineEvals(evals as EvalsOptions); // it checks what it is given
    const tasks = chosen(checked.tasks, values, file);
    const { runs = 1, pass = 1, maxTurns = 10, timeout = 120_000 } = checked;
    return { ...checked, tasks, pass, maxTurns, timeout, runs: countOf(values, "runs") ?? runs };
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`${file}: ${(cause as Error).message}`, { cause }); // defineEvals throws only errors
  }
}

function chosen(tasks: readonly EvalTask[], { only = [] }: OptionValues, file: string): readonly EvalTask[] {
  const missing = only.find((text) => !tasks.some(({ name }) => name.includes(text)));
  if (missing !== undefined)
    throw new UsageError(
      `${file} has no task with ${JSON.stringify(missing)} in its name. It has: ${tasks.map(({ name }) => name).join(", ")}.`,
    );
  return only.length === 0 ? tasks : tasks.filter(({ name }) => only.some((text) => name.includes(text)));
}

/** A number of the command line; undefined if it is not typed. @throws UsageError */
export function countOf(values: OptionValues, name: "runs" | "concurrency"): number | undefined {
  const typed = values[name];
  if (typed === undefined) return undefined;
  const count = Number(typed);
  if (Number.isInteger(count) && count >= 1 && count <= 1_000) return count;
  throw new UsageError(`--${name} must be a whole number from 1 to 1000, not ${JSON.stringify(typed)}.`);
}
