/**
 * What the SDK uses of its platform, and a seed must decide: chance, and how long a digest takes, which Node leaves to its
 * threads.
 */
import { createHash } from "node:crypto";
import type { Random } from "./random.ts";

/** @returns how to put everything back */
export function seedPlatform({ next }: Random): () => void {
  const { random } = Math;
  const { subtle } = globalThis.crypto;
  Math.random = next;
  subtle.digest = (_algorithm, bytes) => Promise.resolve(sha256(bytes as Uint8Array)); // what the SDK passes
  return () => {
    Math.random = random;
    Reflect.deleteProperty(subtle, "digest"); // the prototype has its own
  };
}

function sha256(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(createHash("sha256").update(bytes).digest()).buffer;
}
