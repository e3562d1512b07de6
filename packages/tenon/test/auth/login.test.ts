import { describe, expect, test } from "vitest";
import type { RunningAuthorizationServer } from "tenon/testing";
import { asked, authorization, authorizationServer, login, loginFailure, open, protect } from "./support.ts";

describe("PKCE [M4.1 fault O4]", () => {
  test.each([undefined, [], ["plain"], ["s256"]])("an issuer that offers %j is not used", async (methods) => {
    const as = await authorizationServer();
    as.settings.alterResponse = (answer, { endpoint }) =>
      endpoint === "metadata" ? { ...answer, code_challenge_methods_supported: methods } : answer;
    const error = await loginFailure(await protect(as));
    expect(error).toMatchObject({ hop: "authorization server metadata", message: expect.stringContaining("PKCE") as string });
    expect(asked(as, "register").length + asked(as, "authorize").length).toBe(0);
  });
});

describe("what comes back from the login page [M4.4 fault O5 R15]", () => {
  /** The user comes back with what the server is made to say. */
  async function comingBack(
    alter: (parameters: URLSearchParams) => void,
    advertised?: boolean,
  ): Promise<{ as: RunningAuthorizationServer; outcome: unknown }> {
    const as = await authorizationServer();
    as.settings.alterRedirect = alter;
    as.settings.alterResponse = (answer, { endpoint }) =>
      endpoint === "metadata" ? { ...answer, authorization_response_iss_parameter_supported: advertised } : answer;
    const server = await protect(as);
    // A page that never comes back with the right state would be waited for.
    const redirection = {
      begin: () =>
        Promise.resolve({
          redirectUri: "http://127.0.0.1:7357/callback",
          visit: async (page: URL) => new URL((await fetch(page, { redirect: "manual" })).headers.get("location")!),
          close: () => Promise.resolve(),
        }),
    };
    const outcome: unknown = await open(server, { redirection }).catch((error: unknown) => error);
    return { as, outcome };
  }

  test("`iss`: right, or neither promised nor sent", async () => {
    for (const [alter, advertised] of [
      [() => undefined, true],
      [() => undefined, undefined],
      [(parameters: URLSearchParams) => parameters.delete("iss"), undefined],
      [(parameters: URLSearchParams) => parameters.delete("iss"), false],
    ] as const) {
      const { outcome } = await comingBack(alter, advertised);
      expect(outcome).not.toBeInstanceOf(Error);
    }
  });

  test.each([
    ["promised and absent", (parameters: URLSearchParams) => parameters.delete("iss"), true],
    ["wrong", (parameters: URLSearchParams) => parameters.set("iss", "https://evil.example"), true],
    ["wrong, and not promised", (parameters: URLSearchParams) => parameters.set("iss", "https://evil.example"), undefined],
    ["equal but for a slash", (parameters: URLSearchParams) => parameters.set("iss", `${parameters.get("iss")}/`), true],
    ["equal but for a path", (parameters: URLSearchParams) => parameters.set("iss", `${parameters.get("iss")}/x`), true],
    ["twice", (parameters: URLSearchParams) => parameters.append("iss", parameters.get("iss")!), true],
    ["empty", (parameters: URLSearchParams) => parameters.set("iss", ""), undefined],
    ["wrong in an error", refusing, true],
    ["another state", (parameters: URLSearchParams) => parameters.set("state", "other"), true],
    [
      "another state in an error",
      (parameters: URLSearchParams) => {
        refusing(parameters);
        parameters.set("state", "other");
      },
      true,
    ],
    ["no state", (parameters: URLSearchParams) => parameters.delete("state"), true],
    ["the state twice", (parameters: URLSearchParams) => parameters.append("state", parameters.get("state")!), true],
    ["the code twice", (parameters: URLSearchParams) => parameters.append("code", "canary-code"), true],
    ["no code", (parameters: URLSearchParams) => parameters.delete("code"), true],
    ["an empty code", (parameters: URLSearchParams) => parameters.set("code", ""), true],
  ])("no code is sent on: %s", async (_, alter, advertised) => {
    const { as, outcome } = await comingBack(alter, advertised);
    expect(outcome).toMatchObject({
      hop: "callback",
      url: "http://127.0.0.1:7357/callback",
      remedy: expect.stringContaining("No code was sent on") as string,
    });
    expect((outcome as Error).message).not.toMatch(/evil|canary|Look here/);
    expect(asked(as, "token")).toEqual([]);
  });

  function refusing(parameters: URLSearchParams): void {
    parameters.delete("code");
    parameters.set("error", "access_denied");
    parameters.set("error_description", "Look here: https://evil.example");
    parameters.set("iss", "https://evil.example");
  }

  test("an error names the code of a refusal, and does not repeat the server's text", async () => {
    const { outcome } = await comingBack((parameters) => {
      parameters.delete("code");
      parameters.set("error", "access_denied<script>\r\n");
      parameters.set("error_description", "canary");
      parameters.set("error_uri", "https://evil.example/canary");
    }, true);
    expect(outcome).toMatchObject({
      hop: "authorization",
      error: undefined,
      message: expect.stringContaining("refused with an unknown error") as string,
    });
    expect(JSON.stringify(outcome) + (outcome as Error).message).not.toContain("canary");
  });

  test("a user who says no", async () => {
    const as = await authorizationServer({ consent: "deny" });
    const error = await loginFailure(await protect(as));
    expect(error).toMatchObject({
      hop: "authorization",
      error: "access_denied",
      remedy: expect.stringContaining("ask them") as string,
    });
    expect(asked(as, "authorize")).toHaveLength(1);
  });

  test("a user who does not come back is waited for, and no longer", async () => {
    const as = await authorizationServer();
    const error = await loginFailure(await protect(as), { open: () => undefined, loginTimeout: 50 });
    expect(error).toMatchObject({
      hop: "authorization",
      message: expect.stringContaining('within 50 ms. Log in again, or raise option "loginTimeout"') as string,
    });
    expect(() => login({ loginTimeout: 0 })).toThrow(/"loginTimeout"/);
  });
});

describe("the login page [M4.8 fault O3]", () => {
  test.each([
    "javascript:alert(1)",
    "file:///etc/passwd",
    "http://as.example/authorize",
    "https://10.0.0.1/authorize",
    "https://user:canary@as.example/",
    "https://as.example/#canary",
    "ms-settings:network",
  ])("is not opened at %s", async (endpoint) => {
    const as = await authorizationServer();
    as.settings.alterResponse = (answer, { endpoint: name }) =>
      name === "metadata" ? { ...answer, authorization_endpoint: endpoint } : answer;
    const opened: URL[] = [];
    const error = await loginFailure(await protect(as), { open: (url) => void opened.push(url) });
    expect(error).toMatchObject({ hop: "authorization" });
    expect(opened).toEqual([]);
    expect(error.message).not.toContain("canary");
  });

  test("is opened with the query it has", async () => {
    const as = await authorizationServer();
    as.settings.alterResponse = (answer, { endpoint }) =>
      endpoint === "metadata" ? { ...answer, authorization_endpoint: `${as.issuer}/authorize?tenant=a%20b` } : answer;
    await open(await protect(as));
    expect(authorization(as)).toMatchObject({ tenant: "a b", response_type: "code" });
  });
});
