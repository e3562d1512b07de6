/** Answers what a task asks in its state, by the callbacks of the client: each key once, however often it is seen (O8). */
import { LinkedAbort } from "../../../base/abort.ts";
import { ErrorCode, McpError } from "../../../jsonrpc/mcp-error.ts";
import { MissingClientCapabilityError } from "../../../protocol/errors.ts";
import type { InputRequest, InputRequests } from "../../../protocol/input-required.ts";
import { InputRequiredError } from "../../../client/errors.ts";
import { capabilitiesFor } from "../../../session/asking/question.ts";
import type { ClientHost } from "../../../session/extension.ts";
import { hasCapabilities } from "../../../session/client-capabilities.ts";

export interface AnswerOptions {
  readonly taskId: string;
  readonly timeout: number | undefined;
  /** Aborts when nobody waits for the task any more. */
  readonly signal: AbortSignal;
  /** The server has the answer to something. */
  readonly onAnswered: () => void;
  /** A question cannot be answered: that is the end of the wait (H15). */
  readonly onFailed: (error: unknown) => void;
}

export class TaskAnswers {
  readonly #host: ClientHost;
  readonly #options: AnswerOptions;
  /** Keys that were seen: none is used twice in a task. */
  readonly #seen = new Set<string>();
  /** Those that are being answered. */
  readonly #open = new Map<string, LinkedAbort>();

  constructor(host: ClientHost, options: AnswerOptions) {
    this.#host = host;
    this.#options = options;
  }

  /** These are open now: new ones are answered, those that are gone are given up. */
  take(inputRequests: InputRequests): void {
    for (const [key, abort] of this.#open) {
      if (!Object.hasOwn(inputRequests, key)) abort.abort(new McpError(ErrorCode.InvalidRequest, "The task no longer asks"));
    }
    for (const [key, question] of Object.entries(inputRequests)) {
      if (this.#seen.has(key)) continue;
      this.#seen.add(key);
      void this.#answer(key, question, inputRequests);
    }
  }

  async #answer(key: string, question: InputRequest, asked: InputRequests): Promise<void> {
    const { signal, onAnswered, onFailed } = this.#options;
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
      if (closed.signal.aborted) return;
      const { taskId } = this.#options;
      onFailed(new InputRequiredError("tools/call", { taskId, inputRequests: asked }, { cause: error }));
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
