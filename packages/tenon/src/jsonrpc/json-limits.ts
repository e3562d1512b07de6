/**
 * Limits on one JSON text from a peer. Each limit counts what the peer wrote, before anything is built from it.
 *
 * Bytes are limited where they are read (`limits.maxLineBytes`, the body limit of HTTP); these limits are about shape.
 */

/** Limits on one JSON text from a peer, each at least 1. A text that exceeds one is refused with -32600 and reaches no handler. */
export interface JsonLimits {
  /** Length of the text in UTF-16 code units. Default 10 Mi. */
  readonly size: number;
  /** Nesting depth: a scalar has depth 0, `{}` and `[]` have 1. Default 64. */
  readonly depth: number;
  /**
   * Values of any kind, containers included, keys not. Default 100 000. It limits memory: a value can take 30 times the memory of
   * its text.
   */
  readonly nodes: number;
  /** Members of any one object. Default 10 000. */
  readonly keysPerObject: number;
  /** Characters of any one number, sign and exponent included. Default 64. */
  readonly numberLength: number;
  /** Messages in a batch. Default 100. */
  readonly batch: number;
}

export const DEFAULT_JSON_LIMITS: JsonLimits = Object.freeze({
  size: 10 * 1024 * 1024,
  depth: 64,
  nodes: 100_000,
  keysPerObject: 10_000,
  numberLength: 64,
  batch: 100,
});
