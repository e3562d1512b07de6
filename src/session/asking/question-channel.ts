/**
 * How a handler's questions reach its client: the seam between `ctx.elicit` and the two families of revisions.
 *
 * `live-question-channel.ts` sends requests, `replay-question-channel.ts` ends the round and finds the answers in the next one.
 */
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { InputRequest } from "../../protocol/input-required.ts";
import type { StepWork } from "./asking-context.ts";

export interface QuestionChannel {
  /**
   * Resolves with the answer, of the kind that belongs to the question. `once`: the state that goes out with it counts once.
   * @throws MissingClientCapabilityError, NoBackChannelError (or rejects) before anything is asked
   */
  ask(name: string, question: InputRequest, once?: boolean): Promise<JsonObject>;
  /** @throws McpUsageError where a question would be asked inside a step */
  assertMayAsk(): void;
  /** Runs `work` once in the whole call, however often the handler runs. */
  step<T>(name: string, work: StepWork<T>): Promise<T>;
}

/** The first round of a handler that takes its time, so that a question can end the round in place of the handler. */
export interface FirstRound {
  /** What the handler returned. */
  readonly running: Promise<JsonObject>;
  /** Answers the request, whatever becomes of the handler. */
  readonly end: (result: MaybePromise<JsonObject>) => void;
}

/** The names one run of a handler has used: each stands for one question or one step. */
export class UsedNames {
  readonly #used = new Set<string>();

  /** @throws McpUsageError for a name in use */
  use(kind: "question" | "step", name: string): void {
    const key = `${kind} ${JSON.stringify(name)}`;
    if (this.#used.has(key)) throw new McpUsageError(`There are two of ${key}: each needs a name of its own`);
    this.#used.add(key);
  }
}
