/** Repeats what a store does not take while its engine is away. */
import { sleep } from "../../../base/clock.ts";
import { McpError } from "../../../jsonrpc/mcp-error.ts";
import { isStoreUnavailable } from "../refusals.ts";
import type { Serving } from "../serving.ts";

/** The first and the longest wait before a store is asked again, in milliseconds. */
const [FIRST_WAIT, LONGEST_WAIT] = [50, 1_000];

/** What {@link insist} needs of a fleet. */
interface Insisting {
  readonly serving: Pick<Serving, "clock">;
  readonly left: AbortSignal;
}

/**
 * Does what can be repeated until the store takes it.
 * @throws what is no failure of the store; the reason of `left` when the node leaves
 */
export async function insist<T>({ serving, left }: Insisting, work: () => T | Promise<T>): Promise<T> {
  for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
    try {
      return await work();
    } catch (error) {
      if (!McpError.isMcpError(error) || !isStoreUnavailable(error)) throw error;
      await sleep(serving.clock, wait * (0.5 + Math.random()), left);
    }
  }
}
