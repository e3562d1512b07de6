/** Which clients are accepted: each limit at its edge, each refusal with its text. */
import { describe, expect, it } from "vitest";
import { applyClientPolicy, type ClientMetadata, type ClientPolicy } from "./client-policy.ts";

const POLICY: ClientPolicy = { redirectHosts: undefined, redirectSchemes: ["com.example.app"], offeredScopes: ["a", "b"] };
const uri = "https://client.example/cb";
const refusalOf = (metadata: ClientMetadata, policy: Partial<ClientPolicy> = {}): unknown =>
  applyClientPolicy(metadata, { ...POLICY, ...policy });
const redirect = (problem: string): unknown => ({ redirect: true, problem: `redirect_uris${problem}` });

describe("a redirect URI", () => {
  it.each<[string, unknown]>([
    ["no text", 7],
    ["relative", "/cb"],
    ["of another alphabet", "https://client.example/ä"],
    ["with a space", "https://client.example/a b"],
    ["too long", `https://client.example/${"x".repeat(2_048 - 22)}`],
    ["no URL", "https://"],
  ])("that is %s is refused", (_how, bad) => {
    expect(refusalOf({ redirect_uris: [uri, bad] })).toEqual(redirect(": each must be an absolute URI"));
  });

  it.each([
    ["https://client.example/cb#x", ": a redirect URI has no fragment"],
    ["https://client.example/cb#", ": a redirect URI has no fragment"],
    ["https://user@client.example/cb", ": a redirect URI has no user name and no password"],
    ["https://:word@client.example/cb", ": a redirect URI has no user name and no password"],
    ["http://client.example/cb", ": http: is for this machine only"],
    ["javascript:alert(1)", ': the scheme "javascript:" is not accepted here'],
    ["com.example.other:/cb", ': the scheme "com.example.other:" is not accepted here'],
  ])("%s is refused", (bad, problem) => {
    expect(refusalOf({ redirect_uris: [bad] })).toEqual(redirect(problem));
  });

  it("may have 2,048 characters, and be of this machine, of a named scheme, or of a named host", () => {
    const long = `https://client.example/${"x".repeat(2_048 - 23)}`;
    expect(long).toHaveLength(2_048);
    for (const good of [long, uri, "http://127.0.0.1:7/cb", "http://localhost/cb", "com.example.app:/cb"])
      expect(refusalOf({ redirect_uris: [good] }), good).toBeUndefined();
    const hosts = { redirectHosts: ["client.example"] };
    expect(refusalOf({ redirect_uris: [uri] }, hosts)).toBeUndefined();
    expect(refusalOf({ redirect_uris: ["https://sub.client.example/cb"] }, hosts)).toEqual(
      redirect(': the host "sub.client.example" is not accepted here'),
    );
  });
});

describe("a client", () => {
  it("names from one to twenty URIs, unless it uses no pages", () => {
    const none = redirect(" must name at least one URI");
    for (const redirect_uris of [undefined, uri, []]) expect(refusalOf({ redirect_uris })).toEqual(none);
    expect(refusalOf({ redirect_uris: [], response_types: ["code"] })).toEqual(none);
    expect(refusalOf({ redirect_uris: [], response_types: [] })).toBeUndefined();
    expect(refusalOf({ redirect_uris: undefined, response_types: [] })).toEqual(none);
    expect(refusalOf({ redirect_uris: Array.from({ length: 20 }, () => uri) })).toBeUndefined();
    expect(refusalOf({ redirect_uris: Array.from({ length: 21 }, () => uri) })).toEqual(redirect(" must name at most 20 URIs"));
  });

  it("has a name of at most 200 characters, or none", () => {
    const refused = { redirect: false, problem: "client_name must be a text of at most 200 characters" };
    for (const client_name of ["x".repeat(201), 7, null])
      expect(refusalOf({ redirect_uris: [uri], client_name })).toEqual(refused);
    for (const client_name of ["x".repeat(200), "", undefined])
      expect(refusalOf({ redirect_uris: [uri], client_name })).toBeUndefined();
  });

  it("gets all scopes if it names some, and is native if one of its URIs is of the machine", () => {
    const some: ClientMetadata = { redirect_uris: [uri], scope: "a" };
    const native: ClientMetadata = { redirect_uris: [uri, "http://127.0.0.1/cb"] };
    expect([refusalOf(some), refusalOf(native)]).toEqual([undefined, undefined]);
    expect([some, native]).toEqual([
      { redirect_uris: [uri], scope: "a b", application_type: "web" },
      { redirect_uris: [uri, "http://127.0.0.1/cb"], application_type: "native" },
    ]);
  });
});
