/** Retries a read or a write of the shared stores until they are back. */
import { sleep } from "../../../base/clock.ts";
import { waits } from "../../../base/waits.ts";
import { McpError } from "../../../jsonrpc/mcp-error.ts";
import { isStoreUnavailable } from "../refusals.ts";
import type { Serving } from "../serving.ts";

/** The waits before a store is asked again, in milliseconds. */
const WAITS = { first: 75, longest: 1_500, jitter: 0.67 };

interface RetryingNode {
  readonly serving: Pick<Serving, "clock">;
  readonly left: AbortSignal;
}

/**
 * Does `work` until the store takes it. Only for work that may happen twice.
 * @throws what is no failure of the store; the reason of `left` when the node leaves
 */
export async function retryWhileUnavailable<T>({ serving, left }: RetryingNode, work: () => T | Promise<T>): Promise<T> {
  for (const pauses = waits(WAITS); ;) {
    try {
      return await work();
    } catch (error) {
      if (!McpError.isMcpError(error) || !isStoreUnavailable(error)) throw error;
      await sleep(serving.clock, pauses.next(), left);
    }
  }
}
