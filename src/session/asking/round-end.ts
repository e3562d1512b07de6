/** The end of a round of a handler, whichever comes first: its result, that it waits for answers, or that another round does its work. */
import type { JsonObject } from "../../jsonrpc/message.ts";

/** `asked` is what waits for answers; `response` is what the client gets as it is: it was made by another round. */
export type RoundOutcome<Asked> = { readonly result: JsonObject } | { readonly asked: Asked } | { readonly response: JsonObject };

export class RoundEnd<Asked> {
  #resolve!: (outcome: RoundOutcome<Asked>) => void;
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
  next(): Promise<RoundOutcome<Asked>> {
    if (this.#ended) return this.#handler.then((result) => ({ result }));
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** The handler can do no more without answers. */
  ask(asked: Asked): void {
    this.#settle(() => this.#resolve({ asked }));
  }

  /** The round ends with this response, whatever becomes of the handler. */
  respond(response: JsonObject): void {
    this.#settle(() => this.#resolve({ response }));
  }

  /** The round fails, whatever becomes of the handler. */
  fail(error: unknown): void {
    this.#settle(() => this.#reject(error));
  }

  /** Later ends do nothing: no request waits for them, and to reject what is resolved would call the runtime. */
  #settle(end: () => void): void {
    end();
    this.#resolve = this.#reject = ignoreOutcome;
  }
}

function ignoreOutcome(): void {}
