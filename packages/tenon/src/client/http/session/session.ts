/**
 * The session of a stateful connection over HTTP: its id, its revision, and opening a new one when the server has lost it.
 *
 * It stays empty on stateless revisions.
 */
import { Backoff, MAX_WAIT } from "./resumption.ts";
import { sleep } from "../../../base/clock.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { ProtocolViolationError, type McpError, ConnectionLostError, RequestTimeoutError } from "../../../jsonrpc/mcp-error.ts";
import { markSessionless, SessionLostError, statusOf } from "../errors.ts";
import { evidenceOf } from "./forgotten.ts";
import { discard } from "../response.ts";
import type { CurrentSession, HttpConnection } from "../connection.ts";
import { isHeaderId, sessionHeaders } from "../headers.ts";
import type { HttpHeaders } from "../options.ts";
import { StandingStream } from "./standing-stream.ts";
import { SessionMemory, type SessionMaker } from "../../session-memory.ts";
import type { HttpResponse } from "../fetch.ts";

/** Milliseconds a server has to end a session. */
const END_TIMEOUT = 2_000;
/** Milliseconds between handshakes that only find out whether the session is lost. A refusal for another reason costs no more. */
const TEST_INTERVAL = 60_000;
const NO_HEADERS: HttpHeaders = {};

export class StatefulSession implements CurrentSession {
  headers: HttpHeaders = NO_HEADERS;
  /** Resolves, and never rejects, when opening a new session has ended, with or without success. Undefined while none is opened. */
  renewing: Promise<void> | undefined;
  readonly #connection: HttpConnection;
  readonly #memory: SessionMemory = new SessionMemory();
  #id: string | undefined;
  readonly #standing: StandingStream;
  #warned = false;
  /** The standing stream was given up. It is opened again after the next response of the server, or after a pause. */
  #gaveUp = false;
  /** Whether it was refused by HTTP 500, so that the server may have no stream: other responses do not show that it has one now. */
  #mayHaveNone = false;
  /** The new session does not watch everything that the old one watched, because a request was lost. It is sent again later. */
  #incomplete = false;
  /** The pauses between attempts to open a new session. */
  readonly #renewals = new Backoff();
  /** The pauses between attempts to repair this one. */
  readonly #repairs = new Backoff();
  /** Whether a repair waits for its pause to end. */
  #repairing = false;
  /** Whether the server has answered in this session. */
  #worked = false;
  /** When a handshake last found out whether the session is lost. */
  #testedAt = -Infinity;
  #testing = false;
  /** Whether the last such handshake failed, and nothing was answered since. */
  #isRefused = false;
  /** The id of the session before this one. */
  #replaced: string | undefined;
  /** Refusals because of a forgotten session, and refusals that a login might settle for which the user was not asked yet. */
  readonly #forgotten = new WeakSet<McpError>();
  readonly #unsettled = new WeakSet<McpError>();

