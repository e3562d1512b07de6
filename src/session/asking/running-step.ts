/**
 * Which step the code that runs is part of. A question inside a step would wait for the answer, the round for the step,
 * and the answer for the round: it is refused when it is asked, on every revision.
 */
import { createTrackedContext } from "#async-context";
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { StepWork } from "./asking-context.ts";
import type { QuestionChannel } from "./question-channel.ts";

interface RunningStep {
  readonly name: string;
  /** Whose step it is: a step may call tools of others, which ask their own clients. */
  readonly of: QuestionChannel;
  readonly outer: RunningStep | undefined;
}

const steps = createTrackedContext<RunningStep>();

/** Runs the work of a step. @param call the id of the call, which its client does not know */
export async function runStep<T>({ of, name, call }: { of: QuestionChannel; name: string; call: string }, work: StepWork<T>): Promise<T> {
  return steps.run({ name, of, outer: steps.current }, () => work({ key: `${call}-${toAscii(name)}` }));
}

/** @throws McpUsageError inside a step of the same handler */
export function assertOutsideStep(of: QuestionChannel): void {
  for (let step = steps.current; step !== undefined; step = step.outer) {
    if (step.of !== of) continue;
    const message = `Inside step ${JSON.stringify(step.name)} nothing can be asked: ask before it, and give the answer to the step`;
    throw new McpUsageError(message);
  }
}

/** A name for headers and columns of other systems, still another one for each name. */
function toAscii(name: string): string {
  return name.replace(/[^\w-]/g, (character) => `~${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
