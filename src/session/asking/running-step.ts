/**
 * Which step the code that runs is part of. A question inside a step would wait for the answer, the round for the step,
 * and the answer for the round: it is refused when it is asked, on every revision.
 */
import { createTrackedContext } from "#tracked-context";
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { Asks } from "./asks.ts";

interface RunningStep {
  readonly name: string;
  /** Whose step it is: a step may call tools of others, which ask their own clients. */
  readonly of: Asks;
  readonly outer: RunningStep | undefined;
}

const steps = createTrackedContext<RunningStep>();

/** Runs the work of a step. */
export async function runStep<T>(of: Asks, name: string, work: () => MaybePromise<T>): Promise<T> {
  return steps.run({ name, of, outer: steps.current }, work);
}

/** @throws McpUsageError inside a step of the same handler */
export function assertOutsideStep(of: Asks): void {
  for (let step = steps.current; step !== undefined; step = step.outer) {
    if (step.of !== of) continue;
    const message = `Inside step ${JSON.stringify(step.name)} nothing can be asked: ask before it, and give the answer to the step`;
    throw new McpUsageError(message);
  }
}
