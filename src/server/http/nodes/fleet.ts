/** What the parts of the shared sessions of one endpoint use together. */
import { sleep } from "../../../base/clock.ts";
import type { ClusterStores } from "../../../cluster/cluster-stores.ts";
import type { Acceptor } from "../../../dispatch/acceptor.ts";
import { McpError } from "../../../jsonrpc/mcp-error.ts";
import { isStoreUnavailable } from "../refusals.ts";
import type { Serving } from "../serving.ts";
import type { ChangeLog } from "./change-log.ts";
import type { NodeCalls } from "./node-calls.ts";
import type { FleetNode } from "./node.ts";
import type { SessionRecords } from "./session-records.ts";

export interface Fleet {
  readonly stores: ClusterStores;
  readonly server: Acceptor;
  readonly serving: Serving;
  readonly node: FleetNode;
  readonly calls: NodeCalls;
  readonly records: SessionRecords;
  readonly changes: ChangeLog;
  /** Aborts when this node leaves. */
  readonly left: AbortSignal;
}

/** The first and the longest wait before a store is asked again, in milliseconds. */
const [FIRST_WAIT, LONGEST_WAIT] = [50, 1_000];

/**
 * Does what can be repeated until the store takes it. @throws what is no failure of the store; the reason of `left` when the node leaves
 */
export async function insist<T>({ serving, left }: Pick<Fleet, "serving" | "left">, work: () => T | Promise<T>): Promise<T> {
  for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
    try {
      return await work();
    } catch (error) {
      if (!McpError.isMcpError(error) || !isStoreUnavailable(error)) throw error;
      await sleep(serving.clock, wait * (0.5 + Math.random()), left);
    }
  }
}
