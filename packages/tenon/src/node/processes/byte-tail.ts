/** Keeps the last bytes of a stream in a ring buffer of fixed size: the end of a server's stderr, for errors. */

const CAPACITY = 64 * 1024;

export class ByteTail {
  /** Allocated at the first write, because most servers write nothing. */
  #ring: Buffer | undefined;
  #total = 0;

  write(chunk: Uint8Array): void {
    const ring = (this.#ring ??= Buffer.allocUnsafe(CAPACITY));
    const tail = chunk.subarray(Math.max(0, chunk.length - CAPACITY));
    const at = (this.#total + chunk.length - tail.length) % CAPACITY;
    const untilEdge = tail.subarray(0, CAPACITY - at);
    ring.set(untilEdge, at);
    ring.set(tail.subarray(untilEdge.length), 0);
    this.#total += chunk.length;
  }

  /** The last `bytes` as text; a character cut off at the beginning is left out. */
  text(bytes: number = CAPACITY): string {
    const ring = this.#ring;
    if (ring === undefined) return "";
    const edge = this.#total % CAPACITY;
    const all = this.#total <= CAPACITY ? ring.subarray(0, this.#total) : Buffer.concat([ring.subarray(edge), ring.subarray(0, edge)]);
    let start = Math.max(0, all.length - bytes);
    if (start > 0 || this.#total > CAPACITY) while (isContinuation(all[start])) start++;
    return all.toString("utf8", start);
  }
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