  constructor(connection: HttpConnection) {
    this.#connection = connection;
    this.#standing = new StandingStream(
      connection,
      () => this.#announceGap(),
      (error) => this.#giveUp(error),
    );
  }

  get id(): string | undefined {
    return this.#id;
  }

  opened(handshake: JsonObject | undefined, id: string | null, result: JsonObject): void {
    if (id !== null && !isHeaderId(id)) throw new ProtocolViolationError("The server gave an invalid Mcp-Session-Id");
    // The response to a handshake that was given up: what it opened is not the session that the client goes on with.
    if (this.#id !== undefined) return;
    const { protocolVersion } = result;
    this.#id = id ?? undefined;
    if (this.renewing === undefined) this.#memory.opened(handshake, result);
    this.headers = sessionHeaders(typeof protocolVersion === "string" ? protocolVersion : undefined, this.#id);
  }

  /** Looks at a later response of the session: repairs what was given up, and reports another session id. */
  check(response: HttpResponse): void {
    this.#worked = true;
    this.#isRefused = false;
    if ((this.#gaveUp && !this.#mayHaveNone) || this.#incomplete) this.#repair();
    const id = response.headers.get("mcp-session-id");
    if (id === null || id === this.#id || this.renewing !== undefined || this.#warned) return;
    this.#warned = true;
    this.#connection.report(new ProtocolViolationError("The server changed the Mcp-Session-Id of a session: ignored"));
  }

  #repair(): void {
    if (this.#gaveUp) {
      this.#gaveUp = false;
      void this.standBy().then(() => this.#announceGap());
    }
    if (this.#incomplete && this.renewing === undefined) {
      this.#incomplete = false;
      void this.#memory.remake(this.#maker).then(() => this.#remade());
    }
  }

  #remade(): void {
    if (this.#incomplete) this.#repairLater();
    else this.#repairs.progressed();
  }

  /** A client that only watches gets no response that could show that the server is back: its session is repaired after a pause. */
  #repairLater(): void {
    if (this.#repairing) return;
    this.#repairing = true;
    this.#later(this.#repairs, () => {
      this.#repairing = false;
      if (this.renewing === undefined) this.#repair();
    });
  }

  /** Works after the next pause, unless the client closes before. There is always another attempt, but none sooner than half a minute after a few. */
  #later(pauses: Backoff, work: () => void): void {
    const { clock, open, closing } = this.#connection;
    if (closing) return;
    const abort = new AbortController();
    open.add(abort);
    sleep(clock, pauses.next() ?? MAX_WAIT, abort.signal)
      .then(work)
      .catch(() => undefined) // the client is closing
      .finally(() => open.delete(abort));
  }

  /** Remembers a request that changed the state of the session. */
  note(method: string, params: JsonObject): void {
    this.#memory.note(method, params);
  }

  // ---- a session that the server has lost ----

  /** Begins to open a new session, once for all requests that fail because the server has lost the old one. */
  lost(id: string, cause: McpError): SessionLostError {
    if (id === this.#id) {
      this.renewing ??= this.#renew(id)
        .then(
          () => this.#renewed(),
          (error: unknown) => this.#renewLater(id, error),
        )
        .finally(() => {
          this.renewing = undefined;
        });
    }
    return new SessionLostError({ cause });
  }

  // ---- a session that the server may have lost ----

  asksNobody(id: string | undefined): boolean {
    return id === undefined ? this.#testing : id === this.#id && this.#mayTest;
  }

  get #mayTest(): boolean {
    const { clock, closing } = this.#connection;
    return this.#worked && !closing && clock.now() - this.#testedAt >= TEST_INTERVAL;
  }

  async refused(id: string, failure: McpError, response?: HttpResponse): Promise<McpError> {
    const evidence = evidenceOf(failure, response);
    if (evidence === undefined) return failure;
    if (evidence === "sure") return this.lost(id, failure);
    const isForgotten = await this.#isForgotten(id);
    if (response !== undefined && this.#connection.endpoint.unsettled.has(response)) this.#unsettled.add(failure);
    else if (isForgotten) this.#forgotten.add(failure);
    if (!isForgotten && this.#isRefused) markSessionless(failure);
    return isForgotten && evidence === "told" && !this.#unsettled.has(failure) ? new SessionLostError({ cause: failure }) : failure;
  }

  remedyFor(error: McpError): "session" | "login" | undefined {
    if (this.#unsettled.has(error)) return "login";
    return error instanceof SessionLostError || this.#forgotten.has(error) ? "session" : undefined;
  }

  /** Finds out with a handshake whether the server has forgotten the session, once for all requests that it refuses. */
  async #isForgotten(id: string): Promise<boolean> {
    if (id === this.#id && this.#mayTest) this.renewing ??= this.#test(id).finally(() => (this.renewing = undefined));
    if (this.renewing === undefined) return id !== this.#id;
    await this.renewing;
    return id === this.#replaced;
  }

  /** Opens a new session. If that fails, the client goes on with the one it has. */
  async #test(id: string): Promise<void> {
    const { isOpen } = this.#standing;
    this.#testedAt = this.#connection.clock.now();
    this.#testing = true;
    try {
      await this.#renew(id);
      this.#renewed();
    } catch {
      this.#isRefused = true;
      if (isOpen) this.standByLater();
    } finally {
      this.#testing = false;
    }
  }

  /** A client that only watches sends no request that could find out again that the session is lost. */
  #renewLater(id: string, error: unknown): void {
    this.#connection.report(error);
    if (isLost(error)) this.#later(this.#renewals, () => void this.lost(id, error));
  }

  #renewed(): void {
    this.#renewals.progressed();
    this.#remade();
  }

  async #renew(lostId: string): Promise<void> {
    const { headers } = this;
    this.#incomplete = false;
    this.#gaveUp = false;
    this.#standing.close();
    this.#id = undefined;
    this.headers = NO_HEADERS;
    try {
      await this.#memory.restore(this.#maker);
    } catch (error) {
      // The next request finds out again.
      this.#id = lostId;
      this.headers = headers;
      throw error;
    }
    this.#replaced = lostId;
  }

  readonly #maker: SessionMaker = {
    // The handshake must not be cancelled.
    call: (method, params) => this.#connection.call(method, params, { cancelOnAbandon: false }),
    tellInitialized: () => this.#connection.tellServer("notifications/initialized"),
    announce: (method, params) => this.#announce(method, params),
    report: (error) => {
      if (isLost(error)) this.#incomplete = true;
      this.#connection.report(error);
    },
  };

  readonly #announce = (method: string, params?: JsonObject): void =>
    this.#connection.deliver({ jsonrpc: "2.0", method, ...(params && { params }) });

  #announceGap(): void {
    this.#memory.announceGap({ announce: this.#announce });
  }

  // ---- the standing stream ----

  standBy(pace?: number): Promise<void> {
    if (pace !== undefined) this.#worked = true;
    return this.#standing.open(pace);
  }

  /** Opens the standing stream after the next response of the server, or after a pause. */
  standByLater(): void {
    this.#gaveUp = true;
    this.#repairLater();
  }

  /** A server that ends the stream in good order, again and again, does not want it: it is left alone until its next response. */
  #giveUp({ cause }: ConnectionLostError): void {
    this.#mayHaveNone = statusOf(cause) === 500;
    if (cause === undefined) this.#gaveUp = true;
    else this.standByLater();
  }

  /** Ends the session at the server with a DELETE. The wait is bounded, and a server may refuse it. */
  async end(): Promise<void> {
    const { clock, endpoint } = this.#connection;
    this.#standing.close();
    if (this.#id === undefined) return;
    const abort = new AbortController();
    const timer = clock.setTimer(END_TIMEOUT, () => abort.abort());
    try {
      discard(await endpoint.send({ method: "DELETE", headers: { ...(await this.#connection.headers.plain()) }, signal: abort.signal }));
    } catch {
      // The server ends the session after its idle time.
    } finally {
      clock.clearTimer(timer);
    }
  }
}

/** Whether the request or its response was lost, so that the same request may succeed later. */
function isLost(error: unknown): error is McpError {
  return error instanceof ConnectionLostError || error instanceof RequestTimeoutError;
}
