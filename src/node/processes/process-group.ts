/**
 * Signals to a child and all it has started.
 *
 * On POSIX the child leads a process group of its own, which outlives it while any member lives. Windows has no such
 * thing without native code: there `taskkill` follows parent to child.
 */
import type { ChildProcess } from "node:child_process";
import { isWindows, systemProgramPath } from "../windows.ts";

/** Sends a signal to every process of the group. False where there is none any more. */
export function signalGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  const { pid } = child;
  if (pid === undefined) return false;
  try {
    if (isWindows()) return killWindowsTree(child, pid, signal);
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    // Only ESRCH proves that the group is gone; EPERM says that somebody is there.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Once it has exited its id may be somebody else's, and what it has left running cannot be found. */
function killWindowsTree(child: ChildProcess, pid: number, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  const running = (): boolean => child.exitCode === null && child.signalCode === null;
  if (signal !== 0 && running()) {
    void import("node:child_process").then(({ execFile }) => {
      if (!running()) return;
      execFile(systemProgramPath("taskkill.exe"), ["/pid", String(pid), "/T", "/F"], { windowsHide: true }, () => child.kill("SIGKILL"));
    });
  }
  return running();
}
