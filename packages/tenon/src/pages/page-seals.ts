/**
 * The sealed texts of a page: the link that a caller gets, and the cookie that binds one browser to one page. Nothing is stored for them.
 *
 * Any node with the same keys opens them. A text that does not open, or has expired, is undefined: there is one answer for every fault.
 */
import { wallNow, type Clock } from "../base/clock.ts";
import { isJsonObject } from "../jsonrpc/message.ts";
import type { SealingKey } from "../session/asking/options.ts";
import { KeyRing } from "../session/asking/rounds/key-ring.ts";
import { isSealed } from "../session/asking/rounds/request-states.ts";

/** Milliseconds that a user has from the link to the end, and that a browser has for one step. */
export const PAGE_TTL = 600_000;
/** Characters of the longest text that is opened. */
const MAX_LENGTH = 8_192;

export interface PageSealing {
  /** The keys; undefined for a random one, which no other process has. */
  readonly keys: readonly SealingKey[] | undefined;
  /** What is sealed, and for which server: texts sealed for another purpose do not open. */
  readonly purpose: string;
  readonly clock: Clock;
  /** Milliseconds that a text can be opened. Default {@link PAGE_TTL}. */
  readonly ttl?: number;
}

export class PageSeals<Link, State> {
  readonly #sealing: PageSealing;
  #made: KeyRing | undefined;

  constructor(sealing: PageSealing) {
    this.#sealing = sealing;
  }

  /** A random key is made at its first use: some runtimes have no randomness while modules load. */
  get #ring(): KeyRing {
    const { keys, purpose } = this.#sealing;
    return (this.#made ??= new KeyRing(keys ?? [crypto.getRandomValues(new Uint8Array(32))], purpose));
  }

  sealLink(link: Link): Promise<string> {
    return this.#seal("link", link);
  }

  openLink(text: string): Promise<Link | undefined> {
    return this.#open<Link>("link", text);
  }

  sealState(state: State): Promise<string> {
    return this.#seal("cookie", state);
  }

  openState(text: string): Promise<State | undefined> {
    return this.#open<State>("cookie", text);
  }

  async #seal(binding: string, value: Link | State): Promise<string> {
    const { clock, ttl = PAGE_TTL } = this.#sealing;
    return this.#ring.seal(JSON.stringify({ value, expires: wallNow(clock) + ttl }), binding);
  }

  async #open<T>(binding: string, text: string): Promise<T | undefined> {
    if (text.length > MAX_LENGTH || !isSealed(text)) return undefined;
    try {
      const opened: unknown = JSON.parse(await this.#ring.open(text, binding));
      if (!isJsonObject(opened) || !((opened["expires"] as number) > wallNow(this.#sealing.clock))) return undefined;
      return opened["value"] as T; // authentic: a server with the key wrote it
    } catch {
      return undefined;
    }
  }
}
