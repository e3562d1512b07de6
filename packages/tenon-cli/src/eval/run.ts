/** What one run of a task is: the calls of a model, its last text, and what they cost. */
import type { EvalTask } from "tenon/testing";
import type { Call, WatchedTools } from "./watched-tools.ts";

export interface Tokens {
  readonly input: number;
  readonly output: number;
}

export interface Said {
  readonly answer: string;
  readonly tokens: Tokens;
  /** Why there is no answer, or not the whole: a limit, or what failed. */
  readonly failure?: string;
}

/** One run that has ended. */
export interface Run extends Said {
  readonly calls: readonly Call[];
  readonly ms: number;
}

/** Lets a model, a command or a recording do a task with these tools. @throws what ends the whole command */
export type Runner = (task: EvalTask, tools: WatchedTools, run: { readonly number: number; readonly signal: AbortSignal }) => Promise<Said>;

export const NO_TOKENS: Tokens = { input: 0, output: 0 };

export function sumOf(all: readonly Tokens[]): Tokens {
  return all.reduce((sum, { input, output }) => ({ input: sum.input + input, output: sum.output + output }), NO_TOKENS);
}
