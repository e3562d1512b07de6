/**
 * One stream of messages over one or more HTTP responses: reads them, remembers the last event id, and resumes.
 *
 * It reads the response to a POST, and the standing GET stream of a session. Its owner decides when to resume.
 */
import type { Incoming } from "../../jsonrpc/incoming.ts";
import { parseMessage } from "../../jsonrpc/parse.ts";
import { Backoff, MAX_ATTEMPTS } from "./session/resumption.ts";
import { toFailure } from "./failed-response.ts";
import { ConnectionLostError, ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import { SessionLostError, UnusableResponseError } from "./errors.ts";
import { isHeaderId } from "./headers.ts";
import { readEvents, type EventSink, type ReceivedEvent, type StreamEnd } from "./read-events.ts";
import { discard, mediaTypeOf } from "./response.ts";
import type { HttpConnection } from "./connection.ts";
import { sleep } from "../../base/clock.ts";
import type { LazyAbort } from "../../base/lazy-abort.ts";
import type { HttpResponse } from "./fetch.ts";
import type { ClientMessageMetadata } from "../../transport/session-message.ts";

/** Statuses after which a later attempt may succeed: too many requests, or the old connection still holds the stream. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Most characters of the name of an event in a message. */
const MAX_NAME = 100;

interface HttpStreamOptions {
  /** Ends reading and waiting. */
  readonly abort: AbortController | LazyAbort;
  readonly deliver: (incoming: Incoming) => void;
  /** Where to resume, the callback for resumption tokens, and headers. */
  readonly metadata?: Partial<ClientMessageMetadata> | undefined;
}

export class HttpStream implements EventSink {
  /** The id to resume after; undefined if the server has set no ids. */
  lastEventId: string | undefined;
  readonly #connection: HttpConnection;
  readonly #deliver: (incoming: Incoming) => void;
  readonly #abort: AbortController | LazyAbort;
  readonly #backoff = new Backoff();
  readonly #metadata: Partial<ClientMessageMetadata>;
  #lastByte = 0;
  #ignoredId = false;
  #idleTimer: unknown;
  #cut: () => void = () => undefined;

  constructor(connection: HttpConnection, { abort, deliver, metadata = {} }: HttpStreamOptions) {
    this.#connection = connection;
    this.#abort = abort;
    this.#deliver = deliver;
    this.#metadata = metadata;
    this.lastEventId = metadata.resumptionToken;
  }

  /** Reads one response to its end. @throws LimitExceededError if an event is too long */
  async read(response: HttpResponse): Promise<StreamEnd> {
    const { clock, limits } = this.#connection;
    if (response.body === null) return {};
    const begin = clock.now();
    try {
      return await readEvents(response.body, limits.maxResponseBytes, this, clock);
    } finally {
      clock.clearTimer(this.#idleTimer);
      this.#idleTimer = undefined;
      this.#backoff.lasted(clock.now() - begin);
    }
  }

  /**
   * Gets the next response of this stream, after a pause.
   * @throws ConnectionLostError after too many attempts; SessionLostError; McpError if the server refuses
   */
  async reopen(cause?: unknown): Promise<HttpResponse> {
    for (let lastCause = cause; ;) {
      const wait = this.#backoff.next();
      if (wait === undefined) {
        const message = `The stream from ${this.#connection.endpoint.name} ended ${MAX_ATTEMPTS} times without anything new`;
        throw new ConnectionLostError(message, "unknown", { cause: lastCause });
      }
      await sleep(this.#connection.clock, wait, this.#abort.signal);
      try {
        return await this.get();
      } catch (error) {
        this.#abort.signal.throwIfAborted();
        if (!(error instanceof ConnectionLostError) || error instanceof SessionLostError) throw error;
        lastCause = error;
      }
    }
  }

  /**
   * Opens the stream with one GET. @throws ConnectionLostError if a later attempt may succeed; SessionLostError; McpError
   * @param isFirst whether the session was just opened, so that a refusal says nothing about it
   */
  async get(isFirst = false): Promise<HttpResponse> {
    const { endpoint, session } = this.#connection;
    const sessionId = session.id;
    const headers = {
      ...(await this.#connection.headers.plain(this.#metadata.headers)),
      accept: "text/event-stream",
      ...(this.lastEventId !== undefined && { "last-event-id": this.lastEventId }),
    };
    const init = { method: "GET", headers, signal: this.#abort.signal };
    const response = await endpoint.send(init, !isFirst && session.asksNobody(sessionId));
    if (response.status === 200 && mediaTypeOf(response) === "text/event-stream") return response;
    if (response.ok) {
      discard(response);
      throw new UnusableResponseError(`${endpoint.name} answered a GET with no event stream`);
    }
    const failure = await toFailure(response, endpoint.name);
    if (sessionId !== undefined && !isFirst) {
      const error = await session.refused(sessionId, failure, response);
      const remedy = session.remedyFor(error);
      if (remedy === "login") return this.get();
      if (remedy === "session") throw error instanceof SessionLostError ? error : new SessionLostError({ cause: error });
    }
    if ((response.status < 500 || response.status === 501) && !RETRYABLE_STATUSES.has(response.status)) throw failure;
    throw new ConnectionLostError(failure.message, "unknown", { cause: failure });
  }

  // ---- events of a response ----

  opened(cut: () => void): void {
    this.#cut = cut;
  }

  event({ event, id: eventId, data }: ReceivedEvent): void {
    const id = eventId === undefined || eventId === "" || isHeaderId(eventId) ? eventId : this.#ignoreId();
    const isNew = id !== undefined && id !== this.lastEventId;
    if (id !== undefined) this.lastEventId = id === "" ? undefined : id;
    if (isNew && id !== "") this.#tell(id);
    if (event !== undefined && event !== "message" && !this.#isMessage(event, data)) return;
    if (data === "") {
      // The first event of a polled stream has an id and no data (MCP 2025-11-25, Transports, Sending Messages to the Server).
      if (isNew) this.#backoff.polled();
      return;
    }
    this.#backoff.progressed();
    this.#deliver(parseMessage(data, { size: this.#connection.limits.maxResponseBytes }));
  }

  /** Whether an event of another name holds a message, and is read. */
  #isMessage(name: string, data: string): boolean {
    const { reading } = this.#connection;
    if (reading.strict || !/^\s*\{/.test(data) || !data.includes('"jsonrpc"')) return false;
    this.#deviated(`has the name ${JSON.stringify(name.slice(0, MAX_NAME))} and not "message"`);
    return true;
  }

  unended(): boolean {
    if (this.#connection.reading.strict) return false;
    this.#deviated("has no end");
    return true;
  }

  #deviated(what: string): void {
    const message = `${this.#connection.endpoint.name} sent an event that ${what}`;
    this.#connection.reading.deviated({ kind: "event", path: "event", message });
  }

  /** Ignores an id that no header can hold. The stream stays resumable from the last usable id. Reports it once per stream. */
  #ignoreId(): undefined {
    if (this.#ignoredId) return;
    this.#ignoredId = true;
    const message = `${this.#connection.endpoint.name} gave an event id that is not 1 to 1024 characters of visible ASCII: ignored`;
    this.#connection.report(new ProtocolViolationError(message));
  }

  /** Calls `onResumptionToken`. An error of the callback is reported only. */
  #tell(token: string): void {
    const told = (async () => this.#metadata.onResumptionToken?.(token))();
    told.catch((error: unknown) => this.#connection.report(error));
  }

  retry(ms: number): void {
    this.#backoff.retry = ms;
  }

  alive(): void {
    this.#lastByte = this.#connection.clock.now();
  }

  /** Starts the idle limit: from now on silence means that the connection is dead. */
  keepsAlive(): void {
    const { clock, limits } = this.#connection;
    if (this.#idleTimer === undefined && limits.streamIdleTimeout !== Infinity) {
      this.#idleTimer = clock.setTimer(limits.streamIdleTimeout, this.#checkIdle);
    }
  }

  readonly #checkIdle = (): void => {
    const { clock, limits } = this.#connection;
    const left = this.#lastByte + limits.streamIdleTimeout - clock.now();
    if (left > 0) this.#idleTimer = clock.setTimer(left, this.#checkIdle);
    else this.#cut();
  };
}
