/** A transport that writes what passes through it into a wire log. */
import { isPromise } from "tenon/internal";
import type { Incoming, MaybePromise, Outgoing, SendOptions, Transport } from "tenon";
import type { WireLog } from "./wire-log.ts";

export class TappedTransport implements Transport {
  readonly kind: string;
  readonly #inner: Transport;
  readonly #log: WireLog;

  constructor(inner: Transport, log: WireLog) {
    this.kind = inner.kind;
    this.#inner = inner;
    this.#log = log;
  }

  send(message: Outgoing, options?: SendOptions): MaybePromise<void> {
    this.#log.add(message, { sent: true });
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
    this.#log.add(incoming, { sent: false });
    return incoming;
  }
}
