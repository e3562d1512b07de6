/**
 * Sends signals to a child process and its descendants.
 *
 * On POSIX the child leads its own process group, which exists while any member lives. Windows has no process groups
 * without native code; there `taskkill` follows parent to child.
 */
import type { ChildProcess } from "node:child_process";
import { isWindows, systemProgramPath } from "../windows.ts";

/** Sends a signal to every process of the group. Returns false if none is left. */
export function signalGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  const { pid } = child;
  if (pid === undefined) return false;
  try {
    if (isWindows()) return killWindowsTree(child, pid, signal);
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    // Only ESRCH proves that the group is gone; EPERM means that a process exists.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Kills the process tree on Windows. After the exit its id may belong to another process, and its descendants cannot be found. */
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
