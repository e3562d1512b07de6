/**
 * Keys of arguments that the APIs of all models accept. Anthropic refuses a whole request if one key of one tool does not match, so
 * `filter[name]` of an API becomes `filter_name` for the model, and is sent under its own name.
 */
import { shortHash } from "./hash.ts";

export const ARGUMENT_KEY: RegExp = /^[a-zA-Z0-9_.-]{1,64}$/;
const MAX_KEY = 64;

/**
 * The key for a name that does not match {@link ARGUMENT_KEY}: its letters and digits, with `_` in place of the rest. It ends with a
 * hash of the name if it would be too long, empty or taken, so that it does not depend on the order of the names.
 */
export function argumentKey(name: string, isTaken: (key: string) => boolean): string {
  const letters = name
    .replace(/^[^A-Za-z0-9_]+|[^A-Za-z0-9_]+$/g, "")
    .replace(/[^A-Za-z0-9_]+/g, "_")
    .replace(/^(?=\d)/, "_");
  return letters !== "" && letters.length <= MAX_KEY && !isTaken(letters) ? letters : hashedKey(name, letters, MAX_KEY, isTaken);
}

/** The letters of a name, cut, with a hash of the whole name, of at most `max` characters: the first such key that is not taken. */
export function hashedKey(name: string, letters: string, max: number, isTaken: (key: string) => boolean): string {
  for (let basis: number | undefined; ; basis = (basis ?? 0) + 1) {
    const hash = `_${shortHash(name, basis)}`;
    const key = letters.slice(0, max - hash.length) + hash;
    if (!isTaken(key)) return key;
  }
}
