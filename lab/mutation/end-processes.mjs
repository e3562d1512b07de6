// Ends a process with everything it started. Some tests start programs that lead a process group of their own, so that a signal
// to the group of the process does not reach them.
import { execFileSync } from "node:child_process";

/** The ids of the processes below one, as far as their parents still run. */
function descendantsOf(pid) {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  const rows = table
    .trim()
    .split("\n")
    .map((row) => row.trim().split(/\s+/).map(Number));
  const ids = [pid];
  for (const parent of ids) ids.push(...rows.filter(([, of]) => of === parent).map(([id]) => id)); // grows while it is read
  return ids.slice(1);
}

function kill(target) {
  try {
    process.kill(target, "SIGKILL");
  } catch {
    // It has ended, or it leads no group.
  }
}

/** Kills a process that leads a group, its group, and what it started outside its group. */
export function endProcesses(pid) {
  for (const id of descendantsOf(pid)) {
    kill(-id);
    kill(id);
  }
  kill(-pid);
}
