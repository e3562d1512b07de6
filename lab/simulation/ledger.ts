/** What happened in a world, as the invariants read it. Nothing in it is known to the SDK. */

/** Something a handler did to the world outside, such as a payment. */
export interface Effect {
  /** The nonce of the call. */
  readonly call: string;
  readonly step: string;
  /** The idempotency key of the step. */
  readonly key: string;
  /** The task it was done for, if the call is one. */
  readonly task: string | undefined;
  readonly at: number;
  /** When the process that did it died; Infinity if it lived. */
  readonly diedAt: () => number;
}

/** Something a client asked for. */
export interface Operation {
  readonly name: string;
  readonly nonce: string;
  /** The text that its result must have; undefined if there is none to compare. */
  readonly expected: string | undefined;
  outcome: "pending" | "result" | "lost";
  /** Progress values that were delivered, by channel. */
  readonly told: { readonly progress: number[]; readonly log: number[] };
  /** Whether the log of the call must be complete once it has its result. */
  readonly complete: boolean;
  readonly total: number;
}

export class Ledger {
  readonly effects: Effect[] = [];
  readonly operations: Operation[] = [];
  /** How often the handler of a task began, by the id of the task. */
  readonly runs: Map<string, number> = new Map();
  /** Ids of tasks that end their process each time they run. */
  readonly poisoned: Set<string> = new Set();
  /** Steps that have ended: their call, its task, and their name. Such a step is not done again, whichever process dies. */
  readonly finished: Set<string> = new Set();
  /** Rules that were broken, in the order in which that was seen. */
  readonly violations: string[] = [];
  #nonces = 0;

  nonce(name: string): string {
    return `${name}-${++this.#nonces}`;
  }

  violated(rule: string): void {
    if (!this.violations.includes(rule)) this.violations.push(rule);
  }
}
