/**
 * Scopes: their syntax, reading them, which scopes include which, and whether a grant is enough. Clients and resource
 * servers use the same rules (RFC 6749 section 3.3).
 */

/** Scope tokens, each once, in the order they were named. */
export type Scope = readonly string[];

/** `scope-token` of RFC 6749 section 3.3. */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/;

export function isScopeToken(text: string): boolean {
  return SCOPE.test(text);
}

/** @param what the option, for the message @throws TypeError if `scopes` is not a list of scopes */
export function assertScopes(what: string, scopes: readonly string[]): void {
  for (const scope of [scopes].flat()) {
    if (typeof scope !== "string" || !isScopeToken(scope) || typeof scopes === "string")
      throw new TypeError(
        `Option "${what}" must be a list of scopes, which are printable ASCII without space, " and \\: ${JSON.stringify(scopes)}`,
      );
  }
}

/** The tokens of a `scope` value; undefined if it contains a character that no scope may contain. */
export function parseScope(text: string): Scope | undefined {
  const tokens = text.split(" ").filter((token) => token !== "");
  return tokens.every(isScopeToken) ? [...new Set(tokens)] : undefined;
}

/**
 * The form in which a scope must be requested: the only one of `forms` that ends with a slash and the scope, as `api://app/read` does for `read`. It
 * is the scope itself if that is one of the forms, or if none or several fit.
 */
export function requestForm(scope: string, forms: readonly string[]): string {
  if (forms.includes(scope)) return scope;
  const [form, ...others] = forms.filter((one) => one.endsWith(`/${scope}`));
  return form === undefined || others.length > 0 ? scope : form;
}

/** The scopes of a claim: names in a string, or in an array. A claim of any other form has no scopes. */
export function scopesIn(claim: unknown): Scope {
  const names: readonly unknown[] = typeof claim === "string" ? claim.split(" ") : Array.isArray(claim) ? claim : [];
  return names.filter((name): name is string => typeof name === "string" && SCOPE.test(name));
}

/** Each scope with those it includes, such as `{ admin: ["write"], write: ["read"] }`. */
export type ScopeHierarchy = Readonly<Record<string, readonly string[]>>;

/** The scopes with everything they include, step by step, each once. */
export function withIncluded(scopes: Scope, hierarchy: ReadonlyMap<string, Scope>): Scope {
  const all = new Set(scopes);
  for (const scope of all) for (const included of hierarchy.get(scope) ?? []) all.add(included);
  return [...all];
}

export function uniteScopes(first: Scope | undefined, second: Scope | undefined): Scope | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return [...new Set([...first, ...second])];
}

/** Whether `granted` includes all of `wanted`. Undefined means that the scope of the grant is not known: then it includes nothing. */
export function includesScopes(granted: Scope | undefined, wanted: Scope = []): boolean {
  return granted !== undefined && wanted.every((scope) => granted.includes(scope));
}
