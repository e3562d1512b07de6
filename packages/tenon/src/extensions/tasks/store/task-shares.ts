/**
 * How many tasks each client address has begun in this process, for callers without a principal.
 *
 * The store counts the tasks of one owner. A client without a principal can open many sessions,
 * or have no session at all: so its address is counted as well. A task counts until it expires, as in the store, also after it has ended.
 */
import { ErrorCode, LimitExceededError } from "../../../jsonrpc/mcp-error.ts";

export class TaskShares {
  readonly #max: number;
  /** When each task of an address expires, in milliseconds since 1970. */
  readonly #expiries = new Map<string, number[]>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts one more task. Returns how to take that back. @throws LimitExceededError `maxTasksPerPrincipal` */
  take(share: string, expires: number, now: number): () => void {
    if (this.#max === Infinity) return () => undefined;
    const live = (this.#expiries.get(share) ?? []).filter((at) => at > now);
    if (live.length >= this.#max) throw new LimitExceededError("maxTasksPerPrincipal", this.#max, undefined, ErrorCode.InternalError);
    this.#expiries.set(share, [...live, expires]);
    return () => this.#takeBack(share, expires);
  }

  #takeBack(share: string, expires: number): void {
    const others = this.#expiries.get(share) ?? [];
    const at = others.indexOf(expires);
    this.#keep(
      share,
      others.filter((_, index) => index !== at),
    );
  }

  /** Forgets tasks that have expired. */
  forget(now: number): void {
    for (const [share, expiries] of this.#expiries)
      this.#keep(
        share,
        expiries.filter((at) => at > now),
      );
  }

  #keep(share: string, expiries: number[]): void {
    if (expiries.length === 0) this.#expiries.delete(share);
    else this.#expiries.set(share, expiries);
  }
}
