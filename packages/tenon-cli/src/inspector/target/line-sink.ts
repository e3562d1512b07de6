/** Splits the error output of a program into lines, of a bounded length. */
import { StringDecoder } from "node:string_decoder";
import { clean } from "tenon/internal";
import type { TextSink } from "tenon/node";

/** Most characters of a line. A longer one is shown in pieces. */
const MAX_LINE = 4_096;

export class LineSink implements TextSink {
  readonly #decoder = new StringDecoder("utf8");
  readonly #take: (line: string) => void;
  #rest = "";

  constructor(take: (line: string) => void) {
    this.#take = take;
  }

  write(chunk: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))).split("\n");
    this.#rest = lines.pop() ?? "";
    while (this.#rest.length > MAX_LINE) {
      lines.push(this.#rest.slice(0, MAX_LINE));
      this.#rest = this.#rest.slice(MAX_LINE);
    }
    for (const line of lines) if (line !== "") this.#take(clean(line).slice(0, MAX_LINE));
  }
}
