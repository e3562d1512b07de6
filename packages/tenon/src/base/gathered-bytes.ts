/**
 * Collects bytes that arrive in chunks until all are there.
 *
 * Small chunks are copied together, because each kept chunk takes hundreds of bytes of memory: a peer that sends a body byte by
 * byte would otherwise make its reader use a hundred times what it sends.
 */

/** Chunks of fewer bytes are gathered, in buffers of this size. */
const LARGE_CHUNK = 4_096;

export class GatheredBytes {
  length = 0;
  readonly #pieces: Uint8Array[] = [];
  #open: Uint8Array | undefined;
  #filled = 0;

  /** Adds a chunk. A large chunk is kept without a copy, so it must not change afterwards. */
  add(chunk: Uint8Array): void {
    this.length += chunk.length;
    if (this.#filled + chunk.length > LARGE_CHUNK) this.#close();
    if (chunk.length >= LARGE_CHUNK) {
      this.#pieces.push(chunk);
      return;
    }
    this.#open ??= new Uint8Array(LARGE_CHUNK);
    this.#open.set(chunk, this.#filled);
    this.#filled += chunk.length;
  }

  #close(): void {
    if (this.#open !== undefined && this.#filled > 0) this.#pieces.push(this.#open.subarray(0, this.#filled));
    this.#open = undefined;
    this.#filled = 0;
  }

  joined(): Uint8Array {
    const whole = new Uint8Array(this.length);
    let at = 0;
    for (const piece of this.pieces()) {
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  }

  pieces(): readonly Uint8Array[] {
    this.#close();
    return this.#pieces;
  }
}
