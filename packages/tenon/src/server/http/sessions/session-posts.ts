/**
 * The POSTs of one session: each has its requests (several only in a batch of 2025-03-26) and one reply. A POST without a response keeps
 * the session open, and draining waits for it.
 */
import type { AuthInfo } from "../../../auth/resource-server/auth-info.ts";
import { MalformedMessage, type Incoming } from "../../../jsonrpc/incoming.ts";
import { coerceRequestId, isBatch, isRequest, type JsonObject, type JSONRPCMessage, type RequestId } from "../../../jsonrpc/message.ts";
import type { RequirementCheck, TransportContext } from "../../../transport/transport-context.ts";
import { UNAUTHENTICATED, type AuthorizedClient } from "../authorized-client.ts";
import { Reply, type OpenedStream, type ReplyOwner } from "../exchange/reply.ts";
import { ACCEPTED_202, type HttpRequest, type HttpResponse } from "../http-message.ts";
import type { ResponseMode } from "../options.ts";
import type { Serving } from "../serving.ts";
import type { SessionState } from "./session-state.ts";
import type { StreamedRequests, Streams } from "./streams.ts";

const NONE: readonly RequestId[] = [];

export interface PostOptions {
  readonly incoming: Incoming;
  readonly mode: ResponseMode;
  /** Absent for a message that the endpoint itself makes. */
  readonly request?: HttpRequest;
  /** Whether the response stays JSON even if it takes long. */
  readonly quick?: boolean;
  /** An open stream that takes the response. Default: none, and the reply opens one if it must. */
  readonly stream?: OpenedStream;
}

export class SessionPost implements ReplyOwner, TransportContext, StreamedRequests {
  readonly kind = "http";
  readonly mode: ResponseMode;
  readonly reply: Reply;
  readonly ids: readonly RequestId[];
  /** Requests that have not been cancelled. */
  open: number;
  readonly serving: Serving;
  readonly incoming: Incoming;
  readonly #streams: Streams;
  readonly #request: HttpRequest | undefined;
  readonly #stream: OpenedStream | undefined;
  /** Whether a batch has malformed members. They get error responses even if all requests are cancelled. */
  readonly #malformed: boolean;
  #cancelled: Set<RequestId> | undefined;

  constructor(serving: Serving, streams: Streams, { mode, incoming, request, stream }: PostOptions) {
    this.serving = serving;
    this.#streams = streams;
    this.#request = request;
    this.#stream = stream;
    this.mode = mode;
    this.incoming = incoming;
    this.ids = idsOf(incoming);
    this.open = this.ids.length;
    this.#malformed = isBatch(incoming) && incoming.some((item) => item instanceof MalformedMessage);
    this.reply = new Reply(this);
    if (stream !== undefined) this.reply.open();
  }

  // ---- what handlers see of it ----

  /** The client that sent it; undefined if the endpoint has no `auth`. */
  get caller(): AuthorizedClient | undefined {
    return this.#request?.caller;
  }

  get auth(): AuthInfo | undefined {
    return this.caller?.auth;
  }

  get principal(): string | undefined {
    return this.caller?.principal;
  }

  /** The address of the session: the connection of this POST may be gone when it is asked for. */
  get address(): string | undefined {
    return this.#streams.address;
  }

  get requirements(): RequirementCheck | undefined {
    return this.#request && (this.#request.caller ?? UNAUTHENTICATED.requirements);
  }

  header(name: string): string | undefined {
    return this.#request?.header(name);
  }

  // ---- its response ----

  has(id: RequestId): boolean {
    return this.ids.length === 1 ? this.ids[0] === id : this.ids.includes(id);
  }

  /** Records that a request was cancelled. Returns true if no response is pending. */
  cancel(id: RequestId): boolean {
    this.#cancelled ??= new Set();
    this.#cancelled.add(id);
    this.open = this.ids.length - this.#cancelled.size;
    return this.open <= 0 && !this.#malformed;
  }

  openStream(): OpenedStream {
    return this.#stream ?? this.#streams.openPost(this);
  }
}

function idsOf(incoming: Incoming): readonly RequestId[] {
  if (isBatch(incoming)) return incoming.flatMap((item) => idsOf(item));
  return incoming instanceof MalformedMessage || !isRequest(incoming) ? NONE : [incoming.id];
}

/** The POSTs without a response so far. */
export class WaitingPosts {
  readonly #state: SessionState;
  /** By the ids of their requests. */
  #posts: Map<RequestId, SessionPost> | undefined;

  constructor(state: SessionState) {
    this.#state = state;
  }

  /** @param quick whether the response never becomes a stream only because it takes long */
  add(post: SessionPost, quick: boolean): void {
    this.#posts ??= new Map();
    for (const id of post.ids) this.#posts.set(id, post);
    const { serving } = this.#state;
    this.#state.hold();
    serving.started();
    if (!quick && post.mode !== "json" && !post.reply.streaming) serving.awaitReply(post.reply);
  }

  get(id: RequestId): SessionPost | undefined {
    return this.#posts?.get(id);
  }

  /** Removes a POST that has its response. Does nothing if the POST never waited. */
  delete(post: SessionPost): void {
    const posts = this.#posts;
    if (posts === undefined) return;
    let known = false;
    for (const id of post.ids) if (posts.get(id) === post) known = posts.delete(id);
    if (!known) return;
    if (posts.size === 0) this.#posts = undefined;
    this.#state.serving.ended();
    this.#state.release();
  }

  /** Applies the cancellations among the messages. */
  takeCancellations(messages: readonly (JSONRPCMessage | MalformedMessage)[]): void {
    for (const message of messages) {
      if ("method" in message && message.method === "notifications/cancelled") this.#cancelled(message.params);
    }
  }

  /** A request that was cancelled gets no response: its POST ends without one. */
  #cancelled(params: JsonObject | undefined): void {
    const id = params?.["requestId"];
    if (typeof id !== "string" && typeof id !== "number") return;
    const own = this.#posts?.has(id) === true ? id : coerceRequestId(id);
    const post = this.get(own);
    if (post?.cancel(own) === true) this.#abandon(post, ACCEPTED_202);
  }

  #abandon(post: SessionPost, response: HttpResponse): void {
    this.delete(post);
    post.reply.abandon(response);
  }

  /** Ends all POSTs without a result. A client without an open stream gets `response`. */
  abandonAll(response: HttpResponse): void {
    for (const post of new Set(this.#posts?.values())) this.#abandon(post, response);
  }
}
