/** What a run of the cluster leaves behind, and all that the checker reads. Times are milliseconds of one clock. */

/** One operation of a client. */
export interface Operation {
  /** Unique in a run. Effects and results carry it. */
  readonly id: string;
  readonly kind: "call" | "count" | "ask" | "change" | "session";
  readonly family: "stateful" | "stateless";
  readonly began: number;
  /** When the client learned the outcome; missing if it never did. */
  readonly ended?: number;
  /** When the response of a `change` arrived, before the client heard of the change. */
  readonly answered?: number;
  /** `failed`: the client was told that it failed; whether something happened is in `delivery`. */
  readonly outcome?: "ok" | "failed";
  /** The result of an operation that is ok. */
  readonly value?: string;
  /** The numbers that arrived on the stream of a `count`, in the order in which they did. */
  readonly numbers?: readonly number[];
  /** Of a failure: `not-sent` if certainly nothing happened. */
  readonly delivery?: string;
  /** The status of a refusal over HTTP. */
  readonly status?: number;
  /** The message of the error. */
  readonly error?: string;
}

/** Something that a node did for an operation, as the ledger outside of all engines has it. */
export interface Effect {
  readonly operation: string;
  readonly node: string;
  readonly at: number;
}

/**
 * What was done. `kill` and `stop`: to a node. `engine`: it was killed and started again. `link`: a node was cut off from the
 * engine. `balancer`: a node was cut off from the balancer. `drain`: a node was told to end, and replaced when it had; no call
 * may fail by that. `down`: the balancer found by itself that a node did not respond, and cut its connections.
 */
export interface Fault {
  readonly what: "kill" | "stop" | "engine" | "link" | "balancer" | "drain" | "down";
  readonly target: string;
  readonly began: number;
  readonly ended: number;
}

export interface History {
  readonly operations: readonly Operation[];
  readonly effects: readonly Effect[];
  readonly faults: readonly Fault[];
}

/** Numbers that a `count` sends. */
export const COUNT = 8;

/** Resources whose changes clients listen for, one for each client. */
export const REGISTERS: readonly string[] = Array.from({ length: 8 }, (_, index) => `register://${index}`);

/** The result that an operation must have if it is ok. */
export function expectedOf({ id, kind }: Pick<Operation, "id" | "kind">): string {
  return {
    call: `called ${id}`,
    count: `counted ${id}`,
    ask: `asked ${id}: nonce of ${id}`,
    change: `changed ${id}, and heard of it`,
    session: "served, then 404",
  }[kind];
}

/** The result of a change that its client has waited for in vain. */
export function unheardOf(id: string): string {
  return `changed ${id}, but not heard of`;
}
