import { expect, test } from "vitest";
import { readCallback, type ExpectedCallback } from "./callback.ts";

const ISSUER = "https://as.example";
const EXPECTED: ExpectedCallback = { redirectUri: "http://127.0.0.1/callback", state: "s1", issuer: { issuer: ISSUER } };

function errorOf(query: string, expected: Partial<ExpectedCallback> = {}): unknown {
  try {
    return readCallback(new URLSearchParams(query), { ...EXPECTED, ...expected });
  } catch (error) {
    return error;
  }
}

test("a code is taken with its state, and with the issuer if there is one", () => {
  expect(errorOf("state=s1&code=c")).toBe("c");
  expect(errorOf(`state=s1&code=c&iss=${ISSUER}`)).toBe("c");
});

const PROMISES = { issuer: ISSUER, authorization_response_iss_parameter_supported: true };
test.each<[string, string, Partial<ExpectedCallback>?]>([
  ["code=c", 'its "state" does not belong to this login'],
  ["state=other&code=c&error=access_denied", 'its "state" does not belong to this login'],
  ["state=s1&state=s1&code=c", 'it has "state" more than once'],
  ["state=s1&code=c&code=d", 'it has "code" more than once'],
  ["state=s1&code=c", 'it lacks "iss", which the server promised', { issuer: PROMISES }],
  [`state=s1&code=c&iss=${ISSUER}/`, "it comes from another authorization server than the one that was asked"],
  ["state=s1&iss=x&error=access_denied", "it comes from another authorization server than the one that was asked"],
  ["state=s1", "it has neither a code nor an error"],
  ["state=s1&code=", "it has neither a code nor an error"],
])("%s is refused: %s", (query, problem, expected) => {
  expect(errorOf(query, expected)).toMatchObject({
    hop: "callback",
    url: EXPECTED.redirectUri,
    problem,
    remedy: "No code was sent on. Log in again; if it happens again, the login may be under attack.",
  });
});

const LOG_IN_AGAIN = "No code was sent on. Log in again; if it happens again, the login may be under attack.";
test.each([
  ["access_denied", "The user or a policy refused: ask them, then log in again."],
  ["invalid_scope", 'Ask for scopes the authorization server knows (option "scope").'],
  ["unauthorized_client", "Allow a login with a code for the client at the authorization server."],
  ["server_error", "The authorization server failed. Try again later."],
  ["temporarily_unavailable", "The authorization server is busy. Try again later."],
  ["interaction_required", LOG_IN_AGAIN],
  ["constructor", LOG_IN_AGAIN],
])("the error %s of the authorization server comes with a remedy", (error, remedy) => {
  expect(errorOf(`state=s1&error=${error}`)).toMatchObject({
    hop: "authorization",
    error,
    problem: `the authorization server refused with ${error}`,
    remedy,
  });
});

test("a code of an error that cannot be shown is left out", () => {
  expect(errorOf(`state=s1&error=${encodeURIComponent("a\nb")}`)).toMatchObject({
    problem: "the authorization server refused with an unknown error",
    error: undefined,
  });
});

test.each(["access_denied", "invalid_scope"])("%s of a login without a scope may be about the scope", (error) => {
  const begin =
    "Either the user or a policy refused: ask them. Or it wants a scope, and the MCP server names none: " +
    'request one (option "scope")';
  const remedyWith = (scopes_supported?: readonly unknown[]): unknown => {
    const issuer = { issuer: ISSUER, ...(scopes_supported && { scopes_supported }) } as ExpectedCallback["issuer"]; // a peer's
    return (errorOf(`state=s1&error=${error}`, { issuer, isWithoutScope: true }) as { remedy: string }).remedy;
  };
  expect(remedyWith()).toBe(`${begin}.`);
  expect(remedyWith([7, "a b", "\u001B[2J"])).toBe(`${begin}.`);
  expect(remedyWith(["read", 7, "write"])).toBe(`${begin}: it knows read, write.`);
  expect(remedyWith(Array.from({ length: 12 }, (_, at) => `s${at}`))).toBe(
    `${begin}: it knows s0, s1, s2, s3, s4, s5, s6, s7, s8, s9.`,
  );
});
