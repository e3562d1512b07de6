/**
 * Ends a child process in bounded time: its input ends, then SIGTERM, then SIGKILL (spec basic/lifecycle, shutdown).
 *
 * Only about the process; what was to be written before, and the pipes, are `server-process.ts`'s affair.
 */
import { systemClock, finishesWithin } from "../../base/clock.ts";
import type { ChildProcess } from "node:child_process";
import { signalGroup } from "./process-group.ts";

export interface ShutdownSteps {
  /** Milliseconds for the process to exit by itself. */
  readonly exit: number;
  /** Milliseconds from SIGTERM to SIGKILL. */
  readonly terminate: number;
  /** Milliseconds from SIGKILL to giving up. */
  readonly reap: number;
  /** Whether what the process has started is killed even when it exits by itself. */
  readonly always: boolean;
}

const PROBE_MS = 10;

/** False where the process is still there at the end. `exited` resolves when it has exited. */
export async function shutDown(child: ChildProcess, exited: Promise<void>, steps: ShutdownSteps): Promise<boolean> {
  // What exits by itself is not signalled, and neither is what it has left running (ST-53, ST-56).
  const byItself = await finishesWithin(systemClock, steps.exit, exited);
  if (byItself && !steps.always) return true;
  if (signalGroup(child, "SIGTERM") && !(await waitForGroupEnd(child, steps.terminate))) signalGroup(child, "SIGKILL");
  return finishesWithin(systemClock, steps.reap, exited);
}

/** Whether the whole group ends within `ms`: the leader may be gone long before the others are (S7). */
async function waitForGroupEnd(child: ChildProcess, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  while (signalGroup(child, 0)) {
    if (performance.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
  }
  return true;
}
