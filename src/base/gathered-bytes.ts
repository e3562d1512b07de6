/**
 * Bytes that come in chunks, until all are there.
 *
 * Small chunks are copied together: to keep one takes hundreds of bytes, so that whoever sends a body byte by byte would cost
 * its reader a hundred times what he sends.
 */

/** Chunks of fewer bytes are gathered, in buffers of this size. */
const LARGE_CHUNK = 4_096;

export class GatheredBytes {
  /** Bytes in all. */
  length = 0;
  readonly #pieces: Uint8Array[] = [];
  #open: Uint8Array | undefined;
  #filled = 0;

  /** A large chunk is kept as it is, and must stay so. */
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

  /** Everything, in order. */
  pieces(): readonly Uint8Array[] {
    this.#close();
    return this.#pieces;
  }
}
