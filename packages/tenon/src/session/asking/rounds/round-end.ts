/** The end of a round, by what comes first: the handler's result, its questions, or the response of another round. */
import type { JsonObject } from "../../../jsonrpc/message.ts";

/** `asked` are the questions without an answer; `response` came from another round and is sent unchanged. */
export type RoundOutcome<Asked> = { readonly result: JsonObject } | { readonly asked: Asked } | { readonly response: JsonObject };

export class RoundEnd<Asked> {
  #resolve!: (outcome: RoundOutcome<Asked>) => void;
  #reject!: (reason: unknown) => void;
  /** Whether the handler has ended, even if no request waited for it. */
  #ended = false;
  readonly #handler: Promise<JsonObject>;

  /** @param handler what the handler returned: its outcome ends the current round, even a later one */
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

  /** Ends the round with questions: the handler cannot continue without answers. */
  ask(asked: Asked): void {
    this.#settle(() => this.#resolve({ asked }));
  }

  /** Ends the round with this response; the handler's outcome is ignored. */
  respond(response: JsonObject): void {
    this.#settle(() => this.#resolve({ response }));
  }

  /** Ends the round with an error; the handler's outcome is ignored. */
  fail(error: unknown): void {
    this.#settle(() => this.#reject(error));
  }

  /** Later ends do nothing: no request waits for them, and rejecting a promise twice would be reported by the runtime. */
  #settle(end: () => void): void {
    end();
    this.#resolve = this.#reject = ignoreOutcome;
  }
}

function ignoreOutcome(): void {}
