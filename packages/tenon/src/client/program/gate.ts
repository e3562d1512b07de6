/** A gate at which calls wait while no program runs. */
import { unlessAborted, type Abortable } from "../../base/abort.ts";
import { RequestTimeoutError } from "../../jsonrpc/mcp-error.ts";
import type { Clock } from "../../base/clock.ts";
import { Pauses } from "../../dispatch/pauses.ts";

interface PendingCall {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface CallWait {
  /** Milliseconds; `Infinity` for no limit. */
  readonly timeout: number;
  readonly abort: Abortable | undefined;
}

/** Lets calls pass while it is open, and makes them wait while it is shut. */
export class ProgramGate {
  readonly #clock: Clock;
  readonly #waiting = new Set<PendingCall>();
  #shut = false;
  #refusal: Error | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Opens the gate: waiting and later calls pass. */
  open(): void {
    this.#shut = false;
    this.#refusal = undefined;
    for (const { resolve } of this.#waiting) resolve();
  }

  /** Shuts the gate: later calls wait. */
  shut(): void {
    this.#shut = true;
    this.#refusal = undefined;
  }

  /** Fails waiting and later calls with `error`. */
  refuse(error: Error): void {
    this.#shut = true;
    this.#refusal = error;
    for (const { reject } of this.#waiting) reject(error);
  }

  get isOpen(): boolean {
    return !this.#shut;
  }

  /** Resolves once the gate is open. @throws the error of `refuse`, the reason of an abort, or RequestTimeoutError */
  async pass(method: string, { timeout, abort }: CallWait): Promise<void> {
    if (!this.#shut) return;
    if (this.#refusal !== undefined) throw this.#refusal;
    abort?.throwIfAborted();
    let waiter: PendingCall | undefined;
    const passed = new Promise<void>((resolve, reject) => this.#waiting.add((waiter = { resolve, reject })));
    const stopTimer = new Pauses(this.#clock).startTimer(timeout, () => waiter!.reject(new RequestTimeoutError(method, timeout)));
    try {
      await unlessAborted(passed, abort);
    } finally {
      stopTimer();
      this.#waiting.delete(waiter!);
    }
  }
}
