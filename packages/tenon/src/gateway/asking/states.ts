/**
 * The sealed texts that clients without a session carry between the rounds of a call.
 *
 * A text is bound to the principal and to the call: with another name or other arguments it does not open. The client gets one error for
 * every reason.
 */
import { workerHost } from "../../base/worker-host.ts";
import { wallNow, type Clock } from "../../base/clock.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { canonicalExactJson } from "../../jsonrpc/exact-numbers.ts";
import { isJsonObject } from "../../jsonrpc/message.ts";
import { KeyRing } from "../../session/asking/rounds/key-ring.ts";
import type { SealingKey } from "../../session/asking/options.ts";
import { invalidStateError, isSealed } from "../../session/asking/rounds/request-states.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { LoginLink } from "../login/login-seals.ts";

/**
 * What a state says: `passed` holds the state of a stateless server, and names the server; `again` makes the call anew, because the server refused it before it
 * did anything; `login` waits for the user's login at a server; `suspended` names the call that waits in the process `boot`, the number of this
 * process as a node if nodes share stores, and the round that the client answers.
 */
export type CallState =
  | { readonly type: "passed"; readonly state: string | undefined; readonly server: string }
  | { readonly type: "again" }
  | { readonly type: "login"; readonly link: LoginLink; readonly rounds: number }
  | SuspendedState;

/** See {@link CallState}. */
export interface SuspendedState {
  readonly type: "suspended";
  readonly boot: string;
  readonly node?: number;
  readonly call: string;
  readonly round: number;
  readonly server: string;
  /** The name or URI at the server. */
  readonly id: string;
}

interface StateServices {
  readonly keys: readonly SealingKey[] | undefined;
  readonly audience: string;
  readonly ttl: number;
  readonly clock: Clock;
}

/** Characters of the longest state that is opened. */
export const MAX_STATE_LENGTH: number = 2 ** 20;

export class States {
  readonly #services: StateServices;
  #ring: KeyRing | undefined;

  constructor(services: StateServices) {
    this.#services = services;
  }

  /** A random key is made at its first use: some runtimes have no randomness while modules load. */
  get #keys(): KeyRing {
    const { keys = [workerHost()?.key ?? crypto.getRandomValues(new Uint8Array(32))], audience } = this.#services;
    return (this.#ring ??= new KeyRing(keys, `mcp-gateway-state/v1/${audience}`));
  }

  seal(state: CallState, binding: string): MaybePromise<string> {
    const { clock, ttl } = this.#services;
    return this.#keys.seal(JSON.stringify({ ...state, expires: wallNow(clock) + ttl }), binding);
  }

  /** @throws McpError -32602, the same for every fault */
  async open(text: string, binding: string): Promise<CallState> {
    try {
      if (text.length > MAX_STATE_LENGTH || !isSealed(text)) throw new Error("Not a state of this gateway");
      const state: unknown = JSON.parse(await this.#keys.open(text, binding));
      if (!isJsonObject(state) || !((state["expires"] as number) > wallNow(this.#services.clock))) throw new Error("Expired");
      return state as unknown as CallState; // authentic: a gateway with the key wrote it
    } catch (error) {
      throw invalidStateError(error);
    }
  }
}

export function bindingOf({ principal, method, params }: RequestContext): string {
  const { _meta, inputResponses: _inputResponses, requestState: _requestState, ...rest } = params;
  return `${JSON.stringify(principal ?? null)}\n${method}\n${canonicalExactJson(rest)}`;
}
