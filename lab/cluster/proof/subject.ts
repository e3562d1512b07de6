/** What a proof harms: the nodes of an engine behind a balancer, or the workers of one program. */
import type { Effect, Fault } from "./history.ts";

export interface Subject {
  /** Resolves with the URL for clients when all processes are ready. */
  start(): Promise<string>;
  /** Does something to one of the processes, and undoes it. Resolves with what it was done to. */
  harm(what: string, index: number): Promise<string>;
  /** What handlers did, as the ledger has it. */
  readonly effects: readonly Effect[];
  /** Faults that were not done on purpose. */
  readonly downs: readonly Fault[];
  stop(): Promise<void>;
}
