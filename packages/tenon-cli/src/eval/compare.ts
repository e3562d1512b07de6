/** `tenon eval --compare`: two reports side by side. It fails if a task is right less often than before. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { cleanLine, isJsonObject, type Paint, jsonIn } from "tenon/internal";
import { count } from "../check/budget.ts";
import { UsageError } from "../failure.ts";
import type { Invocation, Outcome } from "../invocation.ts";
import { percent, type Report } from "./report.ts";

interface Change {
  readonly name: string;
  /** The shares that are right; undefined if the task is not there. */
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** @throws UsageError unless two reports are named */
export async function compareReports({ positionals, shell }: Invocation): Promise<Outcome> {
  const [first, second, ...more] = positionals;
  if (first === undefined || second === undefined || more.length > 0)
    throw new UsageError("--compare takes two reports: tenon eval --compare before.json after.json. They are written with -o.");
  const [before, after] = [await readReport(first, shell.cwd), await readReport(second, shell.cwd)];
  const tasks = changesOf(
    before.tasks,
    after.tasks,
    ({ name }) => name,
    ({ share }) => share,
  );
  const tools = changesOf(
    before.tools,
    after.tools,
    ({ tool }) => tool,
    ({ right, expected }) => right / expected,
  );
  const worse = tasks.filter(({ before: old, after: next }) => old !== undefined && next !== undefined && next < old);
  return {
    json: { ok: worse.length === 0, before: totalsOf(before), after: totalsOf(after), tasks, tools },
    foundFaults: worse.length > 0,
    text: (paint) =>
      [...linesOf("Tasks", tasks, paint), ...linesOf("Tools", tools, paint), `${totalText(before)} → ${totalText(after)}`].join("\n"),
  };
}

/** @throws UsageError if it is not a report */
async function readReport(file: string, cwd: string): Promise<Report> {
  const text = await readFile(resolve(cwd, file), "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read: ${cause.code ?? cause.message}.`, { cause });
  });
  const value = jsonIn(text);
  if (isReport(value)) return value;
  throw new UsageError(`${file} is not a report of tenon eval. Write one with -o ${file}, or with --json.`);
}

function isReport(value: unknown): value is Report {
  if (!isJsonObject(value) || !Array.isArray(value["tasks"]) || !Array.isArray(value["tools"])) return false;
  const { tokens, share, tasks, tools } = value;
  if (!isJsonObject(tokens) || typeof share !== "number") return false;
  return tasks.every((task) => isJsonObject(task) && typeof task["share"] === "number") && tools.every((tool) => isJsonObject(tool));
}

function changesOf<T>(
  before: readonly T[],
  after: readonly T[],
  nameOf: (one: T) => string,
  shareOf: (one: T) => number,
): readonly Change[] {
  const names = new Set([...before, ...after].map(nameOf));
  const share = (list: readonly T[], name: string): number | undefined => {
    const found = list.find((one) => nameOf(one) === name);
    return found === undefined ? undefined : shareOf(found);
  };
  return [...names].map((name) => ({ name, before: share(before, name), after: share(after, name) }));
}

function totalsOf({ model, share, tokens, cost }: Report): object {
  return { model, share, tokens, ...(cost !== undefined && { cost }) };
}

function linesOf(title: string, changes: readonly Change[], paint: Paint): string[] {
  if (changes.length === 0) return [];
  const width = Math.max(...changes.map(({ name }) => cleanLine(name).length));
  return [`${title}:`, ...changes.map((change) => `  ${cleanLine(change.name).padEnd(width)}  ${sharesText(change, paint)}`)];
}

function sharesText({ before, after }: Change, paint: Paint): string {
  if (before === undefined) return `new, ${percent(after ?? 0)}`;
  if (after === undefined) return "gone";
  const text = `${percent(before)} → ${percent(after)}`;
  if (after === before) return text;
  return after > before ? paint("cyan", `${text}  better`) : paint("red", `${text}  worse`);
}

function totalText({ model, share, tokens, cost }: Report): string {
  const dollars = cost === undefined ? "" : `, $${cost.toFixed(4)}`;
  return `${cleanLine(model)} ${percent(share)}, ${count(tokens.input + tokens.output)} tokens${dollars}`;
}
