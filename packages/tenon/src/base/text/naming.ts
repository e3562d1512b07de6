/**
 * Names that are unique among several sets of names: `prefix__name`.
 *
 * They suit hosts that accept 64 letters, digits, `_` and `-` (most model APIs). Two names never become one: a prefix contains no `__` and
 * does not end in `_`, so the first `__` always ends it, and a name that does not fit gets a hash of the whole name.
 */
import { shortHash } from "../hash.ts";

/** Most characters of a name that hosts accept. */
export const MAX_NAME_LENGTH = 64;
const MAX_PREFIX_LENGTH = 32;
/** Ends the prefix: no prefix contains it. */
export const SEPARATOR = "__";

export function prefixOf(name: string): string {
  const safe = name
    .replace(/[^A-Za-z0-9_-]/g, "_")
    .replace(/_+/g, "_")
    .slice(0, MAX_PREFIX_LENGTH)
    .replace(/^_|_$/g, "");
  return safe === "" ? `server-${shortHash(name)}` : safe;
}

/** `prefix__name`, cut and with a hash if it does not fit. */
export function prefixed(prefix: string, name: string): string {
  const start = prefix + SEPARATOR;
  const room = MAX_NAME_LENGTH - start.length;
  if (name.length <= room && /^[A-Za-z0-9_-]+$/.test(name)) return start + name;
  const hash = `_${shortHash(name)}`;
  return start + name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, room - hash.length) + hash;
}
