/** The end of a round of a handler, whichever comes first: its result, or that it waits for answers. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ReplayedAsks } from "./replayed-asks.ts";

export type RoundOutcome = { readonly result: JsonObject } | { readonly asked: ReplayedAsks };

export class RoundEnd {
  #resolve!: (outcome: RoundOutcome) => void;
  #reject!: (reason: unknown) => void;
  /** The handler has ended, if only while nobody waited for it. */
  #ended = false;
  readonly #handler: Promise<JsonObject>;

  /** @param handler what the handler returned: its end ends the round at hand, be it a later one */
  constructor(handler: Promise<JsonObject>) {
    this.#handler = handler;
    handler.then(
      (result) => {
        this.#ended = true;
        this.#resolve({ result });
      },
      (error: unknown) => {
        this.#ended = true;
        this.#reject(error);
      },
    );
  }

  /** Whether the handler has ended. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The end of the round that begins now. */
  next(): Promise<RoundOutcome> {
    if (this.#ended) return this.#handler.then((result) => ({ result }));
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** The handler can do no more without answers. */
  ask(asked: ReplayedAsks): void {
    this.#resolve({ asked });
    // Nobody waits any more, and to reject what is resolved would call the runtime.
    this.#resolve = this.#reject = noOne;
  }
}

function noOne(): void {}
