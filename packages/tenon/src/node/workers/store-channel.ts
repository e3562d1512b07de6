/** The calls of a worker to the stores in the primary process. Calls of one turn leave together. */
import { Circuit } from "../../stores/circuit.ts";
import { closedError } from "../../stores/store-error.ts";
import { receivedError, type CalledStore, type FromWorker, type StoreCall, type StoreOutcome, type ToWorker } from "./messages.ts";

/** Milliseconds that a call may take: the primary process does nothing else. */
const TIMEOUT = 5_000;

interface WaitingCall {
  readonly resolve: (outcome: StoreOutcome) => void;
  readonly reject: (error: Error) => void;
}

export class StoreChannel {
  readonly #send: (message: FromWorker) => void;
  readonly #circuit = new Circuit();
  readonly #waiting = new Map<number, WaitingCall>();
  readonly #tellers = new Map<string, (message: string) => void>();
  #calls: StoreCall[] = [];
  #ids = 0;
  #isClosed = false;

  constructor(send: (message: FromWorker) => void) {
    this.#send = send;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Calls a method of a store. @throws what it throws; StoreUnavailableError if the primary process does not respond in time, or has ended */
  async call(store: CalledStore, method: string, args: readonly unknown[]): Promise<unknown> {
    return valueOf(await this.#circuit.run(() => this.#ask(store, method, args), TIMEOUT, `${store}.${method}`));
  }

  /** The same without a limit of time. */
  async wait(store: CalledStore, method: string, args: readonly unknown[]): Promise<unknown> {
    return valueOf(await this.#ask(store, method, args));
  }

  #ask(store: CalledStore, method: string, args: readonly unknown[]): Promise<StoreOutcome> {
    if (this.#isClosed) return Promise.reject(closedError());
    const id = ++this.#ids;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      if (this.#calls.push([id, store, method, args]) === 1) queueMicrotask(() => this.#flush());
    });
  }

  #flush(): void {
    const calls = this.#calls;
    this.#calls = [];
    this.#send({ kind: "calls", calls });
  }

  /** Sets what hears the messages of a topic. */
  onTold(topic: string, tell: ((message: string) => void) | undefined): void {
    if (tell === undefined) this.#tellers.delete(topic);
    else this.#tellers.set(topic, tell);
  }

  received(message: ToWorker): void {
    if (message.kind === "tell") return this.#tellers.get(message.topic)?.(message.message);
    if (message.kind !== "outcomes") return;
    for (const outcome of message.outcomes) {
      const [id] = outcome;
      this.#waiting.get(id)?.resolve(outcome);
      this.#waiting.delete(id);
    }
  }

  /** The primary process has ended. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.values()) reject(closedError());
    this.#waiting.clear();
  }
}

/** @throws what the store has thrown */
function valueOf([, isOk, value]: StoreOutcome): unknown {
  if (isOk) return value;
  throw receivedError(value);
}
