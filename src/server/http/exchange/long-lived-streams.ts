/** Counts streams that stay open by design, such as those of `subscriptions/listen` and GET: all of them, and those of each principal. */
import type { RequestId } from "../../../jsonrpc/message.ts";
import type { HttpResponse } from "../http-message.ts";
import { tooMany } from "../refusals.ts";

/** What draining waits for: every `begin` has its `end`. */
interface Activity {
  begin(): void;
  end(): void;
}

/** The limits of the counts. */
interface StreamLimits {
  readonly max: number;
  readonly maxPerPrincipal: number;
}

/** Stops counting a stream. Idempotent. */
export type Release = () => void;

export class LongLivedStreams {
  readonly #limits: StreamLimits;
  readonly #activity: Activity;
  /** By principal; undefined on endpoints without `auth`. */
  readonly #open = new Map<string | undefined, number>();
  #total = 0;

  constructor(limits: StreamLimits, activity: Activity) {
    this.#limits = limits;
    this.#activity = activity;
  }

  /** The refusal of one more stream; undefined if there is room. */
  refuse(principal: string | undefined, id?: RequestId): HttpResponse | undefined {
    const { max, maxPerPrincipal } = this.#limits;
    if (this.#total >= max) return tooMany(503, "streams.max", id);
    if (principal === undefined || (this.#open.get(principal) ?? 0) < maxPerPrincipal) return undefined;
    return tooMany(429, "streams.maxPerPrincipal", id);
  }

  /** Counts a stream. `ends`: whether it ends when the endpoint drains, so that draining waits for it. */
  open(principal: string | undefined, ends = true): Release {
    this.#total++;
    this.#open.set(principal, (this.#open.get(principal) ?? 0) + 1);
    if (ends) this.#activity.begin();
    let counted = true;
    return () => {
      if (!counted) return;
      counted = false;
      this.#total--;
      const left = this.#open.get(principal)! - 1;
      if (left === 0) this.#open.delete(principal);
      else this.#open.set(principal, left);
      if (ends) this.#activity.end();
    };
  }
}
