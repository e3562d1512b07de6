// Ends a program that has a group of processes of its own, and everything that it has started.

export function end({ pid = 0 }) {
  try {
    if (pid > 0) process.kill(-pid, "SIGKILL");
  } catch {
    // it has ended
  }
}
