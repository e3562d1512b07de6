/**
 * Ends a child process in bounded time: its input ends, then SIGTERM, then SIGKILL (MCP 2025-11-25, Lifecycle, Shutdown).
 *
 * `child-server.ts` handles unsent messages and pipes.
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
  /** Whether the descendants are killed even if the process exits by itself. */
  readonly always: boolean;
}

const PROBE_MS = 10;

/** Processes that are being ended. If this process exits first, they get SIGTERM then, because it cannot come later. */
const ending = new Set<ChildProcess>();

/** Does the work of ending a process; if this process exits meanwhile, the other one gets SIGTERM at once. */
export async function whileEnding(child: ChildProcess, work: () => Promise<void>): Promise<void> {
  if (ending.size === 0) process.on("exit", terminateAll);
  ending.add(child);
  try {
    await work();
  } finally {
    ending.delete(child);
    if (ending.size === 0) process.off("exit", terminateAll);
  }
}

function terminateAll(): void {
  for (const child of ending) if (child.exitCode === null && child.signalCode === null) signalGroup(child, "SIGTERM");
}

/** Ends the process. Returns false if it still runs at the end. @param exited resolves when it has exited */
export async function shutDown(child: ChildProcess, exited: Promise<void>, steps: ShutdownSteps): Promise<boolean> {
  // A process that exits by itself is not signalled, and neither are its descendants.
  const byItself = await finishesWithin(systemClock, steps.exit, exited);
  if (byItself && !steps.always) return true;
  if (signalGroup(child, "SIGTERM") && !(await waitForGroupEnd(child, steps.terminate))) signalGroup(child, "SIGKILL");
  return finishesWithin(systemClock, steps.reap, exited);
}

/** Waits until the whole group has ended, `ms` at most. Returns false on timeout. The leader may exit before the others. */
async function waitForGroupEnd(child: ChildProcess, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  while (signalGroup(child, 0)) {
    if (performance.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
  }
  return true;
}
