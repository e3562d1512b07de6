/**
 * Bounds what calls that have ended keep for their clients: each result, those of one caller, and all of them together.
 *
 * A client without a session may ask for the result of its call long after the call has ended. It knows no other way to it, so a result that
 * no client has got yet is never dropped for another one. One that was sent is kept only in case the response was lost: it makes room for
 * others of its caller.
 */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { GatewayLimits } from "../options.ts";
import { CallerRoom } from "./caller-room.ts";

/** A call that keeps its result. */
interface EndedCall {
  readonly owner: string;
  readonly place: { readonly name: string };
  /** Whether its client has got the result. */
  readonly isSent: boolean;
}

export class KeptResults<Call extends EndedCall> {
  readonly #limits: Pick<GatewayLimits, "maxKeptResult" | "maxKeptTotal">;
  readonly #forget: (call: Call) => void;
  readonly #sizes = new Map<Call, number>();
  readonly #room: CallerRoom;

  /** @param forget forgets a call whose result was sent */
  constructor(limits: Pick<GatewayLimits, "maxKeptResult" | "maxKeptTotal">, forget: (call: Call) => void) {
    this.#limits = limits;
    this.#forget = forget;
    this.#room = new CallerRoom(limits.maxKeptTotal);
  }

  /** Counts what a call has ended with, a result or an error. @throws McpError -32603 if it is too large to be kept */
  add(call: Call, ended: unknown): void {
    const size = sizeOf(ended);
    const { maxKeptResult, maxKeptTotal } = this.#limits;
    if (size > maxKeptResult) throw tooLargeError(call, size, "maxKeptResult", maxKeptResult);
    for (const other of this.#sizes.keys()) {
      if (this.#room.has(call.owner, size)) break;
      if (other.owner === call.owner && other.isSent) this.#forget(other);
    }
    if (!this.#room.has(call.owner, size)) throw tooLargeError(call, size, "maxKeptTotal", maxKeptTotal);
    this.#sizes.set(call, size);
    this.#room.add(call.owner, size);
  }

  /** The call keeps nothing any more. */
  delete(call: Call): void {
    this.#room.remove(call.owner, this.#sizes.get(call) ?? 0);
    this.#sizes.delete(call);
  }
}

/** Characters of a result or of an error. */
function sizeOf(ended: unknown): number {
  const text = JSON.stringify(McpError.isMcpError(ended) ? ended.toErrorData() : ended) as string | undefined; // not every value has a text
  return text?.length ?? 0;
}

function tooLargeError({ place }: EndedCall, size: number, limit: "maxKeptResult" | "maxKeptTotal", max: number): McpError {
  const { name: server } = place;
  const others = limit === "maxKeptTotal" ? ", and the caller may not use more than is left for others" : "";
  const bound = `${size} characters${others} (limit "${limit}": ${max})`;
  const message = `The call to server "${server}" has ended, and what it returned is too large to be kept for a client that asks later: ${bound}`;
  return new McpError(ErrorCode.InternalError, message, { server, limit, max, reason: "limit", delivery: "unknown" });
}
