/** The suspended calls of a process: finds the call that a state names, and bounds how many there are. */
import { randomId } from "../base/bytes.ts";
import type { Clock } from "../base/clock.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import type { Settings } from "./options.ts";
import type { CallState, States } from "./states.ts";
import type { SuspendedCall, SuspendedCallHost } from "./suspended-call.ts";

export class SuspendedCalls implements SuspendedCallHost {
  readonly clock: Clock;
  readonly ttl: number;
  readonly #boot: string = randomId();
  readonly #settings: Settings;
  readonly #states: States;
  readonly #calls = new Map<string, SuspendedCall>();

  constructor(settings: Settings, states: States) {
    this.clock = settings.clock;
    this.ttl = settings.stateTtl;
    this.#settings = settings;
    this.#states = states;
  }

  /** @throws McpError -32603 if the call is not in this process, or not any more. It is never sent again */
  find({ boot, call }: CallState & { type: "suspended" }, server: string): SuspendedCall {
    const found = boot === this.#boot ? this.#calls.get(call) : undefined;
    if (found !== undefined) return found;
    const message = `The call to server "${server}" that waited for this answer is gone. It may or may not have had its effect`;
    throw new McpError(ErrorCode.InternalError, message, { server, reason: "suspended_call_lost" });
  }

  keep(call: SuspendedCall): void {
    if (this.#calls.has(call.id)) return;
    const { maxSuspended, maxSuspendedPerPrincipal } = this.#settings.limits;
    if (this.#calls.size >= maxSuspended) throw limitError("maxSuspended", maxSuspended);
    const own = [...this.#calls.values()].filter(({ owner }) => owner === call.owner).length;
    if (own >= maxSuspendedPerPrincipal) throw limitError("maxSuspendedPerPrincipal", maxSuspendedPerPrincipal);
    this.#calls.set(call.id, call);
  }

  forget(call: SuspendedCall): void {
    this.#calls.delete(call.id);
  }

  seal(call: SuspendedCall, round: number): MaybePromise<string> {
    return this.#states.seal({ type: "suspended", boot: this.#boot, call: call.id, round }, call.binding);
  }

  /** Ends all of them. */
  close(): void {
    for (const call of this.#calls.values()) call.abandon("The gateway is closed");
  }
}

export function limitError(limit: string, max: number): McpError {
  return new McpError(ErrorCode.InternalError, `Too many calls wait for answers (limit "${limit}": ${max})`, {
    limit,
    max,
    reason: "limit",
  });
}
