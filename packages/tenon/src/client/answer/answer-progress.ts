/**
 * The progress of one answer to a request of the server: one notification is written at a time, and the newest one waits.
 *
 * The answer waits for them, because a server drops progress that comes after it.
 */
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { RequestMeta } from "../../protocol/base.ts";
import { progressParams } from "../../session/progress.ts";
import type { QuestionContext } from "./callbacks.ts";

export class AnswerProgress {
  readonly meta: RequestMeta | undefined;
  readonly #send: (params: JsonObject) => MaybePromise<void>;
  #last = -Infinity;
  #waiting: JsonObject | undefined;
  #writing: Promise<void> | undefined;

  /** @param send sends a notification. Never rejects */
  constructor(meta: unknown, send: (params: JsonObject) => MaybePromise<void>) {
    this.meta = isJsonObject(meta) ? meta : undefined; // checked by the codec
    this.#send = send;
  }

  /** Resolves when all that was reported so far is written. */
  get written(): MaybePromise<void> {
    return this.#writing;
  }

  readonly report: QuestionContext<unknown>["progress"] = (progress, total, message) => {
    const params = progressParams(this.meta?.progressToken, { progress, total, message }, this.#last);
    if (params === undefined) return undefined;
    this.#last = progress;
    if (this.#writing !== undefined) this.#waiting = params;
    else {
      const written = this.#send(params);
      if (isPromise(written)) this.#writing = this.#writeRest(written);
    }
    return this.#writing;
  };

  async #writeRest(first: Promise<void>): Promise<void> {
    await first;
    for (let next = this.#waiting; next !== undefined; next = this.#waiting) {
      this.#waiting = undefined;
      await this.#send(next);
    }
    this.#writing = undefined;
  }
}
