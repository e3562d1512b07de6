/** Notices that the event loop of this process did not run, and reports it once. */
import type { Clock } from "../base/clock.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";

/** Milliseconds that a timer must be late. A busy machine delays timers by less. */
const STALL = 5_000;

/** When the last stall of each clock ended. One stall delays the timers of all connections, and the first of them reports it. */
const lastEnds = new WeakMap<Clock, number>();

/** Reports a stall if a timer that was due at `due` fires only now. */
export function reportStall(clock: Clock, due: number, report: (error: unknown) => void): void {
  const now = clock.now();
  const stalledMs = Math.round(now - due);
  if (stalledMs < STALL || due < (lastEnds.get(clock) ?? -Infinity)) return;
  lastEnds.set(clock, now);
  const message = `The event loop did not run for ${stalledMs} ms: code of this process blocked it, or the process was suspended`;
  report(new McpError(ErrorCode.InternalError, message, { stalledMs }));
}
