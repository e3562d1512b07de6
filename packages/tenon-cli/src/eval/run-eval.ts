/** The work of `tenon eval`: runs each task as often as wanted, a few at a time, judges the runs, and reports. */
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { EvalTask } from "tenon/testing";
import { UsageError } from "../failure.ts";
import type { Invocation, Outcome } from "../invocation.ts";
import { askAgent } from "./ask-agent.ts";
import { countOf, evalsFileOf, readEvals, type Evals } from "./evals-file.ts";
import { judge } from "./judge.ts";
import { askModel, modelFor } from "./model-for.ts";
import { withOffered, type Offered } from "./offered.ts";
import {
  readRecording,
  recordedRuns,
  replayRuns,
  seenOf,
  staleness,
  taskStaleness,
  writeRecording,
  type EvalRecording,
} from "./recording.ts";
import { reportOf, reportText, type Judged } from "./report.ts";
import type { Run, Runner } from "./run.ts";
import { WatchedTools } from "./watched-tools.ts";

/** Runs at the same time, unless `--concurrency` is given. */
const CONCURRENCY = 4;

export async function runEval(invocation: Invocation): Promise<Outcome> {
  const { values, shell } = invocation;
  const { file, rest } = evalsFileOf(invocation);
  assertFitting(invocation);
  const recording = values.replay === undefined ? undefined : await readRecording(values.replay, shell.cwd);
  const concurrency = countOf(values, "concurrency") ?? CONCURRENCY;
  const evals = await readEvals(file, invocation);
  return withOffered(evals, rest, invocation, async (offered) => {
    const began = performance.now();
    const { model, runner } = runnerFor(evals, { recording, offered, invocation });
    const runs = await runAll({ evals, offered, runner, recording, concurrency, invocation });
    const offer = await seenOf(offered, evals.system);
    if (values.record !== undefined) await writeRecording(resolve(shell.cwd, values.record), { model, seen: offer, runs });
    const judged = await judgeAll(evals, runs, recording);
    const stale = recording && staleness(recording, offer);
    const report = reportOf(judged, { model, price: evals.prices?.[model], ms: Math.round(performance.now() - began), stale });
    if (values.output !== undefined) await writeFile(resolve(shell.cwd, values.output), `${JSON.stringify(report, undefined, 2)}\n`);
    return { json: report, foundFaults: !report.ok, text: (paint) => reportText(report, paint) };
  });
}

/** @throws UsageError if two options exclude each other */
function assertFitting({ values }: Invocation): void {
  const sources = (["model", "agent", "replay"] as const).filter((name) => values[name] !== undefined);
  if (sources.length > 1) throw new UsageError(`--${sources[0]} and --${sources[1]} exclude each other.`);
  if (values.replay !== undefined && values.record !== undefined) throw new UsageError("--replay and --record exclude each other.");
  if (values.replay !== undefined && values.runs !== undefined)
    throw new UsageError("--runs goes with --record: a replay has as many runs as were recorded.");
}

interface Parts {
  readonly recording: EvalRecording | undefined;
  readonly offered: Offered;
  readonly invocation: Invocation;
}

function runnerFor(evals: Evals, { recording, offered, invocation }: Parts): { readonly model: string; readonly runner: Runner } {
  const { values, shell } = invocation;
  if (recording !== undefined) return { model: recording.model, runner: replayRuns(recording) };
  if (values.agent !== undefined) return { model: values.agent, runner: askAgent(values.agent, evals, shell) };
  const { name, open } = modelFor(values.model ?? evals.model, evals, { system: evals.system ?? offered.instructions, env: shell.env });
  return { model: name, runner: askModel(open, evals) };
}

interface Work extends Parts {
  readonly evals: Evals;
  readonly runner: Runner;
  readonly concurrency: number;
}

/** All runs of all tasks, in the order of the file. */
async function runAll({
  evals,
  offered,
  runner,
  recording,
  concurrency,
  invocation,
}: Work): Promise<ReadonlyMap<EvalTask, readonly Run[]>> {
  const { signal, terminal } = invocation;
  const runsOf = (task: EvalTask): number => (recording === undefined ? evals.runs : recordedRuns(recording, task));
  const all = evals.tasks.flatMap((task) => Array.from({ length: runsOf(task) }, (_, number) => ({ task, number })));
  const done = new Map<EvalTask, Run[]>(evals.tasks.map((task) => [task, []]));
  let [next, ended] = [0, 0];
  const work = async (): Promise<void> => {
    for (let job = all[next++]; job !== undefined; job = all[next++]) {
      signal.throwIfAborted();
      const { task, number } = job;
      done.get(task)![number] = await runOnce(task, number, { evals, offered, runner, signal });
      terminal.activity(`${++ended} of ${all.length} runs: ${task.name}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, all.length) }, work));
  terminal.clearProgress();
  return done;
}

async function runOnce(
  task: EvalTask,
  number: number,
  { evals, offered, runner, signal }: Pick<Work, "evals" | "offered" | "runner"> & { readonly signal: AbortSignal },
): Promise<Run> {
  const began = performance.now();
  const tools = new WatchedTools(offered, evals);
  const reply = await runner(task, tools, { number, signal });
  return { ...reply, calls: tools.calls, ms: Math.round(performance.now() - began) };
}

async function judgeAll(
  evals: Evals,
  runs: ReadonlyMap<EvalTask, readonly Run[]>,
  recording: EvalRecording | undefined,
): Promise<readonly Judged[]> {
  return Promise.all(
    evals.tasks.map(async (task) => {
      const stale = recording && taskStaleness(recording, task);
      const judged = (runs.get(task) ?? []).map(async (run) => ({ run, verdict: await judge(task, run) }));
      return { task, runs: await Promise.all(judged), pass: task.pass ?? evals.pass, ...(stale !== undefined && { stale }) };
    }),
  );
}
