/** The users who have to log in at a server first, so that the server is not asked again for each of their lists. */
import { BoundedMap } from "../../base/bounds/bounded-map.ts";
import type { Clock } from "../../base/clock.ts";
import type { McpError } from "../../jsonrpc/mcp-error.ts";
import type { LiveOwner } from "../credentials/caller-auth.ts";

/** Milliseconds after which the server is asked again for a user. */
const LOGIN_PAUSE = 10_000;
/** Most users that are remembered. */
const MAX_WAITING = 1_000;

export class LoginPauses {
  readonly #clock: Clock;
  readonly #waiting = new BoundedMap<string, { readonly error: McpError; readonly until: number }>(MAX_WAITING);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws the error of the last attempt for that user, if it was made a moment ago */
  assertNone(owner: LiveOwner | undefined): void {
    const waiting = owner && this.#waiting.get(owner.principal);
    if (waiting !== undefined && waiting.until > this.#clock.now()) throw waiting.error;
  }

  /** Remembers that a user has to log in. */
  begin(owner: LiveOwner | undefined, error: McpError): void {
    if (owner === undefined) return;
    this.#waiting.set(owner.principal, { error, until: this.#clock.now() + LOGIN_PAUSE });
  }

  /** The login of a user has changed: the server is asked again at once. */
  end(principal: string): void {
    this.#waiting.delete(principal);
  }
}
