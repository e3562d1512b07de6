/**
 * What a server has shown to the callers with one set of credentials, for as long as they have connections: whether it has sessions, and
 * the attempts to find that out. Another caller's server may be another one: another version, another tenant, or one that refuses.
 */
import type { Lane } from "./lane.ts";

export class Realm {
  readonly lanes: Set<Lane> = new Set();
  /** The attempts that show whether the server has sessions, by whose they are. One that takes too long to wait for is not here. */
  readonly #attempts = new Map<string | undefined, Promise<unknown>>();
  #isStateless: boolean | undefined;
  /** What clients with other abilities were shown, by their profiles. There are at most as many as connections. */
  readonly #others = new Map<string, boolean>();

  /** An attempt of the same holder; with `ofAny` also the first one of another. Undefined if there is none to wait for. */
  attemptFor(holder: string | undefined, ofAny: boolean): Promise<unknown> | undefined {
    const own = this.#attempts.get(holder);
    return own === undefined && ofAny ? this.#attempts.values().next().value : own;
  }

  begun(holder: string | undefined, attempt: Promise<unknown>): void {
    this.#attempts.set(holder, attempt);
  }

  /** No caller waits for that attempt any more. */
  forget(attempt: Promise<unknown>): void {
    for (const [holder, one] of this.#attempts) if (one === attempt) this.#attempts.delete(holder);
  }

  /** Whether clients of that profile speak to a server without sessions; undefined before one has connected. */
  isStatelessFor(profile: string): boolean | undefined {
    return this.#others.get(profile) ?? this.#isStateless;
  }

  /** A connection of that profile has shown it. */
  learn(profile: string, isStateless: boolean): void {
    this.#isStateless ??= isStateless;
    if (this.#isStateless === isStateless) this.#others.delete(profile);
    else this.#others.set(profile, isStateless);
  }
}
