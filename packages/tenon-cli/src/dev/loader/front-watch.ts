/**
 * Ends a generation whose front has gone without a word, as at SIGKILL.
 *
 * It runs in the thread of the hooks: the author's code may loop, and then the main thread does not see that its channel has closed.
 */

/** Milliseconds between two looks. */
const LOOK_MS = 1_000;

/** Kills this process once the process that has started it is gone. */
export function endWithFront(): void {
  const front = process.ppid;
  setInterval(() => {
    if (!isParent(front)) process.kill(process.pid, "SIGKILL");
  }, LOOK_MS);
}

/** The system gives the process another parent; Windows does not. */
function isParent(front: number): boolean {
  try {
    process.kill(front, 0);
    return process.ppid === front;
  } catch {
    return false;
  }
}
