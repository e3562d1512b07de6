/** The questions of a running task: stored in the record together, and resolved by the answers that the record gets. */
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { reviveError } from "../../../protocol/error-revival.ts";
import { MissingClientCapabilityError } from "../../../protocol/errors.ts";
import type { InputRequest } from "../../../protocol/input-required.ts";
import { markOf, capabilitiesFor } from "../../../session/asking/questions/question.ts";
import { hasCapabilities } from "../../../session/client-capabilities.ts";
import { withQuestions, type TaskRecord } from "../store/task-record.ts";

/** Turns of the microtask queue within which questions are stored together. */
const TURNS = 16;

/** The run whose handler asks the questions. */
export interface AskingRun {
  readonly record: TaskRecord;
  readonly signal: AbortSignal;
  /** Changes the record, if the task still belongs to this run. */
  change(change: (record: TaskRecord) => TaskRecord | undefined): Promise<void>;
}

interface PendingQuestion {
  readonly name: string;
  readonly mark: string;
  readonly request: InputRequest;
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (error: unknown) => void;
  asked: boolean;
}

export class RunQuestions {
  readonly #run: AskingRun;
  readonly #waiting = new Set<PendingQuestion>();
  #asksSoon = false;

  constructor(run: AskingRun) {
    this.#run = run;
  }

  /**
   * @param once distinguishes questions that are repeated on purpose @throws MissingClientCapabilityError, or the reason that ends the
   * run
   */
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

  /** Stores the unanswered questions together, after a few turns. */
  async #askSoon(): Promise<void> {
    if (this.#asksSoon) return;
    this.#asksSoon = true;
    for (let turn = 0; turn < TURNS; turn++) await Promise.resolve();
    this.#asksSoon = false;
    const fresh = [...this.#waiting].filter(({ asked }) => !asked);
    for (const waiting of fresh) waiting.asked = true;
    try {
      await this.#run.change((record) => {
        const open = (one: PendingQuestion): boolean => record.questions.some(({ name, mark }) => name === one.name && mark === one.mark);
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

  /** Resolves the questions that have answers in the record. */
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

  end(reason: unknown): void {
    for (const { reject } of this.#waiting) reject(reason);
    this.#waiting.clear();
  }
}
