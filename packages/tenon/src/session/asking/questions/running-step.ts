/**
 * The step that the current code is part of. A question inside a step would wait for the answer, the round for the step, and the
 * answer for the round: so it is refused on every revision.
 */
import { createTrackedContext } from "#async-context";
import { McpUsageError } from "../../../jsonrpc/mcp-error.ts";
import type { StepWork } from "./asking-context.ts";
import type { QuestionChannel } from "./question-channel.ts";

interface RunningStep {
  readonly name: string;
  /** The channel of the handler that runs the step: a step may call tools of other servers, which ask their own clients. */
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
    const message = `A question cannot be asked inside step ${JSON.stringify(step.name)}: ask before the step, and pass the answer to it`;
    throw new McpUsageError(message);
  }
}

/** A name in ASCII for headers and columns of other systems; different names stay different. */
export function toAscii(name: string): string {
  return name.replace(/[^\w-]/g, (character) => `~${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
