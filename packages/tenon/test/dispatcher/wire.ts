/**
 * The wire of a simulated run: two transports joined as text, with a record of what crossed and a way to tamper.
 */
import type { MaybePromise } from "../../src/base/maybe-promise.ts";
import type { JsonObject } from "../../src/jsonrpc/message.ts";
import type { Incoming, Outgoing } from "../../src/jsonrpc/incoming.ts";
import type { Transport } from "../../src/transport/transport.ts";
import type { Side } from "./steps.ts";

type Subject = typeof import("./subject.ts");

/** One message and who sent it; a fault counts as sent by the peer of its victim. */
export interface Crossing {
  readonly from: Side;
  readonly message: JsonObject;
}

export class Wire {
  readonly log: Crossing[] = [];
  readonly ends: readonly [Transport, Transport];
  readonly #subject: Subject;
  readonly #queues: readonly InstanceType<Subject["ReceiveQueue"]>[];
  readonly #slow: boolean;

  constructor(subject: Subject, slow: boolean) {
    this.#subject = subject;
    this.#slow = slow;
    this.#queues = [new subject.ReceiveQueue(), new subject.ReceiveQueue()];
    this.ends = [this.#createEnd(0), this.#createEnd(1)];
  }

  /** Something arrives at `to` that its peer's dispatcher never sent. */
  inject(to: Side, text: string): void {
    this.#arrive(to, text);
  }

  /** The connection breaks. */
  break(): void {
    for (const queue of this.#queues) queue.end(new this.#subject.ConnectionClosedError());
  }

  #createEnd(side: Side): Transport {
    const other: Side = side === 0 ? 1 : 0;
    return {
      kind: "simulated",
      send: (message: Outgoing): MaybePromise<void> => {
        if (this.#queues[side]!.ended) throw new this.#subject.ConnectionClosedError();
        const text = this.#subject.stringifyMessage(message);
        if (!this.#slow) return this.#arrive(other, text);
        return Promise.resolve().then(() => this.#arrive(other, text));
      },
      receive: (): MaybePromise<Incoming> => this.#queues[side]!.receive(),
      close: (): Promise<void> => {
        this.break();
        return Promise.resolve();
      },
    };
  }

  #arrive(to: Side, text: string): void {
    const incoming = this.#subject.parseMessage(text);
    const from: Side = to === 0 ? 1 : 0;
    if (!("isResponse" in incoming) && !this.#queues[to]!.ended) this.log.push({ from, message: JSON.parse(text) as JsonObject });
    this.#queues[to]!.push(incoming, text.length);
  }
}
