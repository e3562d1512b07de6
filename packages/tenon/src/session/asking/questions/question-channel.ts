/**
 * How a handler's questions reach its client: the interface between `ctx.elicit` and the two families of revisions.
 *
 * `live-question-channel.ts` sends requests; `../rounds/replay-question-channel.ts` ends the round and finds the answers in the next one.
 */
import { McpUsageError } from "../../../jsonrpc/mcp-error.ts";
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { ProgressCallback } from "../../../dispatch/dispatcher.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import type { InputRequest } from "../../../protocol/input-required.ts";
import type { StepWork } from "./asking-context.ts";
import type { Journal } from "./journal.ts";

export interface AskOptions {
  /** Whether the state that is sent with the question can be used once only. */
  readonly once?: boolean | undefined;
  /** Called with the progress of the answer, if the question is a request. */
  readonly onProgress?: ProgressCallback | undefined;
}

export interface QuestionChannel {
  /** The answers and the finished steps so far. Absent in tasks, which keep theirs in a store. */
  readonly journal?: Journal;
  /**
   * Resolves with the answer, which is of the right kind.
   * @throws MissingClientCapabilityError, NoBackChannelError (or rejects) before anything is asked
   */
  ask(name: string, question: InputRequest, options?: AskOptions): Promise<JsonObject>;
  /** @throws McpUsageError inside a step */
  assertMayAsk(): void;
  /** Runs `work` once in the whole call, however often the handler runs. */
  step<T>(name: string, work: StepWork<T>): Promise<T>;
}

/** The first round of a handler that did not return at once: a question can end the round in place of the handler. */
export interface FirstRound {
  readonly running: Promise<JsonObject>;
  /** Sends the result of the round; the handler's own outcome is then ignored. */
  readonly end: (result: MaybePromise<JsonObject>) => void;
}

/** The names that one run of a handler has used: each identifies one question or one step. */
export class UsedNames {
  readonly #used = new Set<string>();

  /** @throws McpUsageError if the name is in use */
  use(kind: "question" | "step", name: string): void {
    const key = `${kind} ${JSON.stringify(name)}`;
    if (this.#used.has(key)) throw new McpUsageError(`The name of ${key} is used twice: give each its own name`);
    this.#used.add(key);
  }
}
