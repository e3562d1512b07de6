/** What goes wrong beside a result: the first few are shown, of the rest there is only how many. */
import { cleanLine } from "../terminal/display.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** A server that prints what is no message would fill the screen. */
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

  /** There will be no more. */
  end(): void {
    if (this.#count > SHOWN) this.#note(`... and ${this.#count - SHOWN} more like that`);
  }

  #note(line: string): void {
    this.#terminal.note(this.#terminal.paintNote("dim", line));
  }
}
