/** What the nodes of a server share, beside the proofs, tasks and logins of its features. */
import type { Bus } from "./bus.ts";
import type { EventLog } from "./event-log.ts";
import type { KeyedStore } from "./keyed-store.ts";
import type { StateStore } from "./state-store.ts";

/** The stores with which any node serves any session. All nodes use the same engine. */
export interface ClusterStores {
  /** Sessions, leases and limits. */
  readonly keyed: KeyedStore;
  /** Events of streams that a client resumes at another node. */
  readonly events: EventLog;
  /** Hints between nodes. */
  readonly bus: Bus;
}

/** The option `stores` of an endpoint, as `redisStores()`, `postgresStores()` and `memoryStores()` make it. */
export interface SharedStores extends ClusterStores {
  /** For the calls of servers without the option `requestState.store`. Default: each node keeps its own. */
  readonly states?: StateStore;
}
