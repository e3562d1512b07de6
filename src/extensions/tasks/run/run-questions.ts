/** What the handler of a task asks: put into the record together, and settled by the answers that come to be there. */
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { reviveError } from "../../../protocol/error-revival.ts";
import { MissingClientCapabilityError } from "../../../protocol/errors.ts";
import type { InputRequest } from "../../../protocol/input-required.ts";
import { markOf, capabilitiesFor } from "../../../session/asking/question.ts";
import { hasCapabilities } from "../../../session/client-capabilities.ts";
import { withQuestions, type TaskRecord } from "../store/task-record.ts";

/** Turns of the microtask queue in which questions are still asked together. */
const TURNS = 16;

/** The run whose handler asks. */
export interface AskingRun {
  readonly record: TaskRecord;
  readonly signal: AbortSignal;
  /** A change of this run, which counts as long as the task is this run's. */
  change(change: (record: TaskRecord) => TaskRecord | undefined): Promise<void>;
}

/** A question of the handler that waits for its answer. */
interface Waiting {
  readonly name: string;
  readonly mark: string;
  readonly request: InputRequest;
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (error: unknown) => void;
  asked: boolean;
}

export class RunQuestions {
  readonly #run: AskingRun;
  readonly #waiting = new Set<Waiting>();
  #asksSoon = false;

  constructor(run: AskingRun) {
    this.#run = run;
  }

  /** @param once tells questions apart that are asked again on purpose @throws MissingClientCapabilityError, and what ends the run */
  async ask(name: string, request: InputRequest, once: string): Promise<JsonObject> {
    const { record, signal } = this.#run;
    signal.throwIfAborted();
    const needs = capabilitiesFor(request, true);
    if (!hasCapabilities(record.call.client.capabilities, needs)) throw new MissingClientCapabilityError(needs);
    const mark = `${await markOf(request)}${once}`;
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      this.#waiting.add({ name, mark, request, resolve, reject, asked: false });
      this.settle();
      void this.#askSoon();
    });
  }

  /** Asks what has no answer, together. */
  async #askSoon(): Promise<void> {
    if (this.#asksSoon) return;
    this.#asksSoon = true;
    for (let turn = 0; turn < TURNS; turn++) await Promise.resolve();
    this.#asksSoon = false;
    const fresh = [...this.#waiting].filter(({ asked }) => !asked);
    for (const waiting of fresh) waiting.asked = true;
    try {
      await this.#run.change((record) => {
        const open = (one: Waiting): boolean => record.questions.some(({ name, mark }) => name === one.name && mark === one.mark);
        const questions = fresh.filter((one) => !open(one)).map(({ name, mark, request }) => ({ name, mark, request }));
        return questions.length > 0 ? withQuestions(record, questions) : undefined;
      });
    } catch (error) {
      for (const waiting of fresh) {
        this.#waiting.delete(waiting);
        waiting.reject(error);
      }
    }
  }

  /** Gives the handler the answers that are there. */
  settle(): void {
    const { answers, refusals } = this.#run.record.journal;
    for (const waiting of this.#waiting) {
      const { name, mark, resolve, reject } = waiting;
      const isIts = ([to, what]: readonly [string, string, unknown]): boolean => to === name && what === mark;
      const answer = answers.find(isIts);
      const refusal = refusals.find(isIts);
      if (answer === undefined && refusal === undefined) continue;
      this.#waiting.delete(waiting);
      if (answer !== undefined) resolve(answer[2]);
      else reject(reviveError(refusal![2]));
    }
  }

  /** The run is over: nothing will be answered any more. */
  end(reason: unknown): void {
    for (const { reject } of this.#waiting) reject(reason);
    this.#waiting.clear();
  }
}
