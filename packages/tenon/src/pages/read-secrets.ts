/** The secrets that handlers of this process have read, by user, so that none leaves the process in what a handler sends. */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { RequestContext } from "../session/request-context.ts";
import { LOCAL_USER, userIn, userOf } from "../state/owner.ts";
import { cleaner, cleanOutbound, cleanThrown, type Clean } from "./redaction.ts";
import { formsOf } from "./secret-forms.ts";

/** Users, and secrets of each, that are remembered. The oldest go first. */
const [MAX_USERS, MAX_SECRETS] = [1_000, 100];

export class ReadSecrets {
  /** Of each user the secrets, with the texts in which each can stand. */
  readonly #byUser = new Map<string, Map<string, readonly string[]>>();

  /** Remembers a secret, and returns it. */
  note(user: string, secret: string): string {
    const secrets = this.#byUser.get(user) ?? new Map<string, readonly string[]>();
    this.#byUser.delete(user);
    this.#byUser.set(user, secrets.set(secret, secrets.get(secret) ?? formsOf(secret)));
    trim(secrets, MAX_SECRETS);
    trim(this.#byUser, MAX_USERS);
    return secret;
  }

  /** Runs a request, and takes the secrets of its user out of its result, its messages and its error. */
  async guard(context: RequestContext, run: () => MaybePromise<JsonObject>): Promise<JsonObject> {
    const clean = (): Clean => this.#cleanerOf(userIn(context));
    context.outbound = cleanOutbound(context.outbound, clean);
    try {
      const result = await run();
      return clean()(result);
    } catch (error) {
      throw cleanThrown(error, clean());
    }
  }

  /** Takes the secrets of a user out of what is kept or sent after a request. */
  clean<T>(value: T, principal: string | undefined): T {
    const clean = this.#cleanerOf(principal === undefined ? LOCAL_USER : userOf(principal));
    return cleanThrown(value, clean) as T; // the same, or JSON with other texts
  }

  #cleanerOf(user: string | undefined): Clean {
    return cleaner(user === undefined ? undefined : this.#byUser.get(user)?.values());
  }
}

function trim(kept: Map<string, unknown>, max: number): void {
  for (const key of kept.keys()) {
    if (kept.size <= max) return;
    kept.delete(key);
  }
}
