/**
 * The two streams of the command: results on stdout, everything else on stderr. On a terminal, a progress line on stderr is
 * rewritten in place.
 */
import type { Progress } from "../../dispatch/dispatcher.ts";
import { cleanLine, painterFor, shorten, type Paint } from "../../node/questions/display.ts";

const CLEAR_LINE = "\r\u001B[2K";
const BAR_WIDTH = 20;

export class Terminal {
  /** Styles for what goes to stdout. */
  readonly paint: Paint = painterFor(process.stdout, process.env);
  /** Styles for what goes to stderr. */
  readonly paintNote: Paint = painterFor(process.stderr, process.env);
  #progressShown = false;

  /** Width of lines; Infinity if a program reads the output. */
  get width(): number {
    return process.stdout.isTTY ? widthOf(process.stdout) : Infinity;
  }

  /** Writes a result. Resolves when all of it is written. */
  print(text: string): Promise<void> {
    this.clearProgress();
    return new Promise((resolve) => process.stdout.write(text.endsWith("\n") ? text : `${text}\n`, () => resolve()));
  }

  /** Writes a line beside the result. */
  note(line: string): void {
    this.clearProgress();
    process.stderr.write(`${line}\n`);
  }

  /** Shows the progress of a call. */
  progress({ progress, total, message = "" }: Progress): void {
    const amount = total === undefined || total <= 0 ? String(progress) : `${bar(progress / total)} ${progress}/${total}`;
    const line = `${amount} ${cleanLine(message)}`.trimEnd();
    if (!process.stderr.isTTY) return void process.stderr.write(`${line}\n`);
    process.stderr.write(CLEAR_LINE + shorten(line, widthOf(process.stderr) - 1));
    this.#progressShown = true;
  }

  /** Shows the current activity, on a terminal only. */
  activity(text: string): void {
    if (!process.stderr.isTTY) return;
    process.stderr.write(CLEAR_LINE + shorten(cleanLine(text), widthOf(process.stderr) - 1));
    this.#progressShown = true;
  }

  clearProgress(): void {
    if (this.#progressShown) process.stderr.write(CLEAR_LINE);
    this.#progressShown = false;
  }
}

/** A terminal that does not know its width says 0. */
function widthOf(stream: { columns: number }): number {
  return stream.columns > 0 ? stream.columns : 80;
}

function bar(part: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, part)) * BAR_WIDTH);
  return `[${"=".repeat(filled)}${" ".repeat(BAR_WIDTH - filled)}]`;
}
