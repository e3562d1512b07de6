/** What a server writes to its error output: shown line by line, cleaned, with its end kept for the error that may follow. */
import { StringDecoder } from "node:string_decoder";
import type { TextSink } from "../../transport/stdio-server-parameters.ts";
import { clean } from "../terminal/display.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Characters kept for the error that may follow, and of a line before it is shown unended. */
const KEPT = 2048;

export class ServerOutput implements TextSink {
  readonly #terminal: Terminal;
  readonly #decoder = new StringDecoder("utf8");
  #line = "";
  #tail = "";
  /** Lines seen so far; undefined once the server has answered. */
  #seen: Set<string> | undefined = new Set();

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  write(chunk: Uint8Array): void {
    const text = this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    const lines = (this.#line + text).split("\n");
    this.#line = lines.pop() ?? "";
    if (this.#line.length > KEPT) {
      lines.push(this.#line);
      this.#line = "";
    }
    for (const line of lines) this.#show(line);
  }

  /** The server has answered: from now on every line is shown. */
  connected(): void {
    this.#seen = undefined;
  }

  /** Shows a last line that was not ended, and returns the end of it all. */
  end(): string {
    if (this.#line !== "") this.#show(this.#line);
    this.#line = "";
    return this.#tail;
  }

  /** A server that leaves at once is started a second time and says the same again: that is shown once. */
  #show(line: string): void {
    if (this.#seen?.has(line)) return;
    this.#seen?.add(line);
    this.#tail = `${this.#tail}${line}\n`.slice(-KEPT);
    this.#terminal.note(this.#terminal.paintNote("dim", clean(line)));
  }
}
