/** The report of `tenon eval`: the share that is right by task and by tool, what was picked in its place, tokens and cost. */
import { cleanLine, type Paint } from "tenon/internal";
import type { EvalPrice, EvalTask } from "tenon/testing";
import { count } from "../check/budget.ts";
import type { Verdict } from "./judge.ts";
import { sumOf, type Run, type Tokens } from "./run.ts";

export interface Judged {
  readonly task: EvalTask;
  readonly runs: readonly { readonly run: Run; readonly verdict: Verdict }[];
  /** The share of runs that must be right. */
  readonly pass: number;
  /** Why its recording proves nothing. */
  readonly stale?: string;
}

/** The report as `--json` and `-o` have it, and `--compare` reads it. */
export interface Report {
  readonly ok: boolean;
  readonly model: string;
  readonly right: number;
  readonly runs: number;
  readonly share: number;
  readonly tokens: Tokens;
  /** Dollars; absent without a price. */
  readonly cost?: number;
  readonly ms: number;
  /** Why the recording proves nothing, for all tasks. */
  readonly stale?: string;
  readonly tasks: readonly TaskReport[];
  readonly tools: readonly ToolReport[];
}

export interface TaskReport {
  readonly name: string;
  readonly ok: boolean;
  readonly right: number;
  readonly runs: number;
  readonly share: number;
  readonly stale?: string;
  readonly tokens: Tokens;
  readonly cost?: number;
  readonly attempts: readonly (Pick<Run, "calls" | "answer" | "tokens" | "ms"> & { readonly faults: readonly string[] })[];
}

export interface ToolReport {
  readonly tool: string;
  /** How often it was expected, and how often it was called rightly then. */
  readonly expected: number;
  readonly right: number;
  /** What was called in its place, and how often. */
  readonly instead: Readonly<Record<string, number>>;
}

export interface Totals {
  readonly model: string;
  readonly price: EvalPrice | undefined;
  readonly ms: number;
  readonly stale: string | undefined;
}

export function reportOf(judged: readonly Judged[], { model, price, ms, stale }: Totals): Report {
  const tasks = judged.map((one) => taskReport(one, price));
  const [right, runs] = [total(tasks, "right"), total(tasks, "runs")];
  const tokens = sumOf(tasks.map((task) => task.tokens));
  const ok = stale === undefined && tasks.every((task) => task.ok);
  return {
    ok,
    model,
    right,
    runs,
    share: shareOf(right, runs),
    tokens,
    ...costOf(tokens, price),
    ms,
    ...(stale !== undefined && { stale }),
    tasks,
    tools: toolReports(judged),
  };
}

function taskReport({ task, runs, pass, stale }: Judged, price: EvalPrice | undefined): TaskReport {
  const right = runs.filter(({ verdict }) => verdict.faults.length === 0).length;
  const tokens = sumOf(runs.map(({ run }) => run.tokens));
  return {
    name: task.name,
    ok: stale === undefined && runs.length > 0 && right >= pass * runs.length,
    right,
    runs: runs.length,
    share: shareOf(right, runs.length),
    ...(stale !== undefined && { stale }),
    tokens,
    ...costOf(tokens, price),
    attempts: runs.map(({ run: { calls, answer, tokens: used, ms }, verdict }) => ({
      faults: verdict.faults,
      calls,
      answer,
      tokens: used,
      ms,
    })),
  };
}

function toolReports(judged: readonly Judged[]): readonly ToolReport[] {
  const tools = new Map<string, { expected: number; right: number; instead: Record<string, number> }>();
  for (const { verdict } of judged.flatMap(({ runs }) => runs))
    for (const { tool, isRight } of verdict.expected) {
      const row = tools.get(tool) ?? { expected: 0, right: 0, instead: {} };
      tools.set(tool, row);
      row.expected += 1;
      if (isRight) row.right += 1;
      else for (const other of verdict.others) row.instead[other] = (row.instead[other] ?? 0) + 1;
    }
  return [...tools].map(([tool, row]) => ({ tool, ...row }));
}

function total(tasks: readonly TaskReport[], member: "right" | "runs"): number {
  return tasks.reduce((sum, task) => sum + task[member], 0);
}

function shareOf(right: number, runs: number): number {
  return runs === 0 ? 0 : Math.round((right / runs) * 1_000) / 1_000;
}

function costOf({ input, output }: Tokens, price: EvalPrice | undefined): { readonly cost?: number } {
  if (price === undefined) return {};
  return { cost: Math.round(input * price.input + output * price.output) / 1_000_000 };
}

// ---- for people ----

/** Most faults of a task that are shown. */
const SHOWN = 3;

export function reportText(report: Report, paint: Paint): string {
  const width = Math.min(
    48,
    Math.max(...[...report.tasks, ...report.tools].map((row) => cleanLine("name" in row ? row.name : row.tool).length)),
  );
  const lines = report.tasks.flatMap((task) => taskLines(task, width, paint));
  const tools = report.tools.map((row) => toolLine(row, width, paint));
  return [...lines, ...(tools.length === 0 ? [] : ["By tool:", ...tools]), ...staleLines(report.stale, paint), closing(report)].join("\n");
}

function taskLines({ name, ok, right, runs, stale, attempts }: TaskReport, width: number, paint: Paint): string[] {
  const head = `${ok ? paint("cyan", "✓") : paint("red", "✗")} ${cleanLine(name).padEnd(width)}  ${right} of ${runs}`;
  const faults = [...new Set(attempts.flatMap((attempt) => attempt.faults))];
  const more = faults.length > SHOWN ? [`    and ${faults.length - SHOWN} more; --json has all`] : [];
  return [head, ...staleLines(stale, paint), ...faults.slice(0, SHOWN).map((fault) => `    ${cleanLine(fault)}`), ...more];
}

function staleLines(stale: string | undefined, paint: Paint): string[] {
  return stale === undefined ? [] : [`${paint("yellow", "stale")}     ${cleanLine(stale)}. Record it again with --record.`];
}

function toolLine({ tool, expected, right, instead }: ToolReport, width: number, paint: Paint): string {
  const others = Object.entries(instead).map(([name, times]) => `${cleanLine(name)} ×${times}`);
  const picked = others.length === 0 ? "" : paint("yellow", `  in its place: ${others.join(", ")}`);
  return `  ${cleanLine(tool).padEnd(width)}  ${right} of ${expected}${picked}`;
}

function closing({ model, right, runs, share, tokens, cost, ms }: Report): string {
  const dollars = cost === undefined ? "" : `, $${cost.toFixed(cost < 0.1 ? 4 : 2)}`;
  const used = tokens.input + tokens.output === 0 ? "" : `; ${count(tokens.input)} tokens read, ${count(tokens.output)} written${dollars}`;
  return `${cleanLine(model)}: ${right} of ${runs} right (${percent(share)})${used}; ${(ms / 1_000).toFixed(1)} s`;
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
