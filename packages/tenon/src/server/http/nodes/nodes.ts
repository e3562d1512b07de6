/** What the parts of the shared sessions of one endpoint use together. */
import type { ClusterStores } from "../../../storage/shared-stores.ts";
import type { Acceptor } from "../../../dispatch/acceptor.ts";
import type { Serving } from "../serving.ts";
import type { ChangeLog } from "./change-log.ts";
import type { NodeCalls } from "../../../cluster/node-calls.ts";
import type { ClusterNode } from "../../../cluster/node.ts";
import type { SessionRecords } from "./session-records.ts";

export interface Nodes {
  readonly stores: ClusterStores;
  readonly server: Acceptor;
  readonly serving: Serving;
  readonly node: ClusterNode;
  readonly calls: NodeCalls;
  readonly records: SessionRecords;
  readonly changes: ChangeLog;
  /** Aborts when this node leaves. */
  readonly left: AbortSignal;
}
