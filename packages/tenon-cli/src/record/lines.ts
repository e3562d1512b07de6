/** Lines of a stream, split at line feeds only: a line of JSON may hold every other separator. */
import { StringDecoder } from "node:string_decoder";
import type { Readable } from "node:stream";

/** Most characters of a line that is read. A longer one is passed over. */
const MAX_LINE = 10_485_760;

/** Calls `take` with each line, without its end. Resolves when the stream has ended. */
export function readLines(from: Readable, take: (line: string) => void): Promise<void> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  from.on("data", (chunk: Buffer | string) => {
    const parts = (rest + (typeof chunk === "string" ? chunk : decoder.write(chunk))).split("\n");
    rest = parts.pop() ?? "";
    if (rest.length > MAX_LINE) rest = "";
    for (const line of parts) if (line.trim() !== "") take(line);
  });
  return new Promise((resolve) => {
    const end = (): void => resolve();
    from.once("end", end).once("close", end).once("error", end);
  });
}
