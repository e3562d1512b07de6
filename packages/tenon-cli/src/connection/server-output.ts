/** Shows what a server writes to stderr, line by line and cleaned, and keeps its end for error messages. */
import { StringDecoder } from "node:string_decoder";
import type { TextSink } from "tenon/node";
import { clean } from "tenon/internal";
import type { Terminal } from "../terminal/terminal.ts";

/** Most characters to keep, and characters after which an unfinished line is shown. */
const KEPT = 2048;

export class ServerOutput implements TextSink {
  readonly #terminal: Terminal;
  readonly #decoder = new StringDecoder("utf8");
  #line = "";
  #tail = "";
  /** Lines so far; undefined once the server has connected. */
  #seen: Set<string> | undefined = new Set();

  readonly #isQuiet: boolean;

  /** @param isQuiet keeps the lines, and shows the last ones only if the server cannot be reached */
  constructor(terminal: Terminal, isQuiet = false) {
    this.#terminal = terminal;
    this.#isQuiet = isQuiet;
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

  /** Shows every line from now on, because the server has connected. */
  connected(): void {
    this.#seen = undefined;
  }

  /** Shows an unfinished last line, and returns the end of the output. */
  end(): string {
    if (this.#line !== "") this.#show(this.#line);
    this.#line = "";
    if (this.#isQuiet && this.#tail !== "") this.#note(this.#tail.trimEnd());
    return this.#tail;
  }

  /** Shows a line. A server that exits at once is started a second time and repeats its lines; these are shown once. */
  #show(line: string): void {
    if (this.#seen?.has(line)) return;
    this.#seen?.add(line);
    this.#tail = `${this.#tail}${line}\n`.slice(-KEPT);
    if (!this.#isQuiet) this.#note(line);
  }

  #note(text: string): void {
    this.#terminal.note(this.#terminal.paintNote("dim", clean(text)));
  }
}

/** Makes what shows the errors of a program that is not waited for, such as one behind a gateway. */
export function outputsOn(terminal: Terminal): () => ServerOutput {
  return () => {
    const output = new ServerOutput(terminal);
    output.connected();
    return output;
  };
}
