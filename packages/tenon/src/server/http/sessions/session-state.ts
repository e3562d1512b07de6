/** The shared state of the parts of one session: its owner, its revision, and what keeps it open. */
import { shareOf } from "../../../transport/transport-context.ts";
import type { MemoryEventLog } from "../../../storage/memory/event-log.ts";
import type { Dispatcher } from "../../../dispatch/dispatcher.ts";
import { codecFor } from "../../../wire/revisions.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import type { Serving } from "../serving.ts";
import type { SharedSession } from "./shared-session.ts";
import type { StreamsOwner } from "./streams.ts";

export interface SessionOptions {
  readonly serving: Serving;
  /** Keeps the events of its streams, if no other node serves it. Absent if it lasts for one POST: then it has no streams of its own. */
  readonly events?: MemoryEventLog;
  readonly id: string;
  readonly principal: string | undefined;
  /** Whose it is. Default: the principal's. */
  readonly owner?: string | undefined;
  readonly address: string | undefined;
  readonly singlePost?: boolean;
  /** Present if other nodes serve the session too. */
  readonly shared?: SharedSession;
  /** The revision, if another node has agreed on it. */
  readonly version?: string;
}

export class SessionState implements StreamsOwner {
  readonly serving: Serving;
  readonly id: string;
  /** The principal that opened it, whose share it is. */
  readonly principal: string | undefined;
  /** Whose it is; undefined without authentication. For others the session does not exist. */
  readonly owner: string | undefined;
  /** The address that opened it. Later requests may come from other addresses. */
  readonly address: string | undefined;
  /** Whether it lasts for one POST only: then it has no streams of its own and no back-channel. */
  readonly singlePost: boolean;
  readonly shared: SharedSession | undefined;
  readonly dispatcher: Dispatcher;
  readonly createdAt: number;
  /** When the last request or stream ended. */
  lastUsed: number;
  confirmed = false;
  /** The revision, once the handshake has been answered. */
  version: string | undefined;
  closed = false;
  /** POSTs and streams that are open. */
  #held = 0;

  constructor(
    dispatcher: Dispatcher,
    { serving, id, principal, owner = principal, address, singlePost = false, shared, version }: SessionOptions,
  ) {
    this.dispatcher = dispatcher;
    this.serving = serving;
    this.id = id;
    this.principal = principal;
    this.owner = owner;
    this.address = address;
    this.singlePost = singlePost;
    this.shared = shared;
    this.version = version;
    this.createdAt = this.lastUsed = serving.now();
  }

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

  /** Records a use that does not keep the session open. */
  used(): void {
    if (this.idle) this.lastUsed = this.serving.now();
  }

  get retry(): number | undefined {
    return this.version !== undefined && codecFor(this.version)?.primesStreams ? this.serving.settings.streams.retry : undefined;
  }

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
