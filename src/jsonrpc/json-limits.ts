/**
 * How much JSON one arrival may hold. Every limit counts what the peer wrote, before anything is made of it.
 *
 * Bytes on the wire are bounded where they are read (`limits.maxLineBytes`, the body limit of HTTP); these are about shape.
 */

/** Bounds on one JSON text from a peer, each at least 1. What exceeds one is refused with -32600 and reaches no handler. */
export interface JsonLimits {
  /** Length of the text in UTF-16 code units. Default 10 Mi. */
  readonly size: number;
  /** Containers inside each other; a scalar has depth 0, `{}` and `[]` have 1. Default 64. */
  readonly depth: number;
  /** Values of any kind, containers included, keys not. Default 100 000. Bounds memory: a value can cost 30 times its text. */
  readonly nodes: number;
  /** Members of any one object. Default 10 000. */
  readonly keysPerObject: number;
  /** Characters of any one number, sign and exponent included. Default 64. */
  readonly numberLength: number;
  /** Messages in a batch. Default 100. */
  readonly batch: number;
}

/** The limits of everything that is read without limits of its own. */
export const DEFAULT_JSON_LIMITS: JsonLimits = Object.freeze({
  size: 10 * 1024 * 1024,
  depth: 64,
  nodes: 100_000,
  keysPerObject: 10_000,
  numberLength: 64,
  batch: 100,
});
