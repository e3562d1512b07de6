/** The POSTs of one session whose answer is not known yet. They hold the session, and draining waits for them. */
import type { MalformedMessage } from "../../../jsonrpc/incoming.ts";
import { coerceRequestId, type JsonObject, type JSONRPCMessage, type RequestId } from "../../../jsonrpc/message.ts";
import { ACCEPTED, type HttpResponse } from "../http-message.ts";
import type { Serving } from "../serving.ts";
import type { SessionPost } from "./session-post.ts";

/** A session, as what keeps it open sees it. */
export interface HeldSession {
  readonly serving: Serving;
  hold(): void;
  release(): void;
}

export class WaitingPosts {
  readonly #session: HeldSession;
  /** By the ids of their requests. */
  #posts: Map<RequestId, SessionPost> | undefined;

  constructor(session: HeldSession) {
    this.#session = session;
  }

  /** @param quick whether the answer never becomes a stream only because it takes long */
  add(post: SessionPost, quick: boolean): void {
    this.#posts ??= new Map();
    for (const id of post.ids) this.#posts.set(id, post);
    const { serving } = this.#session;
    this.#session.hold();
    serving.started();
    if (!quick && post.mode !== "json" && !post.reply.streaming) serving.awaitReply(post.reply);
  }

  get(id: RequestId): SessionPost | undefined {
    return this.#posts?.get(id);
  }

  /** Its answer is known. One that never waited changes nothing. */
  delete(post: SessionPost): void {
    const posts = this.#posts;
    let known = false;
    for (const id of post.ids) if (posts?.get(id) === post) known = posts.delete(id);
    if (!known) return;
    if (posts?.size === 0) this.#posts = undefined;
    this.#session.serving.ended();
    this.#session.release();
  }

  /** Whatever of it says that a request was cancelled. */
  cancelledBy(messages: readonly (JSONRPCMessage | MalformedMessage)[]): void {
    for (const message of messages) {
      if ("method" in message && message.method === "notifications/cancelled") this.#cancelled(message.params);
    }
  }

  /** A request that was cancelled gets no answer: its POST ends without one. */
  #cancelled(params: JsonObject | undefined): void {
    const id = params?.["requestId"];
    if (typeof id !== "string" && typeof id !== "number") return;
    const own = this.#posts?.has(id) === true ? id : coerceRequestId(id);
    const post = this.get(own);
    if (post?.cancel(own) === true) this.#abandon(post, ACCEPTED);
  }

  #abandon(post: SessionPost, response: HttpResponse): void {
    this.delete(post);
    post.reply.abandon(response);
  }

  /** None of them gets an answer; where nothing was said yet the client gets `response`. */
  abandonAll(response: HttpResponse): void {
    for (const post of new Set(this.#posts?.values())) this.#abandon(post, response);
  }
}
