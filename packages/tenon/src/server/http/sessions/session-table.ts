/**
 * The sessions of an endpoint, bounded in number and time.
 *
 * A client cannot see the session of another owner. `sessions.ts` decides which requests open, use and end a session.
 */
import { Repeating } from "../../../base/clock.ts";
import type { McpError } from "../../../jsonrpc/mcp-error.ts";
import { Shares } from "../../../base/bounds/shares.ts";
import { randomId } from "../../../base/bytes.ts";
import type { Incoming } from "../../../jsonrpc/incoming.ts";
import { MemoryEventLog } from "../../../storage/memory/event-log.ts";
import { shareOf } from "../../../transport/transport-context.ts";
import { requestOwnerOf, type HttpRequest, type HttpResponse } from "../http-message.ts";
import { tooMany } from "../refusals.ts";
import type { Serving } from "../serving.ts";
import { Session } from "./session.ts";
import type { SessionOptions, SessionState } from "./session-state.ts";
import type { MaybePromise } from "../../../base/maybe-promise.ts";

/** Where an endpoint finds its sessions: in this process, or in the stores that all nodes share (`nodes/`). */
export interface SessionDirectory {
  /** The session of a client; undefined if it does not exist for that client. @throws StoreUnavailableError */
  find(id: string, client: HttpRequest): MaybePromise<Session | undefined>;
  /** Opens a session, or refuses one more. @throws StoreUnavailableError */
  open(client: HttpRequest): MaybePromise<Session | HttpResponse>;
  /** Passes messages on that other nodes wait for. Returns what is left for this one. @throws StoreUnavailableError */
  passOn<Body extends Incoming>(session: Session, incoming: Body): MaybePromise<Body | undefined>;
  /** Ends a session on all nodes. @throws StoreUnavailableError */
  end(session: Session): MaybePromise<void>;
}

/** Milliseconds between two searches for unused sessions. */
const SWEEP_MS = 15_000;
/** Milliseconds within which a client must send its first request after the handshake. */
const UNCONFIRMED_MS = 60_000;
/** Milliseconds after which a session that other nodes know too is dropped from the memory of this one. */
const UNUSED_MS = 30_000;

function isUnused({ idle, lastUsed }: SessionState, now: number): boolean {
  return idle && now - lastUsed >= UNUSED_MS;
}

export class SessionTable implements SessionDirectory {
  readonly serving: Serving;
  /** Keeps the events of streams, unless other nodes serve the sessions too. */
  readonly #events: MemoryEventLog;
  readonly #sessions = new Map<string, Session>();
  readonly #shares = new Shares();
  readonly #sweeps: Repeating;

  constructor(serving: Serving) {
    this.serving = serving;
    this.#events = new MemoryEventLog(serving.settings.clock);
    this.#sweeps = new Repeating(serving.settings.clock, SWEEP_MS, () => {
      this.#sweep();
      return this.#sessions.size > 0;
    });
  }

  find(id: string, request: HttpRequest): Session | undefined {
    const session = this.#sessions.get(id);
    return session !== undefined && session.state.owner === requestOwnerOf(request) ? session : undefined;
  }

  /** The session in this process, for any client. */
  get(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  /** Everything concerns this process. */
  passOn<Body extends Incoming>(_session: Session, incoming: Body): Body {
    return incoming;
  }

  end(session: Session): void {
    void session.close();
  }

  #refuse(client: HttpRequest): HttpResponse | undefined {
    const { max, maxPerPrincipal } = this.serving.settings.sessions;
    if (this.#sessions.size >= max) return tooMany(503, "sessions.max");
    return this.#shares.of(shareOf(client)) < maxPerPrincipal ? undefined : tooMany(429, "sessions.maxPerPrincipal");
  }

  open(client: HttpRequest): Session | HttpResponse {
    const { principal, address } = client;
    return this.#refuse(client) ?? this.add({ id: randomId(), principal, owner: requestOwnerOf(client), address });
  }

  /** Adds a session without a look at the limits. */
  add(options: Omit<SessionOptions, "serving" | "events">): Session {
    const { serving } = this;
    const session = new Session({ ...options, serving, events: this.#events }, (ended) => this.#forget(ended.state));
    this.#sessions.set(session.state.id, session);
    this.#shares.add(session.state.share);
    this.#sweeps.start();
    return session;
  }

  #forget({ id, share }: SessionState): void {
    this.#sessions.delete(id);
    this.#shares.remove(share);
  }

  #sweep(): void {
    const now = this.serving.now();
    this.#events.expire();
    const { idle: maxIdle, age: maxAge } = this.serving.settings.sessions;
    for (const session of [...this.#sessions.values()]) {
      const { shared } = session.state;
      if (shared !== undefined) {
        if (isUnused(session.state, now)) void session.close();
        else if (!session.state.idle) shared.touch(); // a request under way, or an open stream
        continue;
      }
      const { idle, lastUsed, confirmed, createdAt } = session.state;
      const unused = idle ? now - lastUsed : 0;
      const over = unused >= maxIdle || (!confirmed && unused >= UNCONFIRMED_MS) || now - createdAt >= maxAge;
      if (over) void session.close();
    }
  }

  endStreams(): void {
    for (const session of this.#sessions.values()) session.streams.releaseUnrelated();
  }

  failAll(error: McpError): void {
    for (const session of this.#sessions.values()) session.failAll(error);
  }

  async close(): Promise<void> {
    this.#sweeps.stop();
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
  }
}
