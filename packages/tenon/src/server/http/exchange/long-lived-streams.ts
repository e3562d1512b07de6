/** Counts streams that stay open by design, such as `subscriptions/listen` and GET: of all clients, and of each client. */
import { Shares } from "../../../base/bounds/shares.ts";
import type { RequestId } from "../../../jsonrpc/message.ts";
import type { HttpResponse } from "../http-message.ts";
import { tooMany } from "../refusals.ts";

/** What draining waits for: every `begin` has its `end`. */
interface Activity {
  begin(): void;
  end(): void;
}

interface StreamLimits {
  readonly max: number;
  readonly maxPerPrincipal: number;
}

/** Stops counting a stream. Called once, when it ends. */
export type Release = () => void;

export class LongLivedStreams {
  readonly #limits: StreamLimits;
  readonly #activity: Activity;
  readonly #shares = new Shares();
  #total = 0;

  constructor(limits: StreamLimits, activity: Activity) {
    this.#limits = limits;
    this.#activity = activity;
  }

  /** The refusal of one more stream; undefined if there is room. `client`: whose share it counts against. */
  refuse(client: string | undefined, id?: RequestId): HttpResponse | undefined {
    const { max, maxPerPrincipal } = this.#limits;
    if (this.#total >= max) return tooMany(503, "streams.max", id);
    return this.#shares.of(client) < maxPerPrincipal ? undefined : tooMany(429, "streams.maxPerPrincipal", id);
  }

  /** Counts a stream. `ends`: whether it ends when the endpoint drains, so that draining waits for it. */
  open(client: string | undefined, ends = true): Release {
    this.#total++;
    this.#shares.add(client);
    if (ends) this.#activity.begin();
    return () => {
      this.#total--;
      this.#shares.remove(client);
      if (ends) this.#activity.end();
    };
  }
}
