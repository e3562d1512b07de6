/** Drafts of answers to sampling questions, by the model that the command line names. The user sees each draft, and sends it or not. */
import type { JsonObject } from "tenon";
import { OperationError } from "./failure.ts";
import type { Questions } from "./questions.ts";

/** Milliseconds for one draft. */
const DRAFT_MS = 120_000;

export interface InspectorModel {
  /** Its name for people. */
  readonly name: string;
  /** Answers the params of `sampling/createMessage` with a result of it. @throws Error that says why not */
  sample(params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
}

export class ModelDrafts {
  readonly #model: InspectorModel | undefined;
  readonly #questions: Questions;
  readonly #running = new Set<number>();

  constructor(model: InspectorModel | undefined, questions: Questions) {
    this.#model = model;
    this.#questions = questions;
  }

  /** The model's name; undefined if all questions are answered by hand. */
  get name(): string | undefined {
    return this.#model?.name;
  }

  /** The answer of the model to an open question. Nothing is sent to the server. @throws OperationError */
  async draft(question: number): Promise<JsonObject> {
    const model = this.#model;
    if (model === undefined) throw new OperationError("No model is configured: start the command with --model");
    const { params, closed } = this.#questions.sampling(question);
    if (this.#running.has(question)) throw new OperationError("The model answers this question already");
    this.#running.add(question);
    const stop = new AbortController();
    const end = (): void => stop.abort(new OperationError("The question does not wait any more"));
    const timer = setTimeout(() => stop.abort(new OperationError(`${model.name} did not answer within ${DRAFT_MS} ms`)), DRAFT_MS);
    closed.addEventListener("abort", end, { once: true });
    try {
      return await model.sample(params, stop.signal);
    } catch (error) {
      if (stop.signal.aborted) throw stop.signal.reason;
      throw new OperationError(`${model.name}: ${messageOf(error)}`);
    } finally {
      clearTimeout(timer);
      closed.removeEventListener("abort", end);
      this.#running.delete(question);
    }
  }
}

/** With its cause, because `fetch` says only "fetch failed". */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
