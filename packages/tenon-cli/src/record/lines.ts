/** Lines of a stream, split at line feeds only: a line of JSON may hold every other separator. */
import { StringDecoder } from "node:string_decoder";
import type { Readable } from "node:stream";

/** Most characters of a line that is read. A longer one is passed over, and the lines after it are read. */
const MAX_LINE = 10_485_760;

/** Calls `take` with each line, without its end; blank ones are left out. Resolves when the stream has ended. */
export function readLines(from: Readable, take: (line: string) => void): Promise<void> {
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  let length = 0;
  const keep = (piece: string): void => {
    length += piece.length;
    if (length <= MAX_LINE) pieces.push(piece);
    else pieces = [];
  };
  const finish = (): void => {
    const line = pieces.join("");
    [pieces, length] = [[], 0];
    if (line.trim() !== "") take(line);
  };
  from.on("data", (chunk: Buffer | string) => {
    const [first = "", ...more] = (typeof chunk === "string" ? chunk : decoder.write(chunk)).split("\n");
    keep(first);
    for (const piece of more) {
      finish();
      keep(piece);
    }
  });
  return new Promise((resolve) => {
    const end = (): void => {
      finish();
      resolve();
    };
    from.once("end", end).once("close", end).once("error", end);
  });
}
