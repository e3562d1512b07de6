/** What authorization servers write: the query of a callback, and the metadata of an issuer. */
import { AuthorizationError } from "../../../src/auth/authorization-error.ts";
import { readCallback } from "../../../src/auth/grants/callback.ts";
import { GuardedFetch } from "../../../src/auth/guarded-fetch.ts";
import { findIssuer } from "../../../src/auth/issuer-metadata.ts";
import { assert, attemptOnly, type Target } from "./target.ts";

const ISSUER = "https://as.example/tenant";
const isRefusal = (error: unknown): boolean => error instanceof AuthorizationError;

/** Gives the code of the login that waits, or is refused with an error that says nothing the callback could have hidden in it. */
export const callbacks: Target = {
  name: "callbacks",
  kind: "text",
  run(text) {
    const query = new URLSearchParams(text);
    const login = { redirectUri: "http://127.0.0.1:9/cb", state: "s1", issuer: { issuer: ISSUER }, isWithoutScope: false };
    const read = attemptOnly(() => readCallback(query, login), isRefusal);
    if ("value" in read) {
      assert(typeof read.value === "string" && read.value !== "", "a code that is no text");
      assert(query.get("state") === "s1" && (query.get("iss") ?? ISSUER) === ISSUER, "a callback of another login gives a code");
    } else {
      const { message } = read.error as Error;
      assert(!/[^\P{C}\n]/u.test(message), "an error with hidden characters");
      assert(message.length < 2_000, `an error of ${message.length} characters`);
    }
  },
};

/** Is the metadata of that issuer, with members of their types, or is refused. */
export const issuers: Target = {
  name: "issuers",
  kind: "json",
  share: 0.2,
  async run(text) {
    const answer = async (): Promise<Response> => new Response(text, { headers: { "content-type": "application/json" } });
    const documents = new GuardedFetch({ fetch: answer });
    const issuer = await findIssuer(documents, ISSUER).catch((error: unknown) => {
      assert(isRefusal(error), `reading fails with ${String(error)}`);
      return undefined;
    });
    if (issuer === undefined) return;
    const { metadata } = issuer;
    assert(metadata.issuer === ISSUER, `metadata of ${metadata.issuer}`);
    // They are judged again where they are used (`GuardedFetch`, the pages of a login).
    for (const url of [
      metadata.authorization_endpoint,
      metadata.token_endpoint,
      metadata.registration_endpoint,
      metadata.jwks_uri,
    ])
      assert(url === undefined || typeof url === "string", "a URL that is no text");
    for (const list of [metadata.scopes_supported, metadata.grant_types_supported, metadata.code_challenge_methods_supported])
      assert(list === undefined || (Array.isArray(list) && list.every((one) => typeof one === "string")), "a list that is none");
  },
};
