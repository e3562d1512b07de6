/** The secrets that handlers of this process have read, by user, so that none leaves the process in what a handler sends. */
import { BoundedMap } from "../base/bounds/bounded-map.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { RequestContext } from "../session/request-context.ts";
import { LOCAL_USER, userIn, userOf } from "../state/owner.ts";
import { cleaner, cleanOutbound, cleanThrown, type Clean } from "./redaction.ts";
import { toBase64 } from "../base/bytes.ts";

/** Users, and secrets of each, that are remembered. The oldest go first. */
const [MAX_USERS, MAX_SECRETS] = [1_000, 100];

export class ReadSecrets {
  /** Of each user the secrets, with the texts in which each can stand. */
  readonly #byUser = new BoundedMap<string, BoundedMap<string, readonly string[]>>(MAX_USERS);

  /** Remembers a secret, and returns it. */
  note(user: string, secret: string): string {
    const secrets = this.#byUser.get(user) ?? new BoundedMap<string, readonly string[]>(MAX_SECRETS);
    this.#byUser.set(user, secrets);
    secrets.set(secret, secrets.get(secret) ?? formsOf(secret));
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

/** Shorter secrets are not looked for, because they are in other texts too. */
const SHORTEST = 6;
const SIX_BITS = 6;

/** The texts to look for, the longest first; none if the secret is too short. */
export function formsOf(secret: string): readonly string[] {
  if (secret.length < SHORTEST) return [];
  const inForm = new URLSearchParams([["", secret]]).toString().slice(1);
  const forms = [secret, percentEncoded(secret), inForm, JSON.stringify(secret).slice(1, -1), ...base64Of(secret)];
  return [...new Set(forms)].toSorted((one, other) => other.length - one.length);
}

function percentEncoded(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    return secret; // half a character has no such form
  }
}

/** Base64 of a longer text has the secret at one of three places among its groups of three bytes. Both alphabets. */
function base64Of(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret);
  return [0, 1, 2].flatMap((before) => {
    const all = new Uint8Array(before + bytes.length);
    all.set(bytes, before);
    // Only the characters that depend on nothing but the secret.
    const whole = toBase64(all).slice(Math.ceil((before * 8) / SIX_BITS), Math.floor((all.length * 8) / SIX_BITS));
    return [whole, whole.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
