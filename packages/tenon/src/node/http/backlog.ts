/**
 * Counts the bytes of responses that wait for slow clients, for each connection.
 *
 * A client that reads as fast as it sends has no backlog. A connection that takes nothing for `limits.maxStalled` is cut. Of
 * streams it counts only the bytes that Node holds.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HeartbeatTarget } from "../../server/http/exchange/heartbeat.ts";
import type { HttpSettings } from "../../server/http/settings.ts";
import { unsent } from "../../base/unsent.ts";

/** The limits of an endpoint's responses. */
export interface Outlet {
  readonly settings: { readonly limits: Pick<HttpSettings["limits"], "maxStalled" | "maxUnsent" | "maxBuffered"> };
  /** Calls `responses` at each heartbeat. Returns a function that ends this. */
  hold(responses: HeartbeatTarget): () => void;
}

const backlogs = new WeakMap<Socket, Backlog>();

/** Bytes of responses that wait on the connection of `response`. */
export function waitingBytes(response: ServerResponse): number {
  return backlogs.get(response.req.socket)?.bytes ?? 0;
}

/** Counts `bytes` of `response` as waiting until it is finished. Returns a function to call when the client has taken some. */
export function countWaiting(outlet: Outlet, response: ServerResponse, bytes: number): () => void {
  const { socket } = response.req;
  let backlog = backlogs.get(socket);
  if (backlog === undefined) backlogs.set(socket, (backlog = new Backlog(outlet, socket)));
  backlog.add(bytes);
  response.once("finish", () => backlog.remove(bytes));
  return backlog.progressed;
}

class Backlog {
  bytes = 0;
  readonly #socket: Socket;
  readonly #maxStalled: number;
  readonly #release: () => void;
  #stalled = 0;

  constructor(outlet: Outlet, socket: Socket) {
    this.#socket = socket;
    this.#maxStalled = outlet.settings.limits.maxStalled;
    this.#release = outlet.hold(this);
    socket.once("close", this.#onClose);
    if (socket.destroyed) queueMicrotask(this.#onClose);
  }

  add(bytes: number): void {
    this.bytes += bytes;
    unsent.size += bytes;
  }

  remove(bytes: number): void {
    if (this.bytes === 0) return; // the connection was closed
    this.progressed();
    this.bytes -= bytes;
    unsent.size -= bytes;
    if (this.bytes === 0) this.#end();
  }

  readonly progressed = (): void => {
    this.#stalled = 0;
  };

  beat(ms: number): void {
    this.#stalled += ms;
    if (this.#stalled >= this.#maxStalled) this.cut();
  }

  cut(): void {
    this.#socket.destroy();
  }

  readonly #onClose = (): void => {
    if (this.bytes > 0) this.remove(this.bytes);
  };

  #end(): void {
    this.#socket.off("close", this.#onClose);
    backlogs.delete(this.#socket);
    this.#release();
  }
}
