/** The streams of a session that several nodes serve: they are kept in the log that all share, and a node takes over streams of another. */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { nodeOfWriter } from "../../../cluster/node.ts";
import type { EventLog, EventPage } from "../../../storage/event-log.ts";
import type { Serving } from "../serving.ts";
import { SessionStreams } from "../sessions/session-streams.ts";
import type { SessionRequests } from "../sessions/shared-session.ts";
import type { OtherWriters, StreamHome } from "../sessions/stream-home.ts";
import type { Resumption, StreamedRequests, StreamsOwner } from "../sessions/streams.ts";
import { GetHolder } from "./get-holder.ts";
import type { StreamedSession } from "./held-get.ts";
import { noteOf } from "./lost-call.ts";
import type { Nodes } from "./nodes.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";
import { TakeOver } from "./take-over.ts";

export function createNodeStreams(nodes: Nodes, session: StreamedSession, owner: StreamsOwner, requests: SessionRequests): SessionStreams {
  return new SessionStreams(owner, requests, (streams) => ({
    home: new SharedHome(nodes, session, { streams, requests }),
    standing: new GetHolder(nodes, session, owner),
  }));
}

class SharedHome implements StreamHome, OtherWriters {
  readonly gathersTurns = true;
  readonly others: this = this;
  readonly #nodes: Nodes;
  readonly #session: StreamedSession;
  readonly #parts: { readonly streams: SessionStreams; readonly requests: SessionRequests };

  constructor(nodes: Nodes, session: StreamedSession, parts: { readonly streams: SessionStreams; readonly requests: SessionRequests }) {
    this.#nodes = nodes;
    this.#session = session;
    this.#parts = parts;
  }

  get serving(): Serving {
    return this.#nodes.serving;
  }

  get session(): string {
    return this.#session.id;
  }

  get events(): EventLog {
    return this.#nodes.stores.events;
  }

  get life(): number {
    return this.#session.life;
  }

  get lifeOfEnded(): number {
    return this.#session.life;
  }

  nextWriter(): string {
    return this.#nodes.node.nextWriter();
  }

  retry<T>(work: () => MaybePromise<T>): Promise<T> {
    return retryWhileUnavailable(this.#nodes, work);
  }

  report(error: unknown): void {
    if (!this.#nodes.left.aborted) this.serving.report(error);
  }

  /** The log is dropped by the node at which the client ends the session. */
  ended(): void {}

  // ---- streams of other nodes ----

  noteOf(requests: StreamedRequests): string {
    return JSON.stringify(noteOf(this.#nodes.server, requests));
  }

  async announce(stream: string, writer: string): Promise<void> {
    await this.#nodes.calls.tell(nodeOfWriter(writer), "resumed", { session: this.session, stream });
  }

  takeOver(stream: string, page: EventPage, resumption: Resumption): Promise<boolean> {
    const at = { session: this.session, stream };
    return new TakeOver({ nodes: this.#nodes, at, life: this.life, ...this.#parts }).try(page, resumption);
  }
}
