/** Answers the questions in a task's state with the client's callbacks: each key once, however often it appears. */
import { LinkedAbort } from "../../../base/abort.ts";
import { ErrorCode, LimitExceededError, McpError } from "../../../jsonrpc/mcp-error.ts";
import { MissingClientCapabilityError } from "../../../protocol/errors.ts";
import type { InputRequest, InputRequests } from "../../../protocol/input-required.ts";
import { InputRequiredError } from "../../../client/errors.ts";
import { capabilitiesFor } from "../../../session/asking/questions/question.ts";
import type { ClientHost } from "../../../session/extension.ts";
import { hasCapabilities } from "../../../session/client-capabilities.ts";

export interface AnswerOptions {
  readonly taskId: string;
  readonly timeout: number | undefined;
  /** Aborts when the client stops waiting for the task. */
  readonly signal: AbortSignal;
  /** Called when the server has received an answer. */
  readonly onAnswered: () => void;
  /** Called if a question cannot be answered. The wait then ends. */
  readonly onFailed: (error: unknown) => void;
}

/** Questions that one task may ask. A task that asks more is one that asks for ever. */
const MAX_QUESTIONS = 1_000;

export class TaskAnswers {
  readonly #host: ClientHost;
  readonly #options: AnswerOptions;
  /** Keys that were handled. A task uses each key once. */
  readonly #seen = new Set<string>();
  /** Questions that are being answered. */
  readonly #open = new Map<string, LinkedAbort>();

  constructor(host: ClientHost, options: AnswerOptions) {
    this.#host = host;
    this.#options = options;
  }

  /** Takes the open questions: answers new ones, and cancels those that are no longer open. */
  take(inputRequests: InputRequests): void {
    for (const [key, abort] of this.#open) {
      if (!Object.hasOwn(inputRequests, key)) abort.abort(new McpError(ErrorCode.InvalidRequest, "The task no longer asks"));
    }
    const questions = Object.entries(inputRequests).filter(([key]) => !this.#seen.has(key));
    const exceeded = this.#exceeded(questions.length);
    if (exceeded !== undefined) return this.#fail(inputRequests, exceeded);
    for (const [key, question] of questions) {
      this.#seen.add(key);
      void this.#answer(key, question, inputRequests);
    }
  }

  /** The limit that so many more questions exceed; then none of them is asked. */
  #exceeded(more: number): LimitExceededError | undefined {
    const { maxInFlight } = this.#host;
    const open = this.#open.size + more;
    if (more > 0 && open > maxInFlight) return new LimitExceededError("limits.maxInFlight", maxInFlight, open);
    const all = this.#seen.size + more;
    return all > MAX_QUESTIONS ? new LimitExceededError("questions", MAX_QUESTIONS, all) : undefined;
  }

  #fail(inputRequests: InputRequests, cause: unknown): void {
    const { taskId, onFailed } = this.#options;
    onFailed(new InputRequiredError("tools/call", { taskId, inputRequests }, { cause }));
  }

  async #answer(key: string, question: InputRequest, asked: InputRequests): Promise<void> {
    const { signal, onAnswered } = this.#options;
    const closed = new LinkedAbort(signal);
    this.#open.set(key, closed);
    try {
      const needs = capabilitiesFor(question, false);
      if (!hasCapabilities(this.#host.identity.capabilities, needs)) throw new MissingClientCapabilityError(needs);
      const response = await this.#host.answer(question, { requestId: key, signal: closed.signal });
      if (closed.signal.aborted) return;
      await this.#send(key, response);
      onAnswered();
    } catch (error) {
      if (!closed.signal.aborted) this.#fail(asked, error);
    } finally {
      closed.unlink();
      this.#open.delete(key);
    }
  }

  async #send(key: string, response: unknown): Promise<void> {
    const { taskId, timeout, signal } = this.#options;
    const params = { taskId, inputResponses: { [key]: response } };
    await this.#host.request("tasks/update", params, { signal, ...(timeout !== undefined && { timeout }) });
  }
}
