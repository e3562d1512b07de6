/**
 * What one connection has not taken yet: answers that wait for a client to read (R8).
 *
 * There is none for a client that reads as fast as it asks. It counts what the process holds, and cuts a connection that
 * takes nothing for `limits.maxStalled`, by the same beat as streams. Streams count here only what they have handed to Node.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HeartbeatTarget } from "../../server/http/exchange/heartbeat.ts";
import type { HttpSettings } from "../../server/http/settings.ts";
import { unsent } from "../../server/http/exchange/event-stream.ts";

/** What bounds the responses of an endpoint: its handler. */
export interface Outlet {
  readonly settings: { readonly limits: Pick<HttpSettings["limits"], "maxStalled" | "maxUnsent" | "maxBuffered"> };
  /** Answers wait for a client: they are told when time passes. Returns how to end that. */
  hold(answers: HeartbeatTarget): () => void;
}

/** The connections that are behind. */
const backlogs = new WeakMap<Socket, Backlog>();

/** Bytes of answers that wait on the connection of `response`. */
export function waitingBytes(response: ServerResponse): number {
  return backlogs.get(response.req.socket)?.bytes ?? 0;
}

/** The connection of `response` has not taken `bytes` of it: they count until it has. Returns how to tell that some were taken. */
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
