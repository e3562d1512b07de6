/** Compares secrets by their digests, in a time that does not depend on where they differ. */
import { sha256 } from "../../base/sha256.ts";

export async function sameSecret(expected: string, given: string): Promise<boolean> {
  const [a, b] = await Promise.all([sha256(expected), sha256(given)]);
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a[i]! ^ b[i]!;
  return difference === 0;
}
