/** Shows errors that do not fail the command: the first few, and the number of the others. */
import { cleanLine } from "tenon/internal";
import type { Terminal } from "../terminal/terminal.ts";

/** Most errors to show. A server that prints garbage would otherwise fill the screen. */
const SHOWN = 10;

export class ErrorNotes {
  readonly #terminal: Terminal;
  #count = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  readonly add = (error: Error): void => {
    if (++this.#count <= SHOWN) this.#note(`tenon: ${cleanLine(error.message)}`);
  };

  /** Shows the number of errors that were not shown. */
  end(): void {
    if (this.#count > SHOWN) this.#note(`... and ${this.#count - SHOWN} more like that`);
  }

  #note(line: string): void {
    this.#terminal.note(this.#terminal.paintNote("dim", line));
  }
}
