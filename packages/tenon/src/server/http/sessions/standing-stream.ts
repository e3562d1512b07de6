/**
 * The stream for messages that belong to no request, of a session that no other process serves. If several nodes serve it, each may add
 * messages, and `../nodes/get-holder.ts` knows which one has the GET.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { ErrorCode, LimitExceededError } from "../../../jsonrpc/mcp-error.ts";
import { MAX_EVENTS } from "../../../storage/limits.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import type { HttpRequest } from "../http-message.ts";
import type { SessionStreams } from "./session-streams.ts";
import type { StandingStream, StreamsOwner } from "./streams.ts";
import type { WrittenStream } from "./written-stream.ts";

export class OwnStandingStream implements StandingStream {
  readonly #streams: SessionStreams;
  readonly #owner: StreamsOwner;
  #stream: WrittenStream | undefined;

  constructor(streams: SessionStreams, owner: StreamsOwner) {
    this.#streams = streams;
    this.#owner = owner;
  }

  #begun(): WrittenStream {
    if (this.#stream === undefined || this.#stream.hasEnded) this.#stream = this.#streams.write([], { retry: undefined });
    return this.#stream;
  }

  send(data: string): MaybePromise<void> {
    return this.#begun().send(data);
  }

  /** The newest GET gets the messages. What was kept comes first. */
  open(request: HttpRequest, lastEventId: string | undefined): MaybePromise<EventStream> | undefined {
    if (lastEventId !== undefined) return undefined; // it is found by its name, as every stream
    const stream = this.#begun();
    const body = this.#owner.openBody();
    const { retry } = this.#owner;
    if (retry !== undefined) stream.prime(body, retry);
    if (stream.continueOn(body, stream.sent)) return body;
    return this.#resume(stream, request, body);
  }

  async #resume(stream: WrittenStream, request: HttpRequest, body: EventStream): Promise<EventStream> {
    const why = await this.#streams.follow({ stream: stream.name, number: stream.sent }, request, body);
    if (why === undefined) return body;
    const unsent = stream.last - stream.sent;
    this.#owner.serving.report(new LimitExceededError("EventLog.maxEvents", MAX_EVENTS, unsent, ErrorCode.InternalError));
    stream.continueOn(body, stream.last);
    return body;
  }

  release(): void {
    this.#stream?.release();
  }

  close(): void {}

  renew(): void {}
}
