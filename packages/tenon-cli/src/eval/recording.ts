/**
 * The answers of a model in a file, to be committed: `--record` writes it, and `--replay` runs the tasks with it, without a key.
 *
 * A replay makes the recorded calls on the server again. It proves nothing if the model would see something else now, so that a recording
 * is stale when the tools, a prompt or the instructions differ. Security: values that look like secrets are left out.
 */
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { canonicalJson, isJsonObject, sha256Hex, jsonIn } from "tenon/internal";
import type { JsonObject } from "tenon";
import type { EvalTask } from "tenon/testing";
import { UsageError } from "../failure.ts";
import { Secrets } from "../inspector/target/secrets.ts";
import type { Offered } from "./offered.ts";
import { NO_TOKENS, type Run, type Runner, type Said } from "./run.ts";

/** What is kept of a run. */
interface RecordedRun extends Said {
  readonly calls: readonly { readonly tool: string; readonly arguments: JsonObject; readonly isError?: true }[];
}

export interface EvalRecording {
  readonly evals: 1;
  readonly model: string;
  /** What the model saw of each tool, as a digest. */
  readonly tools: Readonly<Record<string, string>>;
  readonly instructions: string;
  readonly tasks: Readonly<Record<string, { readonly prompt: string; readonly runs: readonly RecordedRun[] }>>;
}

/** What the model sees beside the prompts. */
export type Seen = Pick<EvalRecording, "tools" | "instructions">;

export async function seenOf({ tools, instructions }: Offered, system: string | undefined): Promise<Seen> {
  const digests = [...tools].map(
    async ([name, { description, inputSchema }]) => [name, await digest({ description, inputSchema })] as const,
  );
  return {
    tools: Object.fromEntries((await Promise.all(digests)).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    instructions: await digest(system ?? instructions),
  };
}

async function digest(value: unknown): Promise<string> {
  return (await sha256Hex(new TextEncoder().encode(canonicalJson(value)))).slice(0, 16);
}

export async function writeRecording(
  path: string,
  { model, seen, runs }: { readonly model: string; readonly seen: Seen; readonly runs: ReadonlyMap<EvalTask, readonly Run[]> },
): Promise<void> {
  const tasks = [...runs].map(([{ name, prompt }, all]) => [name, { prompt, runs: all.map(kept) }] as const);
  const recording: EvalRecording = { evals: 1, model, ...seen, tasks: Object.fromEntries(tasks) };
  const secrets = new Secrets();
  secrets.find(recording.tasks);
  await writeFile(path, `${JSON.stringify({ ...recording, tasks: secrets.without(recording.tasks) }, undefined, 2)}\n`);
}

function kept({ calls, answer, tokens, failure }: Run): RecordedRun {
  const all = calls.map(({ tool, arguments: args, isError }) => ({ tool, arguments: args, ...(isError && { isError }) }));
  return { calls: all, answer, tokens, ...(failure !== undefined && { failure }) };
}

/** @throws UsageError if the file cannot be read, or is something else */
export async function readRecording(file: string, cwd: string): Promise<EvalRecording> {
  const text = await readFile(resolve(cwd, file), "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read: ${cause.code ?? cause.message}. Record it first: tenon eval --model … --record ${file}`, {
      cause,
    });
  });
  const value = jsonIn(text);
  if (isRecording(value)) return value;
  throw new UsageError(`${file} is not a recording that this version of tenon wrote. Record it anew with --record ${file}`);
}

function isRecording(value: unknown): value is EvalRecording {
  if (!isJsonObject(value) || value["evals"] !== 1 || typeof value["model"] !== "string") return false;
  const { tools, tasks } = value;
  return isJsonObject(tools) && isJsonObject(tasks) && Object.values(tasks).every(isRecordedTask);
}

function isRecordedTask(task: unknown): boolean {
  if (!isJsonObject(task) || typeof task["prompt"] !== "string" || !Array.isArray(task["runs"])) return false;
  return task["runs"].every(
    (run) => isJsonObject(run) && typeof run["answer"] === "string" && Array.isArray(run["calls"]) && run["calls"].every(isRecordedCall),
  );
}

function isRecordedCall(call: unknown): boolean {
  return isJsonObject(call) && typeof call["tool"] === "string" && isJsonObject(call["arguments"]);
}

/** Why a recording proves nothing any more, for all tasks; undefined if the model would see the same. */
export function staleness(recording: EvalRecording, now: Seen): string | undefined {
  const names = [...new Set([...Object.keys(recording.tools), ...Object.keys(now.tools)])].toSorted();
  const differing = names.filter((name) => recording.tools[name] !== now.tools[name]);
  const shown = differing.map((name) => `${!(name in recording.tools) ? "+" : name in now.tools ? "~" : "-"}${name}`);
  if (shown.length > 0)
    return `the tools differ from those that were recorded: ${shown.slice(0, 10).join(", ")}${shown.length > 10 ? ", …" : ""}`;
  return recording.instructions === now.instructions ? undefined : "the instructions differ from those that were recorded";
}

/** Why the recording of one task proves nothing; undefined if it does. */
export function taskStaleness(recording: EvalRecording, { name, prompt }: EvalTask): string | undefined {
  const recorded = recordedTask(recording, name);
  if (recorded === undefined || recorded.runs.length === 0) return "it was not recorded";
  return recorded.prompt === prompt ? undefined : "its prompt differs from the one that was recorded";
}

function recordedTask({ tasks }: EvalRecording, name: string): EvalRecording["tasks"][string] | undefined {
  return Object.hasOwn(tasks, name) ? tasks[name] : undefined;
}

export function recordedRuns(recording: EvalRecording, { name }: EvalTask): number {
  return recordedTask(recording, name)?.runs.length ?? 0;
}

/** Makes the recorded calls again, and gives the recorded answer. A call that fails now and did not then is a fault. */
export function replayRuns(recording: EvalRecording): Runner {
  return async ({ name }, tools, { number, signal }) => {
    const run = recordedTask(recording, name)?.runs[number];
    if (run === undefined) return { answer: "", tokens: NO_TOKENS, failure: "it was not recorded" };
    const failed: string[] = [];
    for (const { tool, arguments: args, isError } of run.calls) {
      const result = await tools.callTool(tool, args, { signal });
      if (result.isError && isError !== true)
        failed.push(`${tool} fails now, and did not when it was recorded: ${result.text.slice(0, 200)}`);
    }
    const failure = [run.failure, ...failed].filter((text) => text !== undefined).join("; ");
    return { answer: run.answer, tokens: run.tokens ?? NO_TOKENS, ...(failure !== "" && { failure }) };
  };
}
