/**
 * Records the messages of a transport, in both directions, for golden transcripts.
 *
 * One line of JSON per message, in the order of this end. It sits between a dispatcher and any transport.
 */
import { type MaybePromise, isPromise } from "../base/maybe-promise.ts";
import { stringifyMessage } from "../jsonrpc/serialise.ts";
import { MalformedMessage, type Incoming, type Outgoing } from "../jsonrpc/incoming.ts";
import { isBatch } from "../jsonrpc/message.ts";
import type { SendOptions, Transport } from "../transport/transport.ts";

/** The names of the two ends in the record. */
export interface RecorderNames {
  /** The name of this end. Default `"client"`. */
  readonly here?: string;
  /** The name of the other end. Default `"server"`. */
  readonly there?: string;
}

/** A transport that records the messages of another transport as lines of JSON. */
export class Recorder implements Transport {
  readonly kind: string;
  /** `{"from":"client","message":{…}}`; a malformed message has `"malformed"` with its error instead. */
  readonly lines: string[] = [];
  readonly #inner: Transport;
  readonly #here: string;
  readonly #there: string;

  /** Wraps `inner`, which is then read, written and closed through the recorder only. */
  constructor(inner: Transport, { here = "client", there = "server" }: RecorderNames = {}) {
    this.kind = inner.kind;
    this.#inner = inner;
    this.#here = here;
    this.#there = there;
  }

  /** The transcript, each line ended by a line feed. */
  get text(): string {
    return this.lines.map((line) => `${line}\n`).join("");
  }

  send(message: Outgoing, options?: SendOptions): MaybePromise<void> {
    // Recorded first, because on a synchronous transport the response arrives before `send` returns.
    this.#write(this.#here, `"message":${stringifyMessage(message)}`);
    return this.#inner.send(message, options);
  }

  receive(): MaybePromise<Incoming> {
    const next = this.#inner.receive();
    return isPromise(next) ? next.then((incoming) => this.#received(incoming)) : this.#received(next);
  }

  close(reason?: unknown): Promise<void> {
    return this.#inner.close(reason);
  }

  #received(incoming: Incoming): Incoming {
    const [malformed] = isBatch(incoming) ? incoming.filter(isMalformed) : [incoming].filter(isMalformed);
    if (malformed === undefined) this.#write(this.#there, `"message":${stringifyMessage(incoming as Outgoing)}`); // no member is malformed
    else this.#write(this.#there, `"malformed":${JSON.stringify(malformed.error.toErrorData())}`);
    return incoming;
  }

  #write(from: string, rest: string): void {
    this.lines.push(`{"from":${JSON.stringify(from)},${rest}}`);
  }
}

function isMalformed(value: unknown): value is MalformedMessage {
  return value instanceof MalformedMessage;
}
