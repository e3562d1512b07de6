/** The channel over a transport: writes messages, and counts those that the transport has not accepted yet. */
import type { Clock } from "../base/clock.ts";
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import { reportTo } from "../base/report-to.ts";
import type { Outgoing } from "../jsonrpc/incoming.ts";
import { JsonText, type JsonObject, type RequestId } from "../jsonrpc/message.ts";
import { stringifyResult } from "../jsonrpc/serialise.ts";
import type { ClientMessageMetadata } from "../transport/session-message.ts";
import type { Transport } from "../transport/transport.ts";
import type { Channel } from "./channel.ts";
import type { RawResult, TransportContext } from "./dispatcher.ts";
import type { DispatcherLimits } from "./limits.ts";
import { Pauses } from "./pauses.ts";

/**
 * Responses and notifications that the transport may still be writing while the dispatcher continues to read. More than one,
 * because two peers that respond to each other over a transport without buffers would otherwise both wait for the other to read.
 */
const MAX_UNSENT = 256;

interface ChannelSettings extends Pick<Channel, "clock" | "limits" | "respondToMalformed" | "cancelListens"> {
  readonly onError: ((error: Error) => void) | undefined;
}

export class TransportChannel implements Channel {
  readonly clock: Clock;
  readonly limits: DispatcherLimits;
  readonly pauses: Pauses;
  readonly respondToMalformed: boolean;
  readonly cancelListens: boolean | undefined;
  readonly writeNow: (() => void) | undefined;
  acceptsBatches: boolean = false;
  readonly #transport: Transport;
  readonly #context: TransportContext;
  readonly #onError: ((error: Error) => void) | undefined;
  /** Writes that the transport has not accepted yet. */
  #unsent = 0;
  #resume: (() => void) | undefined;
  #ended = false;

  constructor(transport: Transport, { clock, limits, respondToMalformed, cancelListens, onError }: ChannelSettings) {
    this.#transport = transport;
    this.#context = { kind: transport.kind };
    this.writeNow = transport.writeNow?.bind(transport);
    this.clock = clock;
    this.pauses = new Pauses(clock);
    this.limits = limits;
    this.respondToMalformed = respondToMalformed;
    this.cancelListens = cancelListens;
    this.#onError = onError;
  }

  unread(ms: number): string | undefined {
    return this.#transport.unread?.(ms);
  }

  get context(): TransportContext {
    return this.#transport.lastSender ?? this.#context;
  }

  send(message: Outgoing, related?: RequestId, metadata?: ClientMessageMetadata): MaybePromise<void> {
    if (metadata !== undefined) return this.#transport.send(message, { metadata });
    return this.#transport.send(message, related === undefined ? undefined : { relatedRequestId: related });
  }

  sendQuietly(message: Outgoing, related?: RequestId): MaybePromise<void> {
    try {
      const written = this.send(message, related);
      return isPromise(written) ? this.#track(written) : undefined;
    } catch (error) {
      this.report(error);
      return undefined;
    }
  }

  #track(written: Promise<void>): Promise<void> {
    this.#unsent++;
    return written
      .catch((error: unknown) => this.report(error))
      .then(() => {
        if (--this.#unsent < MAX_UNSENT) this.#resume?.();
      });
  }

  /** Resolves when the transport has fewer than {@link MAX_UNSENT} writes left; undefined if that is so now. */
  whenWritten(): Promise<void> | undefined {
    if (this.#unsent < MAX_UNSENT || this.#ended) return undefined;
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  /** Ends the channel: the reader need not wait for writes any more. */
  end(): void {
    this.#ended = true;
    this.#resume?.();
  }

  encode(result: JsonObject): RawResult {
    return this.#transport.takesValues === true ? result : new JsonText(stringifyResult(result));
  }

  report(error: unknown): void {
    reportTo(this.#onError, error);
  }
}
