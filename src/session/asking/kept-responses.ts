/**
 * Responses of rounds that ran new steps, for clients that did not receive them and send the request again.
 *
 * Only a convenience: without it such a client gets an error. So it keeps few, small ones, and for a short time.
 */
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";

const MAX_RESPONSES = 100;
/** Characters of the longest response that is kept. */
const MAX_LENGTH = 65_536;
/** Milliseconds until a response expires. */
const LIFETIME = 60_000;

export class KeptResponses {
  readonly #clock: Clock;
  /** Oldest first, as JSON: handlers and middleware cannot change what is kept. */
  readonly #responses = new Map<string, { readonly text: string; readonly until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  keep(key: string, response: JsonObject): void {
    const text = textOf(response);
    if (text === undefined) return;
    const now = this.#clock.now();
    this.#responses.set(key, { text, until: now + LIFETIME });
    for (const [oldest, { until }] of this.#responses) {
      if (this.#responses.size <= MAX_RESPONSES && until > now) break;
      this.#responses.delete(oldest);
    }
  }

  find(key: string): JsonObject | undefined {
    const kept = this.#responses.get(key);
    if (kept === undefined || kept.until <= this.#clock.now()) return undefined;
    return JSON.parse(kept.text) as JsonObject; // the text of an object
  }
}

/** Undefined if the result has no JSON form, which fails the call elsewhere, or is too long. */
function textOf(response: JsonObject): string | undefined {
  try {
    const text = JSON.stringify(response);
    return text.length <= MAX_LENGTH ? text : undefined;
  } catch {
    return undefined;
  }
}
