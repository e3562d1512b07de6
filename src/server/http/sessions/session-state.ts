/** What the parts of one session share: to whom it belongs, how far it has come, and what holds it open. */
import { shareOf } from "../../../transport/transport-context.ts";
import { codecFor } from "../../../wire/revisions.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import type { Serving } from "../serving.ts";
import type { EventStore } from "./event-store.ts";

/** What a session begins with. */
export interface SessionOptions {
  readonly serving: Serving;
  readonly store: EventStore;
  readonly id: string;
  readonly principal: string | undefined;
  readonly address: string | undefined;
  readonly singlePost?: boolean;
}

export class SessionState {
  readonly serving: Serving;
  readonly store: EventStore;
  readonly id: string;
  /** The client that opened it; for all others it does not exist. */
  readonly principal: string | undefined;
  /** The address it was opened from. It may be used from others. */
  readonly address: string | undefined;
  /** Whether it lives for one POST: it has no streams of its own, and there is no way to ask the client. */
  readonly singlePost: boolean;
  readonly createdAt: number;
  /** When the last request or stream ended. */
  lastUsed: number;
  /** Whether the client has come back after the handshake. */
  confirmed = false;
  /** The revision, once the handshake has been answered. */
  version: string | undefined;
  closed = false;
  /** POSTs and streams that are open. */
  #held = 0;

  constructor({ serving, store, id, principal, address, singlePost = false }: SessionOptions) {
    this.serving = serving;
    this.store = store;
    this.id = id;
    this.principal = principal;
    this.address = address;
    this.singlePost = singlePost;
    this.createdAt = this.lastUsed = serving.now();
  }

  /** Whose share of a limit it counts against. */
  get share(): string | undefined {
    return shareOf(this);
  }

  get idle(): boolean {
    return this.#held === 0;
  }

  hold(): void {
    this.#held++;
  }

  release(): void {
    this.#held--;
    this.lastUsed = this.serving.now();
  }

  /** Something was done with it that did not hold it. */
  used(): void {
    if (this.idle) this.lastUsed = this.serving.now();
  }

  /** Milliseconds after which the client may come back for a stream; undefined if its revision does not know of that. */
  get retry(): number | undefined {
    return this.version !== undefined && codecFor(this.version)?.primesStreams ? this.serving.settings.streams.retry : undefined;
  }

  /** A response that goes on, which holds the session while it is open. */
  openBody(): EventStream {
    const body = this.serving.openStream();
    this.hold();
    body.whenEnded(() => {
      this.serving.heartbeat.delete(body);
      this.release();
    });
    return body;
  }
}
