/** Where calls wait while there is nobody to call. */
import { onAbort } from "../../base/abort.ts";
import { RequestTimeoutError } from "../../jsonrpc/mcp-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { RequestOptions } from "../../dispatch/dispatcher.ts";
import { setPatientTimer } from "../patient-timer.ts";

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** How long a call waits, and for whom. */
export type Waiting = Required<Pick<RequestOptions, "timeout">> & { readonly signal: AbortSignal | undefined };

export class Gate {
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiter>();
  #shut = false;
  #refusal: Error | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whoever comes passes. */
  open(): void {
    this.#shut = false;
    this.#refusal = undefined;
    for (const { resolve } of this.#waiting) resolve();
  }

  /** Whoever comes waits. */
  shut(): void {
    this.#shut = true;
    this.#refusal = undefined;
  }

  /** Whoever waits or comes is sent away. */
  refuse(error: Error): void {
    this.#shut = true;
    this.#refusal = error;
    for (const { reject } of this.#waiting) reject(error);
  }

  /** Whether nobody has to wait. */
  get isOpen(): boolean {
    return !this.#shut;
  }

  /** Resolves once it is open. @throws what it refuses with, `signal.reason`, or RequestTimeoutError */
  pass(method: string, { timeout, signal }: Waiting): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.#shut) return resolve();
      if (this.#refusal !== undefined) return reject(this.#refusal);
      if (signal?.aborted) return reject(signal.reason);
      const leave = (): void => {
        this.#waiting.delete(waiter);
        stopListening?.();
        stopTimer();
      };
      const waiter: Waiter = {
        resolve: () => (leave(), resolve()),
        reject: (error) => (leave(), reject(error)),
      };
      const tooLate = (): void => waiter.reject(new RequestTimeoutError(method, timeout));
      const stopTimer = setPatientTimer(this.#clock, timeout, undefined, tooLate);
      this.#waiting.add(waiter);
      const stopListening = signal && onAbort(signal, () => waiter.reject(signal.reason));
    });
  }
}
