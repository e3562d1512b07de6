/**
 * What a server has shown to the callers with one set of credentials, for as long as they have connections: whether it has sessions, and
 * the attempt to find that out. Another caller's server may be another one: another version, another tenant, or one that refuses.
 */
import type { Lane } from "./lane.ts";

export class Realm {
  /** The connections with these credentials. */
  readonly lanes: Set<Lane> = new Set();
  /** The attempt that shows whether the server has sessions; undefined while there is none, or if it takes too long to wait for it. */
  probing: Promise<unknown> | undefined;
  #isStateless: boolean | undefined;
  /** What clients with other abilities were shown, by their profiles. There are at most as many as connections. */
  readonly #others = new Map<string, boolean>();

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
