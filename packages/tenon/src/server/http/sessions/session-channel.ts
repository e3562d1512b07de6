/**
 * The channel of a session's exchange. It chooses the stream for each message: a message that belongs to a request is sent on the
 * response to that request, every other message on the GET stream.
 *
 * `session.ts` decides how long the session lives.
 */
import type { Clock } from "../../../base/clock.ts";
import { isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import type { Channel } from "../../../dispatch/channel.ts";
import type { RawResult, TransportContext } from "../../../dispatch/dispatcher.ts";
import type { DispatcherLimits } from "../../../dispatch/limits.ts";
import type { Outgoing } from "../../../jsonrpc/incoming.ts";
import { NoBackChannelError } from "../../../jsonrpc/mcp-error.ts";
import {
  isBatch,
  isRequest,
  isResponse,
  JsonText,
  type JsonObject,
  type JSONRPCMessage,
  type RequestId,
} from "../../../jsonrpc/message.ts";
import { stringifyMessage } from "../../../jsonrpc/serialise.ts";
import { isStoreFailure } from "../refusals.ts";
import { UNAUTHENTICATED } from "../authorized-client.ts";
import { dropKeyOf } from "../exchange/dropped-events.ts";
import { messageText } from "../exchange/message-text.ts";
import type { SessionPost, WaitingPosts } from "./session-posts.ts";
import type { SessionState } from "./session-state.ts";
import type { Streams } from "./streams.ts";

const RETRY_SOON = ["Retry-After", "1"];

/** Whether a request failed because the store that nodes share could not be asked, or what it has is damaged. */
function isWithoutStore(message: Outgoing): boolean {
  return !isBatch(message) && "error" in message && isStoreFailure(message.error);
}

export class SessionChannel implements Channel {
  readonly respondToMalformed = true;
  acceptsBatches = false;
  readonly limits: DispatcherLimits;
  readonly clock: Clock;
  readonly nextId?: () => number;
  /** The POST whose messages are being delivered. */
  reading: SessionPost | undefined;
  readonly #state: SessionState;
  readonly #waiting: WaitingPosts;
  readonly #streams: Streams;

  constructor(state: SessionState, waiting: WaitingPosts, streams: Streams) {
    this.#state = state;
    this.#waiting = waiting;
    this.#streams = streams;
    this.limits = state.serving.limits;
    this.clock = state.serving.clock;
    const { shared } = state;
    if (shared !== undefined) this.nextId = () => shared.nextId();
  }

  get context(): TransportContext {
    return this.reading ?? UNAUTHENTICATED;
  }

  encode(result: JsonObject): RawResult {
    return this.#state.serving.encode(result);
  }

  report(error: unknown): void {
    this.#state.serving.report(error);
  }

  sendQuietly(message: Outgoing, related?: RequestId): MaybePromise<void> {
    // Not `attempt`: no function may be made for each event.
    try {
      const sent = this.send(message, related);
      return isPromise(sent) ? sent.catch((error: unknown) => this.report(error)) : undefined;
    } catch (error) {
      return this.report(error);
    }
  }

  send(message: Outgoing, related?: RequestId): MaybePromise<void> {
    const post = related === undefined ? undefined : this.#postOf(related);
    if (isBatch(message) || isResponse(message)) return this.#respond(post ?? this.reading, message);
    if (post !== undefined && (post.mode !== "json" || !isRequest(message))) {
      if (this.#state.singlePost && isRequest(message)) throw new NoBackChannelError(message.method);
      return post.reply.send(stringifyMessage(message), post.reply.crowded ? dropKeyOf(message) : undefined);
    }
    return this.#sendUnrelated(message);
  }

  #postOf(related: RequestId): SessionPost | undefined {
    return this.reading?.has(related) ? this.reading : this.#waiting.get(related);
  }

  #respond(post: SessionPost | undefined, message: Outgoing): undefined {
    if (post === undefined) return undefined;
    if (this.#state.version === undefined) this.#learnVersion(message);
    this.#waiting.delete(post);
    const refusal = isBatch(message) || !("error" in message) ? undefined : post.caller?.refusal;
    if (refusal === undefined && isWithoutStore(message)) post.reply.respond(message, 503, RETRY_SOON);
    else post.reply.respond(message, refusal?.status, refusal?.headers);
    return undefined;
  }

  /** Reads the revision from the first result, which ends the handshake. */
  #learnVersion(message: Outgoing): void {
    if (isBatch(message) || !("result" in message)) return;
    const result = message.result instanceof JsonText ? (message.result.toJSON() as JsonObject) : message.result;
    this.#state.version = result["protocolVersion"] as string | undefined; // the encoder has checked it
  }

  #sendUnrelated(message: JSONRPCMessage): MaybePromise<void> {
    if (this.#state.singlePost && isRequest(message)) throw new NoBackChannelError(message.method);
    return this.#streams.sendUnrelated(messageText(message));
  }

  release(related: RequestId): void {
    const post = this.#postOf(related);
    if (post === undefined || this.#state.singlePost || post.mode === "json" || this.#state.retry === undefined) return;
    const messages = post.reply.open();
    messages.release?.();
  }
}
