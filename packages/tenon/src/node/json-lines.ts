/**
 * A file of JSON lines for records that must not slow down what they are about: an audit log.
 *
 * `write()` returns at once. Records wait in a queue until the disk has taken those before; if the queue is full they are dropped and
 * counted, and the file says how many.
 */
import { assertKnown, type OptionKeys } from "../base/known-options.ts";
import { withPresets, type NumberTable } from "../base/number-options.ts";
import { howItWasClosed, type ClosedBy } from "../dispatch/closed-server.ts";

/** Options of {@link openJsonLines}. */
export interface JsonLinesOptions {
  /** Characters of records that wait for the disk; more are dropped. Default 8 388 608. */
  maxQueued?: number;
  /** Called when the file cannot be written, once until it can be written again, and when records are dropped. Default: `console.error`. */
  onError?: (error: Error) => void;
}

const NUMBERS: NumberTable<Required<Pick<JsonLinesOptions, "maxQueued">>> = { maxQueued: [8_388_608, 1] };
const OPTIONS: OptionKeys<JsonLinesOptions> = { ...NUMBERS, onError: 1 };

/** A file of JSON lines. Made by {@link openJsonLines}. */
export interface JsonLines extends AsyncDisposable {
  /** Adds a record as one line. It returns before the line is written. @throws TypeError if the record has no JSON form */
  readonly write: (record: object) => void;
  /** Records that were dropped, because the disk was too slow or refused them. */
  readonly dropped: number;
  /** Writes what waits. Records that come later are dropped, and `onError` is called with the reason. */
  close(): Promise<void>;
}

/**
 * Adds records to a file as lines of JSON, without a wait for the disk. The file is created with access for its owner only, and opened for each write, so
 * that a tool may rename it at any time.
 * @throws TypeError if there is no path, or an option does not exist; RangeError if `maxQueued` is below 1
 * @example
 * ```ts
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { openJsonLines } from "tenon/node";
 *
 * await using log = openJsonLines(join(tmpdir(), "audit.jsonl"));
 * log.write({ who: "ada", what: "tools/call" });
 * ```
 */
export function openJsonLines(path: string, options: JsonLinesOptions = {}): JsonLines {
  // A program without types may pass anything, such as a variable of the environment that is not set.
  if (typeof path !== "string" || path === "")
    throw new TypeError(`openJsonLines() needs the path of a file, such as openJsonLines("audit.jsonl"), not ${JSON.stringify(path)}`);
  assertKnown("openJsonLines()", options, OPTIONS);
  return new LineQueue(path, withPresets(NUMBERS, options).maxQueued, options.onError ?? logToConsole);
}

class LineQueue implements JsonLines {
  readonly #path: string;
  readonly #max: number;
  readonly #onError: (error: Error) => void;
  #lines: string[] = [];
  #queued = 0;
  #dropped = 0;
  /** Dropped records that the file does not tell of yet. */
  #untold = 0;
  #writing: Promise<void> | undefined;
  #isFailing = false;
  #closedBy: ClosedBy | undefined;

  constructor(path: string, max: number, onError: (error: Error) => void) {
    this.#path = path;
    this.#max = max;
    this.#onError = onError;
  }

  get dropped(): number {
    return this.#dropped;
  }

  readonly write = (record: object): void => {
    const line = `${JSON.stringify(record)}\n`;
    if (this.#closedBy !== undefined || this.#queued + line.length > this.#max) return this.#drop(1);
    this.#lines.push(line);
    this.#queued += line.length;
    this.#writing ??= this.#writeAll();
  };

  #drop(count: number): void {
    if (this.#untold === 0 && !this.#isFailing)
      this.#onError(new Error(`${this.#path}: records are dropped, because ${this.#whyDropped()}`));
    this.#dropped += count;
    this.#untold += count;
  }

  #whyDropped(): string {
    if (this.#closedBy !== undefined) return `the log is closed: ${howItWasClosed(this.#closedBy)}`;
    return 'the disk does not take them (option "maxQueued")';
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#lines.length > 0) {
        const lines = this.#lines;
        this.#lines = [];
        await this.#append(lines);
      }
    } finally {
      this.#writing = undefined; // in the turn of the last look, so that no record comes between
    }
  }

  async #append(lines: readonly string[]): Promise<void> {
    const text = lines.join("");
    const untold = this.#untold;
    const note = untold === 0 ? "" : `${JSON.stringify({ time: new Date().toISOString(), dropped: untold })}\n`;
    try {
      const { appendFile } = await import("node:fs/promises");
      await appendFile(this.#path, note + text, { mode: 0o600 });
      this.#untold -= untold;
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#onError(error as Error); // Node's
      this.#isFailing = true;
      this.#drop(lines.length);
    }
    this.#queued -= text.length;
  }

  close(): Promise<void> {
    return this.#close("close()");
  }

  async #close(by: ClosedBy): Promise<void> {
    this.#closedBy ??= by;
    await this.#writing;
    if (this.#untold > 0 && !this.#isFailing) await this.#append([]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close("await using");
  }
}

function logToConsole(error: Error): void {
  // oxlint-disable-next-line no-console -- the default of `onError`
  console.error(error.message);
}
