/**
 * Writes down what crosses a transport, in both directions: how golden transcripts are made.
 *
 * One line of JSON a message, in the order this end saw them. Stands between a dispatcher and any transport.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import { stringifyMessage } from "../jsonrpc/serialise.ts";
import { MalformedMessage, type Incoming, type Outgoing } from "../jsonrpc/incoming.ts";
import { isBatch } from "../jsonrpc/message.ts";
import { isPromise } from "../base/maybe-promise.ts";
import type { SendOptions, Transport } from "../transport/transport.ts";

/** What the two ends are called in what is written down. */
export interface RecorderNames {
  /** What this end is called. Default `"client"`. */
  readonly here?: string;
  /** What the other end is called. Default `"server"`. */
  readonly there?: string;
}

/** A transport that writes down, as lines of JSON, what crosses the one inside it. */
export class Recorder implements Transport {
  readonly kind: string;
  /** `{"from":"client","message":{…}}`; what is no message has `"malformed"` with its error instead. */
  readonly lines: string[] = [];
  readonly #inner: Transport;
  readonly #here: string;
  readonly #there: string;

  /** Takes `inner` over: it is read, written and closed through the recorder. */
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
    // Written down first: over a synchronous transport the answer comes before `send` returns.
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
    if (malformed === undefined) this.#write(this.#there, `"message":${stringifyMessage(incoming as Outgoing)}`); // no part is malformed
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
