/** The secrets that handlers of this process have read, by user, so that none leaves the process in what a handler sends. */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { RequestContext } from "../session/request-context.ts";
import { userIn } from "../state/owner.ts";
import { cleaner, cleanOutbound, cleanThrown, type Clean } from "./redaction.ts";

/** Users, and secrets of each, that are remembered. The oldest go first. */
const [MAX_USERS, MAX_SECRETS] = [1_000, 100];

export class ReadSecrets {
  readonly #byUser = new Map<string, Set<string>>();

  /** Remembers a secret, and returns it. */
  note(user: string, secret: string): string {
    const secrets = this.#byUser.get(user) ?? new Set();
    this.#byUser.delete(user);
    this.#byUser.set(user, secrets.add(secret));
    trim(secrets, MAX_SECRETS);
    trim(this.#byUser, MAX_USERS);
    return secret;
  }

  /** Runs a request, and takes the secrets of its user out of its result, its messages and its error. */
  async guard(context: RequestContext, run: () => MaybePromise<JsonObject>): Promise<JsonObject> {
    const clean = (): Clean => cleaner(this.#byUser.get(userIn(context) ?? ""));
    context.outbound = cleanOutbound(context.outbound, clean);
    context.withoutSecrets = (value) => clean()(value);
    try {
      const result = await run();
      return clean()(result);
    } catch (error) {
      throw cleanThrown(error, clean());
    }
  }
}

function trim(kept: Map<string, unknown> | Set<string>, max: number): void {
  for (const key of kept.keys()) {
    if (kept.size <= max) return;
    kept.delete(key);
  }
}
