/** What the nodes of a server share, beside the states, proofs, tasks and logins of its features. */
import type { Bus } from "./bus.ts";
import type { EventLog } from "./event-log.ts";
import type { KeyedStore } from "./keyed-store.ts";

/** The stores with which any node serves any session. All nodes use the same engine. */
export interface ClusterStores {
  /** Sessions, leases and limits. */
  readonly keyed: KeyedStore;
  /** Events of streams that a client resumes at another node. */
  readonly events: EventLog;
  /** Hints between nodes. */
  readonly bus: Bus;
}
