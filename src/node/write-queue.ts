/**
 * Lines that wait for a full stream, bounded by bytes: when there are too many, those that may be lost are, oldest first.
 *
 * A plain data structure: who writes and when is `LineWriter`'s affair.
 */

interface Waiting {
  line: string;
  /** Ready-made bytes in the middle of the line: what comes after them is always the same. */
  readonly body: Uint8Array | undefined;
  readonly droppable: boolean;
}

export class WriteQueue {
  readonly maxBytes: number;
  #lines: Waiting[] = [];
  /** Index of the next line to be written. */
  #next = 0;
  /** No line before this index can be dropped any more. */
  #dropFrom = 0;
  #bytes = 0;
  #dropped = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** Adds a line. False where there is no room and it was not added; one that is `always` taken is added all the same. */
  push(line: string, droppable: boolean, always: boolean, body?: Uint8Array): boolean {
    const bytes = Buffer.byteLength(line) + (body?.length ?? 0);
    while (this.#bytes + bytes > this.maxBytes && this.#dropOldest());
    if (this.#bytes + bytes > this.maxBytes && (droppable || !always)) {
      if (droppable) this.#dropped++;
      return false;
    }
    this.#lines.push({ line, body, droppable });
    this.#bytes += bytes;
    return true;
  }

  /** The next lines, as many as it takes to reach `length` characters; "" where none is left or one with a body is next. */
  take(length: number): string {
    let text = "";
    while (text.length < length && this.#next < this.#lines.length) {
      const { line, body } = this.#lines[this.#next]!;
      if (body !== undefined) return text;
      this.#next++;
      this.#bytes -= Buffer.byteLength(line);
      text += line;
    }
    if (this.#next === this.#lines.length) this.clear();
    return text;
  }

  /** The next line, where it has a body. */
  takeWithBody(): { readonly line: string; readonly body: Uint8Array } | undefined {
    const { line, body } = this.#lines[this.#next] ?? {};
    if (line === undefined || body === undefined) return undefined;
    this.#next++;
    this.#bytes -= Buffer.byteLength(line) + body.length;
    if (this.#next === this.#lines.length) this.clear();
    return { line, body };
  }

  clear(): void {
    this.#lines = [];
    this.#next = 0;
    this.#dropFrom = 0;
    this.#bytes = 0;
  }

  /** How many lines were dropped since this was last asked. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  #dropOldest(): boolean {
    for (let i = Math.max(this.#dropFrom, this.#next); i < this.#lines.length; i++) {
      const waiting = this.#lines[i]!;
      if (!waiting.droppable) continue;
      this.#bytes -= Buffer.byteLength(waiting.line);
      waiting.line = "";
      this.#dropped++;
      this.#dropFrom = i + 1;
      return true;
    }
    this.#dropFrom = this.#lines.length;
    return false;
  }
}
