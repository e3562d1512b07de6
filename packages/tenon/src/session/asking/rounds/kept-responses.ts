/**
 * Responses of rounds that ran new steps, for clients that did not receive them and send the request again.
 *
 * Only a convenience: without it such a client gets an error. So it keeps few, small ones, and for a short time. If several processes share
 * a store, the responses are there too, so that the client finds them at any process.
 */
import type { Clock } from "../../../base/clock.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";

const MAX_RESPONSES = 100;
/** Characters of the longest response that is kept. */
const MAX_LENGTH = 65_536;
/** Milliseconds until a response expires. */
const LIFETIME = 60_000;

/** Where the processes of a server find what one of them keeps. */
export interface SharedTexts {
  /** @param share whose share of the room it uses @throws (rejects) what the store throws */
  keep(key: string, text: string, life: { readonly ms: number; readonly share: string }): Promise<void>;
  /** @throws (rejects) what the store throws, and if another process sealed it with a key that this one does not have */
  find(key: string): Promise<string | undefined>;
}

export class KeptResponses {
  readonly #clock: Clock;
  readonly #shared: SharedTexts | undefined;
  readonly #warn: (warning: Error) => void;
  /** Oldest first, as JSON: handlers and middleware cannot change what is kept. */
  readonly #responses = new Map<string, { readonly text: string; readonly until: number }>();

  /** @param shared absent if there is only this process */
  constructor(clock: Clock, shared: SharedTexts | undefined, warn: (warning: Error) => void) {
    this.#clock = clock;
    this.#shared = shared;
    this.#warn = warn;
  }

  /** Never rejects: the round has run, so its client must get the response. */
  async keep(key: string, response: JsonObject, share: string): Promise<void> {
    const text = textOf(response);
    if (text === undefined) return;
    this.#keepHere(key, text);
    try {
      await this.#shared?.keep(key, text, { ms: LIFETIME, share });
    } catch (cause) {
      this.#warn(
        new Error("The response of a round is not kept for other processes: its client gets it once, or from this process", { cause }),
      );
    }
  }

  #keepHere(key: string, text: string): void {
    const now = this.#clock.now();
    this.#responses.set(key, { text, until: now + LIFETIME });
    for (const [oldest, { until }] of this.#responses) {
      if (this.#responses.size <= MAX_RESPONSES && until > now) break;
      this.#responses.delete(oldest);
    }
  }

  /** Undefined if no process has it, or the store cannot be asked. */
  async find(key: string): Promise<JsonObject | undefined> {
    const entry = this.#responses.get(key);
    const text = entry !== undefined && entry.until > this.#clock.now() ? entry.text : await this.#findElsewhere(key);
    return text === undefined ? undefined : (JSON.parse(text) as JsonObject); // the text of an object
  }

  async #findElsewhere(key: string): Promise<string | undefined> {
    try {
      return await this.#shared?.find(key);
    } catch (cause) {
      this.#warn(new Error("The response of an earlier round cannot be read: its client gets an error", { cause }));
      return undefined;
    }
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
