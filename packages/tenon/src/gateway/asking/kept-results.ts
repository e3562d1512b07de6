/**
 * Bounds what calls that have ended keep for their clients: each result, and the results of one caller.
 *
 * A client without a session may ask for the result of its call long after the call has ended. It knows no other way to it, so a result that
 * no client has got yet is never dropped for another one. One that was sent is kept only in case the response was lost: it makes room for
 * others of its caller.
 */
import { McpError } from "../../jsonrpc/mcp-error.ts";
import { CALL_SIZE, type HeldRoom } from "./held-room.ts";

interface HeldCall {
  readonly owner: string;
  readonly place: { readonly server: string };
  /** Whether its client has got the result. */
  readonly isSent: boolean;
}

export class KeptResults<Call extends HeldCall> {
  readonly #room: HeldRoom;
  readonly #forget: (call: Call) => void;
  /** The calls with the characters of their results; 0 while a call runs. */
  readonly #sizes = new Map<Call, number>();

  /** @param forget forgets a call whose result was sent */
  constructor(room: HeldRoom, forget: (call: Call) => void) {
    this.#room = room;
    this.#forget = forget;
  }

  /** Counts a call. @throws McpError -32603 if its caller has too much that waits */
  hold(call: Call): void {
    this.#makeRoom(call, CALL_SIZE);
    if (!this.#room.has(call.owner, CALL_SIZE)) throw this.#room.error("Too many calls wait for the answers of this caller");
    this.#sizes.set(call, 0);
    this.#room.add(call.owner, CALL_SIZE);
  }

  /** Counts what a call has ended with, a result or an error. @throws McpError -32603 if it is too large to be kept */
  add(call: Call, ended: unknown): void {
    const size = sizeOf(ended);
    if (size > this.#room.ofOneCall) throw this.#tooLargeError(call, size);
    this.#makeRoom(call, size);
    if (!this.#room.has(call.owner, size)) throw this.#tooLargeError(call, size);
    this.#sizes.set(call, size);
    this.#room.add(call.owner, size);
  }

  /** The call keeps nothing any more. */
  delete(call: Call): void {
    const size = this.#sizes.get(call);
    if (size === undefined) return;
    this.#room.remove(call.owner, CALL_SIZE + size);
    this.#sizes.delete(call);
  }

  /** Forgets other calls of the caller whose clients have their results, the oldest first, until there is room. */
  #makeRoom(call: Call, size: number): void {
    for (const other of this.#sizes.keys()) {
      if (this.#room.has(call.owner, size)) break;
      if (other !== call && other.owner === call.owner && other.isSent) this.#forget(other);
    }
  }

  #tooLargeError({ place: { server } }: Call, size: number): McpError {
    const what = `The call to server "${server}" has ended, and what it returned is too large to be kept for a client that asks later: ${size} characters`;
    return this.#room.error(what, { server, delivery: "unknown" });
  }
}

/** Characters of a result or of an error. */
function sizeOf(ended: unknown): number {
  const text = JSON.stringify(McpError.isMcpError(ended) ? ended.toErrorData() : ended) as string | undefined; // not every value has a text
  return text?.length ?? 0;
}
