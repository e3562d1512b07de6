/** Begins a script that frees memory or needs next to none: Redis runs it also if its memory is full. */
export const WHEN_FULL = "#!lua flags=allow-oom";

/** A script that the engine runs as one step. It is known there by its SHA-1. */
export class RedisScript {
  readonly source: string;
  #digest: Promise<string> | undefined;

  constructor(source: string) {
    this.source = source;
  }

  /** The SHA-1 of the source, in hexadecimal digits. It names the script and protects nothing. */
  get digest(): Promise<string> {
    return (this.#digest ??= sha1(this.source));
  }
}

async function sha1(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
