/**
 * Signals to a child and all it has started.
 *
 * On POSIX the child leads a process group of its own, which outlives it while any member lives. Windows has no such
 * thing without native code: there `taskkill` follows parent to child.
 */
import type { ChildProcess } from "node:child_process";

const WINDOWS = process.platform === "win32";

/** Sends a signal to every process of the group. False where there is none any more. */
export function signalGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  const { pid } = child;
  if (pid === undefined) return false;
  try {
    if (WINDOWS) return killWindowsTree(child, pid, signal);
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    // Only ESRCH proves that the group is gone; EPERM says that somebody is there.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function killWindowsTree(child: ChildProcess, pid: number, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  if (signal !== 0) {
    void import("node:child_process").then(({ execFile }) =>
      execFile("taskkill", ["/pid", String(pid), "/T", "/F"], { windowsHide: true }, () => child.kill("SIGKILL")),
    );
  }
  return child.exitCode === null && child.signalCode === null;
}
