/** The parameters of a request: read once each, because a parameter that is sent twice is malformed (RFC 6749 section 3.1). */
import { OAuthError } from "./oauth-error.ts";

/** `resource` (RFC 8707) and `audience` (RFC 8693) may occur more than once. */
const REPEATABLE: readonly string[] = ["resource", "audience"];
/** A list of scopes (RFC 6749 section 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;

export class Parameters {
  readonly #values: URLSearchParams;

  constructor(values: URLSearchParams) {
    this.#values = values;
  }

  /** The first parameter that occurs twice and must not. */
  get repeated(): string | undefined {
    const names = [...this.#values.keys()];
    return names.find((name, index) => names.indexOf(name) !== index && !REPEATABLE.includes(name));
  }

  assertNoneRepeated(): void {
    const name = this.repeated;
    if (name !== undefined) throw new OAuthError("invalid_request", `Parameter ${JSON.stringify(name)} occurs more than once`);
  }

  /** Undefined if the parameter is absent or empty, which mean the same (RFC 6749 section 3.1). */
  get(name: string): string | undefined {
    return this.#values.get(name) || undefined;
  }

  getAll(name: string): readonly string[] {
    return this.#values.getAll(name).filter((value) => value !== "");
  }

  /** @throws OAuthError if it is absent */
  required(name: string): string {
    const value = this.get(name);
    if (value === undefined) throw new OAuthError("invalid_request", `Parameter "${name}" is missing`);
    return value;
  }

  /** The requested scopes, without duplicates; undefined if none is named. @throws OAuthError */
  scopes(): readonly string[] | undefined {
    const text = this.get("scope");
    if (text === undefined) return undefined;
    if (!SCOPE.test(text)) throw new OAuthError("invalid_scope", 'Parameter "scope" is not a list of scopes, separated by one blank');
    return [...new Set(text.split(" "))];
  }

  /** The requested resources (RFC 8707 section 2). @throws OAuthError if one is not an absolute URI without fragment */
  resources(): readonly string[] {
    const resources = [...new Set(this.getAll("resource"))];
    for (const resource of resources) {
      if (!URL.canParse(resource) || resource.includes("#")) {
        throw new OAuthError("invalid_target", 'Parameter "resource" must be an absolute URI without fragment');
      }
    }
    return resources;
  }

  toJSON(): Record<string, string | readonly string[]> {
    const entries = [...new Set(this.#values.keys())].map((name) => {
      const values = this.#values.getAll(name);
      return [name, values.length === 1 ? values[0]! : values] as const;
    });
    return Object.fromEntries(entries);
  }
}
