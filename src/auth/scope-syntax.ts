/** Scopes: what they may be written with, where tokens carry them, and which include which. */

/** `scope-token` of RFC 6749 section 3.3. */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/;

export function isScopeToken(text: string): boolean {
  return SCOPE.test(text);
}

/** @param what the option, for the message @throws TypeError for what is no list of scopes */
export function assertScopes(what: string, scopes: readonly string[]): void {
  for (const scope of [scopes].flat()) {
    if (!isScopeToken(scope) || typeof scopes === "string")
      throw new TypeError(
        `Option "${what}" must be a list of scopes, which are printable ASCII without space, " and \\: ${JSON.stringify(scopes)}`,
      );
  }
}

/** Each scope with those it includes, such as `{ admin: ["write"], write: ["read"] }`. */
export type ScopeHierarchy = Readonly<Record<string, readonly string[]>>;

/** The scopes with everything they include, step by step, each once. */
export function withIncluded(scopes: readonly string[], hierarchy: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const all = new Set(scopes);
  for (const scope of all) for (const included of hierarchy.get(scope) ?? []) all.add(included);
  return [...all];
}

/** The scopes of a claim: names in a string, or in an array. Anything else is none. */
export function scopesIn(claim: unknown): readonly string[] {
  const names: readonly unknown[] = typeof claim === "string" ? claim.split(" ") : Array.isArray(claim) ? claim : [];
  return names.filter((name): name is string => typeof name === "string" && SCOPE.test(name));
}
