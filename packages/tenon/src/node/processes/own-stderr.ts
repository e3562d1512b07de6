/** Writes the stderr of servers to this process's stderr, within a limit. Its failures do not end the process. */

/** Most bytes that wait to be written. */
const MAX_WAITING = 1024 * 1024;

let open = 0;

export class OwnStderr {
  constructor() {
    if (open++ === 0) process.stderr.on("error", ignore);
  }

  /** Writes a chunk, or drops it if stderr is not read. */
  write(chunk: Uint8Array): void {
    if (process.stderr.writableLength < MAX_WAITING) process.stderr.write(chunk);
  }

  close(): void {
    if (--open === 0) process.stderr.off("error", ignore);
  }
}

function ignore(): void {}
