/** Scopes as a client handles them: read from what others wrote, put together, compared (requirements M4.3, M5.2). */
import { isScopeToken } from "./scope-syntax.ts";

/** Scope tokens, each once, in the order they were named. */
export type Scope = readonly string[];

/** The tokens of a `scope` value; undefined where it has a character that no scope has. */
export function parseScope(text: string): Scope | undefined {
  const tokens = text.split(" ").filter((token) => token !== "");
  return tokens.every(isScopeToken) ? [...new Set(tokens)] : undefined;
}

/** Everything in either. */
export function unite(first: Scope | undefined, second: Scope | undefined): Scope | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return [...new Set([...first, ...second])];
}

/** Whether a token that was granted `granted` has all of `wanted`. One whose scope nobody named may have anything. */
export function covers(granted: Scope | undefined, wanted: Scope | undefined): boolean {
  return granted !== undefined && (wanted ?? []).every((token) => granted.includes(token));
}
