/** This process's stderr as a place for the error output of servers: bounded, and no failure of it ends the process. */

/** Bytes that may wait to be written. More than that nobody reads. */
const MAX_WAITING = 1024 * 1024;

let open = 0;

export class OwnStderr {
  constructor() {
    if (open++ === 0) process.stderr.on("error", ignore);
  }

  /** Leaves the chunk out where stderr is not read. */
  write(chunk: Uint8Array): void {
    if (process.stderr.writableLength < MAX_WAITING) process.stderr.write(chunk);
  }

  close(): void {
    if (--open === 0) process.stderr.off("error", ignore);
  }
}

function ignore(): void {}
