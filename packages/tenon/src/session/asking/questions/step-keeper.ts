/** Keeps the finished steps of a call longer than the call: another call of the same key then does not run them again. */
import type { Step, StepWork } from "./asking-context.ts";

/** A call whose steps may be kept. */
export interface KeptCall {
  /** Absent unless the tool says so. */
  readonly stepKeeper?: StepKeeper | undefined;
}

export interface StepKeeper {
  /** Runs the work of a step that the call itself has not run, or returns what an earlier run of the same key returned. */
  step<T>(name: string, step: Step, work: StepWork<T>): Promise<T>;
}
