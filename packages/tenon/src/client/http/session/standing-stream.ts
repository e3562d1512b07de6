/**
 * The standing stream of a session: a GET on which the server sends what belongs to no request (MCP 2025-11-25, Transports, Listening
 * for Messages from the Server).
 *
 * It resumes by itself after a break. Its session decides whether a stream that was given up is opened again.
 */
import { ConnectionLostError } from "../../../jsonrpc/mcp-error.ts";
import type { HttpConnection } from "../connection.ts";
import { SessionLostError, statusOf } from "../errors.ts";
import { HttpStream } from "../stream.ts";

/** The least and the most milliseconds a server has to open the stream before the session is used without waiting for it. */
const MIN_OPEN_TIMEOUT = 250;
const MAX_OPEN_TIMEOUT = 5_000;
/** A server has this many times as long as it took for the end of the handshake: what is slow once is slow again. */
const PATIENCE = 10;
/** Refusals of servers that have no such stream. MCP names 405 for it. */
const WITHOUT_STREAM: ReadonlySet<number | undefined> = new Set([400, 404, 405, 501]);

export class StandingStream {
  readonly #connection: HttpConnection;
  readonly #onGap: () => void;
  readonly #onLost: (error: ConnectionLostError) => void;
  #abort: AbortController | undefined;

  /**
   * @param onGap the stream was resumed without an event id: messages may be missing
   * @param onLost the stream broke off too often, or could not be opened
   */
  constructor(connection: HttpConnection, onGap: () => void, onLost: (error: ConnectionLostError) => void) {
    this.#connection = connection;
    this.#onGap = onGap;
    this.#onLost = onLost;
  }

  /**
   * Listens for as long as the session lasts. A server need not have such a stream. Resolves when the stream is open or has taken
   * too long. Messages that the server sends before would be missed.
   * @param pace milliseconds that the server took to accept the end of the handshake; undefined if it was accepted before. A refusal
   * right after it says nothing about the session
   */
  open(pace?: number): Promise<void> {
    const timeout = Math.min(Math.max(PATIENCE * (pace ?? 0), MIN_OPEN_TIMEOUT), MAX_OPEN_TIMEOUT);
    const abort = new AbortController();
    this.#abort = abort;
    this.#connection.open.add(abort);
    return new Promise((resolve) => {
      const timer = this.#connection.clock.setTimer(timeout, resolve);
      const settled = (): void => {
        this.#connection.clock.clearTimer(timer);
        resolve();
      };
      void this.#keepOpen(abort, settled, pace !== undefined).finally(settled);
    });
  }

  /** Whether it is open, or being opened. */
  get isOpen(): boolean {
    return this.#abort !== undefined && this.#connection.open.has(this.#abort);
  }

  close(): void {
    this.#abort?.abort();
  }

  async #keepOpen(abort: AbortController, onOpen: () => void, isFirst: boolean): Promise<void> {
    try {
      await this.#listen(abort, onOpen, isFirst);
    } catch (error) {
      if (abort.signal.aborted || error instanceof SessionLostError) return;
      if (error instanceof ConnectionLostError) this.#onLost(error);
      if (!WITHOUT_STREAM.has(statusOf(error))) this.#connection.report(error);
    } finally {
      this.#connection.open.delete(abort);
    }
  }

  async #listen(abort: AbortController, onOpen: () => void, isFirst: boolean): Promise<void> {
    const stream = new HttpStream(this.#connection, { abort, deliver: (incoming) => this.#connection.deliver(incoming) });
    let response = await stream.get(isFirst);
    onOpen();
    for (;;) {
      const { error } = await stream.read(response);
      abort.signal.throwIfAborted();
      const gap = stream.lastEventId === undefined;
      response = await stream.reopen(error);
      if (gap) this.#onGap();
    }
  }
}
