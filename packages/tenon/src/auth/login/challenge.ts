/**
 * Reads `WWW-Authenticate`: what a protected server requires (RFC 9110 section 11.6.1, RFC 6750, RFC 9449, RFC 9728).
 *
 * It reads the header in one pass. It accepts values without quotes, as real servers send them. An ambiguous header is an
 * error.
 */
import { AuthorizationError } from "../authorization-error.ts";
import type { ChallengeResponse } from "./authorizer.ts";
import { parseScope, type Scope } from "../scope.ts";

/** One scheme with its parameters, names in lower case. */
export interface AuthenticateChallenge {
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

export interface Challenge {
  /** `invalid_token`, `insufficient_scope`, `use_dpop_nonce` … */
  readonly error: string | undefined;
  readonly scope: Scope | undefined;
  /** Unchecked, as it stands in the header. */
  readonly resourceMetadata: string | undefined;
}

const NOTHING: Challenge = { error: undefined, scope: undefined, resourceMetadata: undefined };

/**
 * Reads the challenge of a response; empty if there is none.
 * @throws AuthorizationError if the header cannot be read, or asks for something else than OAuth
 */
export function readChallenge({ headers }: ChallengeResponse, server: URL): Challenge {
  const header = headers.get("www-authenticate");
  if (header === null || header.trim() === "") return NOTHING;
  const fail = (problem: string, remedy = "The operator of that server must repair this."): AuthorizationError =>
    new AuthorizationError({ hop: "challenge", url: server, problem, remedy });
  const challenges = parseChallenges(header);
  if (challenges === undefined) throw fail("its WWW-Authenticate header cannot be read");
  const ours = challenges.filter(({ scheme }) => scheme === "bearer" || scheme === "dpop");
  if (ours.length === 0) {
    throw fail(
      "it asks for another scheme than Bearer or DPoP, so this is not OAuth",
      'Pass what it wants in option "headers" instead of "auth".',
    );
  }
  const one = (name: string): string | undefined => ours.map(({ parameters }) => parameters.get(name)).find((value) => value !== undefined);
  const scope = one("scope");
  const parsed = scope === undefined ? undefined : parseScope(scope);
  if (scope !== undefined && parsed === undefined) throw fail('the "scope" of its WWW-Authenticate header is invalid');
  return { error: one("error"), scope: parsed?.length === 0 ? undefined : parsed, resourceMetadata: one("resource_metadata") };
}

const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
/** Values without quotes, including URLs. */
const BARE = /[^\s,"]+/y;
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*(?=\s*(?:,|$))/y;
const GAP = /[\s,]*/y;
const EQUALS = /\s*=\s*/y;

/** Reads every challenge in a header, in order; undefined if the header is malformed. */
export function parseChallenges(header: string): readonly AuthenticateChallenge[] | undefined {
  const text = new Scanner(header);
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  for (text.take(GAP); !text.ended; text.take(GAP)) {
    const name = text.take(TOKEN)?.toLowerCase();
    if (name === undefined) return undefined;
    const current = challenges.at(-1);
    if (current !== undefined && text.take(EQUALS) !== undefined) {
      const value = text.value();
      if (value === undefined || current.parameters.has(name)) return undefined;
      current.parameters.set(name, value);
    } else {
      if (!text.atBreak) return undefined;
      challenges.push({ scheme: name, parameters: new Map() });
      text.take(GAP);
      text.skipToken68();
    }
  }
  return challenges;
}

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get ended(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Whether the last token ends here. */
  get atBreak(): boolean {
    return this.ended || /[\s,]/.test(this.#text.charAt(this.#at));
  }

  /** @param pattern sticky */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at = pattern.lastIndex;
    return found;
  }

  /** Skips credentials in one word, as `Negotiate` has them. */
  skipToken68(): void {
    this.take(TOKEN68);
  }

  /** Reads a quoted string or a bare value; undefined if the quotes do not end. */
  value(): string | undefined {
    if (this.#text.charAt(this.#at) !== '"') return this.take(BARE);
    let value = "";
    for (let i = this.#at + 1; i < this.#text.length; i++) {
      const char = this.#text.charAt(i);
      if (char === '"') {
        this.#at = i + 1;
        return this.atBreak ? value : undefined;
      }
      value += char === "\\" ? this.#text.charAt(++i) : char;
    }
    return undefined;
  }
}
