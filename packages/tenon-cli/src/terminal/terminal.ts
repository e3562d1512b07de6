/**
 * The two streams of the command: results on stdout, everything else on stderr. On a terminal, a progress line on stderr is
 * rewritten in place. Security: all texts are cleaned here, because a peer may have written any part of them; colour is added after that.
 */
import type { Progress } from "tenon";
import { type Paint, cleanLine, coloured, escapeInvisible, marked, shorten, showsColour } from "tenon/internal";
import type { Output, Shell } from "../shell.ts";

const CLEAR_LINE = "\r\u001B[2K";
const BAR_WIDTH = 20;

export class Terminal {
  /** Styles for what goes to stdout. */
  readonly paint: Paint = marked;
  /** Styles for what goes to stderr. */
  readonly paintNote: Paint = marked;
  readonly #stdout: Output;
  readonly #stderr: Output;
  readonly #paintsResults: boolean;
  readonly #paintsNotes: boolean;
  #progressShown = false;

  constructor({ stdout, stderr, env }: Pick<Shell, "stdout" | "stderr" | "env">) {
    this.#paintsResults = showsColour(stdout, env);
    this.#paintsNotes = showsColour(stderr, env);
    this.#stdout = stdout;
    this.#stderr = stderr;
  }

  /** Width of lines; Infinity if a program reads the output. */
  get width(): number {
    return this.#stdout.isTTY ? widthOf(this.#stdout) : Infinity;
  }

  /** Whether a user sees the results, and not a file or a program. */
  get isShown(): boolean {
    return this.#stdout.isTTY === true;
  }

  /** Writes bytes as the result, with nothing added; at a terminal as text, because a peer wrote them. Resolves when all of them are written. */
  write(bytes: Uint8Array): Promise<void> {
    if (this.isShown) return this.print(new TextDecoder().decode(bytes));
    this.clearProgress();
    return new Promise((resolve) => this.#stdout.write(bytes, () => resolve()));
  }

  /** Writes a result. Resolves when all of it is written. */
  print(text: string): Promise<void> {
    this.clearProgress();
    const shown = coloured(text, this.#paintsResults);
    return new Promise((resolve) => this.#stdout.write(shown.endsWith("\n") ? shown : `${shown}\n`, () => resolve()));
  }

  /** Writes JSON as a result, with escapes for what a terminal would not show. Resolves when all of it is written. */
  printJson(json: string): Promise<void> {
    return this.print(escapeInvisible(json));
  }

  /** Writes a line beside the result. */
  note(line: string): void {
    this.clearProgress();
    this.#stderr.write(`${coloured(line, this.#paintsNotes)}\n`);
  }

  progress({ progress, total, message = "" }: Progress): void {
    const amount = total === undefined || total <= 0 ? String(progress) : `${bar(progress / total)} ${progress}/${total}`;
    const line = `${amount} ${cleanLine(message)}`.trimEnd();
    if (!this.#stderr.isTTY) return void this.#stderr.write(`${line}\n`);
    this.#stderr.write(CLEAR_LINE + shorten(line, widthOf(this.#stderr) - 1));
    this.#progressShown = true;
  }

  /** Shows the current activity, on a terminal only. */
  activity(text: string): void {
    if (!this.#stderr.isTTY) return;
    this.#stderr.write(CLEAR_LINE + shorten(cleanLine(text), widthOf(this.#stderr) - 1));
    this.#progressShown = true;
  }

  clearProgress(): void {
    if (this.#progressShown) this.#stderr.write(CLEAR_LINE);
    this.#progressShown = false;
  }
}

/** A terminal that does not know its width says 0. */
function widthOf({ columns = 0 }: Output): number {
  return columns > 0 ? columns : 80;
}

function bar(part: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, part)) * BAR_WIDTH);
  return `[${"=".repeat(filled)}${" ".repeat(BAR_WIDTH - filled)}]`;
}
