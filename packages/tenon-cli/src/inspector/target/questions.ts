/** The questions of servers, which wait until the user has answered them on the page. */
import { LimitExceededError } from "tenon/client";
import { isJsonObject } from "tenon/internal";
import type { JsonObject } from "tenon";
import type { QuestionEntry } from "../entries.ts";
import type { Journal } from "../server/journal.ts";
import { OperationError } from "./failure.ts";

/** Most questions that wait at the same time. */
const MAX_OPEN = 100;

interface Open {
  readonly entry: QuestionEntry;
  /** Aborts when the question does not wait any more. */
  readonly closed: AbortController;
  readonly resolve: (answer: JsonObject) => void;
}

export class Questions {
  readonly #journal: Journal;
  readonly #open = new Map<number, Open>();
  #last = 0;
  /** Called with each question and its answer, for a recording. */
  onAnswer: ((question: QuestionEntry, answer: JsonObject) => void) | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** The schema of the form of an open question; undefined if it has no form. */
  schemaOf(question: number): JsonObject | undefined {
    const schema = this.#open.get(question)?.entry.params["requestedSchema"];
    return isJsonObject(schema) ? schema : undefined;
  }

  /** The params of an open question to a model, and a signal that aborts when it is answered or gone. @throws OperationError */
  sampling(question: number): { readonly params: JsonObject; readonly closed: AbortSignal } {
    const open = this.#open.get(question);
    if (open?.entry.method !== "sampling/createMessage") throw new OperationError("No question to a model waits with this number");
    return { params: open.entry.params, closed: open.closed.signal };
  }

  /** Shows a question, and resolves with the answer of the user. @throws `signal.reason` */
  ask(target: number, method: QuestionEntry["method"], params: object, signal: AbortSignal): Promise<JsonObject> {
    if (this.#open.size >= MAX_OPEN) throw new LimitExceededError("open questions", MAX_OPEN);
    const question = ++this.#last;
    const entry: QuestionEntry = { kind: "question", question, target, method, params: { ...params }, state: "open" };
    this.#journal.add(entry, `question:${question}`);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#close(question, { ...entry, state: "gone" });
        reject(signal.reason as Error);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      const answered = (answer: JsonObject): void => {
        signal.removeEventListener("abort", onAbort);
        this.#close(question, { ...entry, state: "answered", answer });
        this.onAnswer?.(entry, answer);
        resolve(answer);
      };
      this.#open.set(question, { entry, closed: new AbortController(), resolve: answered });
      if (signal.aborted) onAbort();
    });
  }

  /** @throws OperationError if the question is answered already, or is gone */
  answer(question: number, answer: JsonObject): void {
    const open = this.#open.get(question);
    if (open === undefined) throw new OperationError("This question does not wait for an answer any more");
    open.resolve(answer);
  }

  #close(question: number, entry: QuestionEntry): void {
    this.#open.get(question)?.closed.abort();
    this.#open.delete(question);
    this.#journal.add(entry, `question:${question}`);
  }
}
