/** Writes the journal to one tab as lines of JSON, as fast as the tab reads, until either side ends. */
import { setImmediate as turn } from "node:timers/promises";
import type { ServerResponse } from "node:http";
import type { Journal } from "./journal.ts";

/** Most characters that are written at once. */
const PIECE = 256 * 1024;
/** Milliseconds after which an empty line is written, so that both sides notice a lost connection. */
const HEARTBEAT = 15_000;

export async function streamEntries(journal: Journal, after: number, response: ServerResponse, signal: AbortSignal): Promise<void> {
  let wake: () => void = nothing;
  const stop = journal.onEntry(() => wake());
  const beat = setInterval(() => response.write("\n"), HEARTBEAT);
  const end = (): void => wake();
  response.on("close", end).on("drain", end);
  signal.addEventListener("abort", end, { once: true });
  try {
    response.writeHead(200, { "Content-Type": "application/x-ndjson; charset=utf-8" });
    const missed = journal.missedAfter(after);
    if (missed > 0) response.write(`${JSON.stringify({ kind: "gap", missed, seq: after, at: Date.now() })}\n`);
    let position = after;
    while (!signal.aborted && !response.destroyed) {
      const { text, last } = journal.read(position, PIECE);
      position = last;
      if (text === "") {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        await turn(); // entries of one turn are written together
      } else response.write(text);
      while (response.writableNeedDrain && !response.destroyed && !signal.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    clearInterval(beat);
    stop();
    response.off("close", end).off("drain", end);
    signal.removeEventListener("abort", end);
    response.end();
  }
}

function nothing(): void {
  // the stream is not waiting
}
