/**
 * What the user did with a server, in order: the steps of a recording, ready to be run again.
 *
 * Security: it holds secrets, so it stays in this process. What is exported passes `Secrets` first.
 */
import type { CallEntry, QuestionEntry } from "../entries.ts";
import type { JsonObject } from "tenon";

/** A question that a step asked, and the answer of the user. */
export interface Answered {
  readonly method: QuestionEntry["method"];
  readonly message: string;
  readonly answer: JsonObject;
}

export interface Step {
  readonly op: CallEntry["op"];
  readonly name: string;
  readonly params: JsonObject;
  readonly answers: readonly Answered[];
  readonly result?: JsonObject;
  readonly failure?: { readonly code?: number | string; readonly message: string };
}

/** Most steps of a recording. Later calls are not recorded. */
const MAX_STEPS = 500;

export class Recording {
  readonly revision: string;
  readonly #steps: Step[] = [];
  #answers: Answered[] = [];

  constructor(revision: string) {
    this.revision = revision;
  }

  get steps(): readonly Step[] {
    return this.#steps;
  }

  /** Takes out the step at `index`, with its answers. */
  remove(index: number): void {
    this.#steps.splice(index, 1);
  }

  answered({ method, params }: QuestionEntry, answer: JsonObject): void {
    this.#answers.push({ method, message: typeof params["message"] === "string" ? params["message"] : "", answer });
  }

  /** Adds a call that has ended. A call that was cancelled or pinged is not a step. */
  ended({ op, name, params, state, result, failure }: CallEntry): void {
    const answers = this.#answers;
    this.#answers = [];
    if (this.#steps.length >= MAX_STEPS || state === "cancelled" || op === "ping") return;
    this.#steps.push({ op, name, params, answers, ...(result && { result }), ...(failure && { failure }) });
  }
}
