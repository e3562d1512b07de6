/**
 * A queue of lines that wait for a full stream, limited by bytes. If there are too many, droppable lines are dropped,
 * oldest first.
 *
 * It is only a data structure; `LineWriter` decides when to write.
 */

/** Text, or bytes that are encoded already. */
export type Piece = string | Uint8Array;

interface QueuedWrite {
  data: Piece;
  bytes: number;
  readonly droppable: boolean;
}

export class WriteQueue {
  readonly maxBytes: number;
  #lines: QueuedWrite[] = [];
  /** Index of the next line to be written. */
  #next = 0;
  /** No line before this index is droppable. */
  #dropFrom = 0;
  #bytes = 0;
  #dropped = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** Bytes that wait. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a line, or a part of one. Returns false if there is no room and it was not added. An `always` line is added in any case. */
  push(data: Piece, droppable: boolean, always: boolean): boolean {
    const bytes = Buffer.byteLength(data);
    this.#makeRoom(bytes);
    if (this.#bytes + bytes > this.maxBytes && (droppable || !always)) {
      if (droppable) this.#dropped++;
      return false;
    }
    this.#lines.push({ data, bytes, droppable });
    this.#bytes += bytes;
    return true;
  }

  /** Takes the next lines, until they have `length` bytes. Joins adjacent text. Returns an empty list if no line is left. */
  take(length: number): Piece[] {
    const pieces: Piece[] = [];
    let text = "";
    for (let taken = 0; taken < length && this.#next < this.#lines.length;) {
      const { data, bytes } = this.#lines[this.#next++]!;
      this.#bytes -= bytes;
      taken += bytes;
      if (typeof data === "string") text += data;
      else {
        pieces.push(text, data);
        text = "";
      }
    }
    if (this.#next * 2 >= this.#lines.length) this.#forgetTaken();
    pieces.push(text);
    return pieces.filter((piece) => piece !== "");
  }

  clear(): void {
    this.#lines = [];
    this.#next = 0;
    this.#dropFrom = 0;
    this.#bytes = 0;
  }

  /** Returns how many lines were dropped since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  /** Removes lines that were taken, so that a queue that is never empty does not grow. */
  #forgetTaken(): void {
    this.#lines.splice(0, this.#next);
    this.#dropFrom = Math.max(0, this.#dropFrom - this.#next);
    this.#next = 0;
  }

  /** Drops droppable lines, oldest first, until there is room or none is left. */
  #makeRoom(bytes: number): void {
    let i = Math.max(this.#dropFrom, this.#next);
    for (; i < this.#lines.length && this.#bytes + bytes > this.maxBytes; i++) {
      const waiting = this.#lines[i]!;
      if (!waiting.droppable) continue;
      this.#bytes -= waiting.bytes;
      waiting.bytes = 0;
      waiting.data = "";
      this.#dropped++;
    }
    this.#dropFrom = i;
  }
}
