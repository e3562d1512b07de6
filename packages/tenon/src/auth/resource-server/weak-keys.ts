/**
 * Finds public keys with which anyone could sign: RSA keys whose private part is easy to compute, or needs none.
 *
 * Security: with an exponent of 1 every text is its own signature. The checks are those that certificate authorities make (CA/Browser Forum,
 * Baseline Requirements 6.1.1.3 and 6.1.6): exponent, size, small factors, the ROCA fingerprint, and factors that are close to each other.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";

/** Smallest exponent: the first odd number from here on is 65537. */
const MIN_EXPONENT = 2n ** 16n;
const MIN_BITS = 2_048;
/** A larger key would cost more time than it is worth. */
const MAX_BITS = 16_384;
/** Odd primes up to 167: the ones by which keys of the ROCA generator are known (CVE-2017-15361). */
const PRIMES: readonly number[] = [...Array(168).keys()].filter(
  (n) => n > 2 && [...Array(n).keys()].slice(2).every((divisor) => n % divisor !== 0),
);
/** Rounds of Fermat's method. They find factors that were chosen next to each other. */
const FERMAT_ROUNDS = 100;

/** What is wrong with a public key, as the end of a sentence; undefined if nothing is. Keys of other types are not judged. */
export function weaknessOf({ kty, n, e, d }: JsonObject): string | undefined {
  if (d !== undefined) return "it is published with its private part";
  if (kty !== "RSA") return undefined;
  const [modulus, exponent] = [integerOf(n), integerOf(e)];
  if (modulus === undefined || exponent === undefined) return "it is no RSA key";
  if (exponent < MIN_EXPONENT || exponent % 2n === 0n) return `its exponent ${exponent < MIN_EXPONENT ? exponent : "is even"} is unsafe`;
  const bits = modulus.toString(2).length;
  if (bits < MIN_BITS || bits > MAX_BITS) return `it has ${bits} bits, and must have ${MIN_BITS} to ${MAX_BITS}`;
  if (modulus % 2n === 0n || PRIMES.some((prime) => modulus % BigInt(prime) === 0n)) return "its modulus has a small factor";
  if (PRIMES.every((prime) => isPowerOf65537(Number(modulus % BigInt(prime)), prime)))
    return "it comes from a generator whose keys can be computed (ROCA)";
  return hasCloseFactors(modulus) ? "its factors are close to each other" : undefined;
}

/** Reads an unsigned integer in base64url; undefined if it is not one, or is longer than any key that is accepted. */
function integerOf(text: unknown): bigint | undefined {
  if (typeof text !== "string" || !/^[\w-]{1,4096}$/.test(text)) return undefined;
  try {
    const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return BigInt(`0x${Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("")}`);
  } catch {
    return undefined; // the text has a length that no bytes have
  }
}

function isPowerOf65537(rest: number, prime: number): boolean {
  for (let power = 1, count = 0; count < prime; count++) {
    if (power === rest) return true;
    power = (power * 65_537) % prime;
  }
  return false;
}

function hasCloseFactors(modulus: bigint): boolean {
  let middle = rootOf(modulus);
  if (middle * middle < modulus) middle++;
  for (let round = 0; round < FERMAT_ROUNDS; round++, middle++) if (isSquare(middle * middle - modulus)) return true;
  return false;
}

function isSquare(value: bigint): boolean {
  // The last bits show of most numbers that they are not squares.
  if (![0, 1, 4, 9, 16, 17, 25, 33, 36, 41, 49, 57].includes(Number(value & 63n))) return false;
  const root = rootOf(value);
  return root * root === value;
}

/** The integer square root, by Newton's method. */
function rootOf(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
