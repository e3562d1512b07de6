/**
 * The callers that a configuration file names, each with a token of its own. They may change while the gateway runs.
 *
 * Security: tokens are looked up by their SHA-256, so that the time of a look-up says nothing of a token.
 */
import { createHash } from "node:crypto";
import {
  AccessRefusedError,
  principalOf,
  type AuthInfo,
  type AuthRequest,
  type Authorized,
  type EndpointAuth,
  type Refusal,
} from "tenon/auth";
import { includesScopes, KeyRefusals, readPresentedToken } from "tenon/internal";
import type { Shape } from "./shape.ts";

/** A caller. Its name in the file is the subject. */
export interface CallerToken {
  readonly token: string;
  readonly scopes?: readonly string[];
  readonly groups?: readonly string[];
}

export type Tokens = Readonly<Record<string, CallerToken>>;

export const TOKENS_ISSUER = "tenon:tokens";
/** Characters of the shortest token: one with fewer can be guessed. */
const MIN_LENGTH = 16;
/** What the header `Authorization` can carry. */
const TOKEN = /^[\w.~+/-]+=*$/;
const TEXTS: Shape = { items: "text" };
export const TOKENS: Shape = { values: { members: { token: "secret", scopes: TEXTS, groups: TEXTS }, required: ["token"] } };

/** What is wrong with the tokens of a file, by field. No message holds a token. */
export function tokenProblems(tokens: Tokens): [field: string, message: string][] {
  const names = new Map<string, string>();
  return Object.entries(tokens).flatMap(([name, { token }]): [string, string][] => {
    const field = `http.auth.tokens.${name}.token`;
    if (token.length < MIN_LENGTH) return [[field, `must have ${MIN_LENGTH} characters or more: openssl rand -hex 32 makes one`]];
    if (!TOKEN.test(token)) return [[field, "has characters that no token may have: letters, digits and -._~+/ are allowed"]];
    const other = names.get(token);
    names.set(token, name);
    return other === undefined ? [] : [[field, `is the token of ${JSON.stringify(other)} too`]];
  });
}

export class CallerTokens implements EndpointAuth {
  readonly #scopes: readonly string[];
  readonly #refusals: KeyRefusals;
  #callers: ReadonlyMap<string, KnownCaller> = new Map();
  /** What was found for a request that this door was asked about, so that its token is hashed once. */
  readonly #asked = new WeakMap<AuthRequest, { readonly found: Authorized | undefined }>();

  /** @param scopes the scopes that every request needs */
  constructor(scopes: readonly string[]) {
    this.#scopes = scopes;
    this.#refusals = new KeyRefusals(scopes, { one: "a token of the gateway", the: "the token" });
  }

  /** Replaces all callers. The streams of those that are gone, or may do something else now, end. */
  set(tokens: Tokens): void {
    const before = this.#callers;
    this.#callers = new Map(
      Object.entries(tokens).map(([name, caller]) => {
        const [hash, made] = [hashOf(caller.token), knownAs(name, caller)];
        const known = before.get(hash);
        return [hash, known?.text === made.text ? known : made];
      }),
    );
    for (const [hash, known] of before) if (this.#callers.get(hash) !== known) known.ending.abort();
  }

  knows(request: AuthRequest): boolean {
    return this.takes(request);
  }

  takes(request: AuthRequest): boolean {
    const search = this.#asked.get(request) ?? { found: this.#find(request) };
    this.#asked.set(request, search);
    return search.found !== undefined;
  }

  authorize(request: AuthRequest): Authorized | Refusal {
    const known = (this.#asked.get(request) ?? { found: this.#find(request) }).found;
    if (known !== undefined) return includesScopes(known.auth.scopes, this.#scopes) ? known : this.insufficientScope([], known.auth);
    const presented = readPresentedToken(request);
    if (presented === "malformed") return this.#refusals.malformed(new AccessRefusedError("Malformed credentials"));
    if (presented === "none") return this.#refusals.unauthorized();
    return this.#refusals.refused(new AccessRefusedError("Access token refused: the file has no caller with it"));
  }

  insufficientScope(scopes: readonly string[], { subject, scopes: granted }: AuthInfo): Refusal {
    const needed = [...new Set([...this.#scopes, ...scopes])].join(" ");
    const who = JSON.stringify({ subject });
    return this.#refusals.insufficient(
      scopes,
      new AccessRefusedError(`Insufficient scope: ${needed} needed, ${granted.join(" ")} granted (${who})`),
    );
  }

  #find(request: AuthRequest): Authorized | undefined {
    const presented = readPresentedToken(request);
    if (typeof presented === "string" || presented.scheme !== "bearer") return undefined;
    return this.#callers.get(hashOf(presented.token))?.authorized;
  }
}

interface KnownCaller {
  readonly authorized: Authorized;
  /** Ends its streams. */
  readonly ending: AbortController;
  readonly text: string;
}

function knownAs(subject: string, { scopes = [], groups = [] }: CallerToken): KnownCaller {
  const claims = Object.freeze({ groups: Object.freeze([...groups]) as string[] });
  const auth: AuthInfo = Object.freeze({ issuer: TOKENS_ISSUER, subject, scopes: Object.freeze([...scopes]), claims });
  const ending = new AbortController();
  const authorized = { auth, principal: principalOf(auth), until: Infinity, ended: ending.signal };
  return { authorized, ending, text: JSON.stringify([subject, scopes, groups]) };
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64");
}
