import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AuthorizationError, discover, type AuthFetch } from "tenon/auth";
import { scriptedWeb, type Page } from "./scripted-web.ts";

const SERVER = "https://mcp.example.com/a/mcp";
const RESOURCE = "https://mcp.example.com/.well-known/oauth-protected-resource";
const ISSUER = "https://as.example.com";
const METADATA = `${ISSUER}/.well-known/oauth-authorization-server`;

const resource = (more: Record<string, unknown> = {}): Page => ({
  body: { resource: SERVER, authorization_servers: [ISSUER], ...more },
});
const issuer = (more: Record<string, unknown> = {}): Page => ({
  body: { issuer: ISSUER, token_endpoint: `${ISSUER}/token`, ...more },
});

/** The error of a discovery, and what was asked for until then. */
async function failing(pages: Record<string, Page>, named?: string): Promise<{ error: AuthorizationError; urls: string[] }> {
  const web = scriptedWeb(pages);
  const error: unknown = await discover(SERVER, {
    fetch: web.fetch,
    ...(named !== undefined && { resourceMetadata: named }),
  }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AuthorizationError)) throw new Error(`Expected an AuthorizationError, got ${String(error)}`);
  return { error, urls: web.urls() };
}

describe("where a server's metadata is [M2.1]", () => {
  test("at the URL of the challenge, then below its path, then at the root", async () => {
    const custom = "https://mcp.example.com/custom/location.json";
    const places = [custom, `${RESOURCE}/a/mcp`, RESOURCE];
    for (const [index, place] of places.entries()) {
      const web = scriptedWeb({ [place]: resource(), [METADATA]: issuer() });
      const found = await discover(SERVER, { fetch: web.fetch, resourceMetadata: custom });
      expect(found).toMatchObject({ resource: SERVER, issuer: { issuer: ISSUER } });
      expect(web.urls()).toEqual([...places.slice(0, index + 1), METADATA]);
    }
  });

  test("without a challenge only at the well-known places, each once", async () => {
    const web = scriptedWeb({
      [METADATA]: issuer(),
      [RESOURCE]: { body: { resource: "https://mcp.example.com/", authorization_servers: [ISSUER] } },
    });
    await discover("https://mcp.example.com/?tenant=1#x", { fetch: web.fetch });
    expect(web.urls()).toEqual([`${RESOURCE}?tenant=1`, RESOURCE, METADATA]);
    const root = scriptedWeb({
      [METADATA]: issuer(),
      [RESOURCE]: { body: { resource: "https://mcp.example.com", authorization_servers: [ISSUER] } },
    });
    await discover("https://mcp.example.com/", { fetch: root.fetch });
    expect(root.urls()).toEqual([RESOURCE, METADATA]);
  });

  test.each([401, 403, 404, 405, 410])("HTTP %d means the next place [M2.7]", async (status) => {
    const web = scriptedWeb({
      [`${RESOURCE}/a/mcp`]: { status },
      [RESOURCE]: resource(),
      [METADATA]: { status },
      [`${ISSUER}/.well-known/openid-configuration`]: issuer(),
    });
    expect((await discover(SERVER, { fetch: web.fetch })).issuer.issuer).toBe(ISSUER);
  });

  test.each([500, 502, 503])("HTTP %d is a failure, not an absence [M2.7]", async (status) => {
    const { error, urls } = await failing({ [`${RESOURCE}/a/mcp`]: { status }, [RESOURCE]: resource(), [METADATA]: issuer() });
    expect(error).toMatchObject({ hop: "protected resource metadata", url: `${RESOURCE}/a/mcp` });
    expect(urls).toHaveLength(1);
    const later = await failing({ [RESOURCE]: resource(), [METADATA]: { status } });
    expect(later.error).toMatchObject({ hop: "authorization server metadata", url: METADATA });
  });

  test.each([
    "https://evil.example/.well-known/oauth-protected-resource",
    "https://mcp.example.com:8443/x",
    "http://mcp.example.com/x",
    "https://169.254.169.254/latest",
    "file:///etc/passwd",
    "/relative",
    "https://user:canary@mcp.example.com/x",
    "https://mcp.example.com/x#canary",
  ])("d.5.5 a challenge that points elsewhere is followed nowhere: %s [R12]", async (named) => {
    const { error, urls } = await failing({ [RESOURCE]: resource(), [METADATA]: issuer() }, named);
    expect(error.hop).toMatch(/^(challenge|protected resource metadata)$/);
    expect(urls).toEqual([]);
    expect(error.message).not.toContain("canary");
  });
});

describe("metadata is about the server that was asked [M2.2 fault O6 R14]", () => {
  test.each([
    "https://mcp.example.com/a/mcp",
    "https://mcp.example.com/a/mcp/",
    "https://mcp.example.com/a",
    "https://mcp.example.com/",
    "https://mcp.example.com",
    "https://MCP.example.com:443/a/mcp",
  ])("the same, or above it: %s [Z18]", async (about) => {
    const web = scriptedWeb({ [RESOURCE]: resource({ resource: about }), [METADATA]: issuer() });
    expect((await discover(SERVER, { fetch: web.fetch })).resource).toBe(about);
  });

  test.each([
    "https://evil.example.com/a/mcp",
    "https://mcp.example.com.evil.example/a/mcp",
    "http://mcp.example.com/a/mcp",
    "https://mcp.example.com:8443/a/mcp",
    "https://mcp.example.com/a/mc",
    "https://mcp.example.com/a/mcp2",
    "https://mcp.example.com/a/mcp/more",
    "https://mcp.example.com/b",
    "https://mcp.example.com/a/mcp?tenant=2",
    "https://mcp.example.com/a/mcp#x",
    "urn:mcp",
    "mcp.example.com",
    "",
  ])("refused: %j", async (about) => {
    const { error, urls } = await failing({ [RESOURCE]: resource({ resource: about }), [METADATA]: issuer() });
    expect(error).toMatchObject({ hop: "protected resource metadata", url: RESOURCE });
    expect(urls).not.toContain(METADATA);
  });
});

describe("where an authorization server's metadata is [M2.4]", () => {
  const places = (name: string, at: Record<string, Page>): ReturnType<typeof scriptedWeb> =>
    scriptedWeb({ [RESOURCE]: resource({ authorization_servers: [name] }), ...at });

  test("with a path: inserted, OpenID inserted, OpenID appended", async () => {
    const name = `${ISSUER}/tenant1`;
    const urls = [
      `${METADATA}/tenant1`,
      `${ISSUER}/.well-known/openid-configuration/tenant1`,
      `${ISSUER}/tenant1/.well-known/openid-configuration`,
    ];
    for (const [index, url] of urls.entries()) {
      const web = places(name, { [url]: issuer({ issuer: name }) });
      expect((await discover(SERVER, { fetch: web.fetch })).issuer.issuer).toBe(name);
      expect(web.urls().slice(2)).toEqual(urls.slice(0, index + 1));
    }
  });

  test("without: OAuth, then OpenID; a slash at the end is no path", async () => {
    for (const name of [ISSUER, `${ISSUER}/`]) {
      const web = places(name, { [`${ISSUER}/.well-known/openid-configuration`]: issuer({ issuer: name }) });
      expect((await discover(SERVER, { fetch: web.fetch })).issuer.issuer).toBe(name);
      expect(web.urls().slice(2)).toEqual([METADATA, `${ISSUER}/.well-known/openid-configuration`]);
    }
  });

  test("RFC 9728 7.6 the first of several, where none is known [M2.3]", async () => {
    const web = scriptedWeb({
      [RESOURCE]: resource({ authorization_servers: [ISSUER, "https://other.example"] }),
      [METADATA]: issuer(),
    });
    expect((await discover(SERVER, { fetch: web.fetch })).issuer.issuer).toBe(ISSUER);
  });

  test("a name that differs by the slash of an empty path is the same, in the spelling of its own document [M2.5]", async () => {
    for (const [named, own] of [
      [ISSUER, `${ISSUER}/`],
      [`${ISSUER}/`, ISSUER],
    ] as const) {
      const web = scriptedWeb({ [RESOURCE]: resource({ authorization_servers: [named] }), [METADATA]: issuer({ issuer: own }) });
      expect((await discover(SERVER, { fetch: web.fetch })).issuer.issuer).toBe(own);
    }
  });

  test.each([
    "https://as.example.com//",
    "https://AS.example.com",
    "https://as.example.com:443",
    "https://evil.example.com",
    "https://as.example.com/x",
    "https://as.example.com/?",
    "http://as.example.com",
    "",
    null,
    ["https://as.example.com"],
  ])("another name than was asked for is not used, to the letter: %j [M2.5 fault O2 R13]", async (name) => {
    const { error } = await failing({ [RESOURCE]: resource(), [METADATA]: issuer({ issuer: name }) });
    expect(error).toMatchObject({
      hop: "authorization server metadata",
      url: METADATA,
      remedy: expect.stringContaining("to the letter") as string,
    });
  });

  test("an issuer that publishes nothing is an error, even if others on the same host publish metadata", async () => {
    const { error, urls } = await failing({
      [RESOURCE]: resource({ authorization_servers: [`${ISSUER}/t`] }),
      [METADATA]: issuer(),
    });
    expect(error.message).toContain("publishes no metadata (tried 3 well-known places)");
    expect(urls).not.toContain(METADATA);
  });

  test.each([
    "http://as.example.com",
    "https://10.0.0.1",
    "https://localhost",
    "javascript:alert(1)",
    "https://a:b@as.example.com",
    "https://as.example.com?x=1",
    "https://as.example.com#x",
    "https://metadata.google.internal",
    "no url",
  ])("an issuer that must not be called is not: %s [fault O1 R12]", async (name) => {
    const { error, urls } = await failing({ [RESOURCE]: resource({ authorization_servers: [name] }) });
    expect(error.hop).toBe("authorization server metadata");
    expect(urls).toEqual([`${RESOURCE}/a/mcp`, RESOURCE]);
  });
});

describe("documents that cannot be used [fault O2]", () => {
  test.each([
    [{ authorization_servers: [] }],
    [{ authorization_servers: ISSUER }],
    [{ authorization_servers: [1] }],
    [{ authorization_servers: {} }],
    [{ authorization_servers: undefined }],
    [{ resource: [SERVER] }],
    [{ resource: undefined }],
    [{ scopes_supported: "read write" }],
    [{ scopes_supported: ["read write"] }],
    [{ scopes_supported: [""] }],
  ])("protected resource metadata with %j", async (more) => {
    const { error } = await failing({ [RESOURCE]: resource(more), [METADATA]: issuer() });
    expect(error).toMatchObject({ hop: "protected resource metadata", url: RESOURCE });
  });

  test.each([
    [{ token_endpoint: "/token" }],
    [{ token_endpoint: ["https://as.example.com/token"] }],
    [{ authorization_endpoint: 1 }],
    [{ registration_endpoint: {} }],
    [{ scopes_supported: "a" }],
    [{ code_challenge_methods_supported: "S256" }],
    [{ code_challenge_methods_supported: [256] }],
    [{ client_id_metadata_document_supported: "true" }],
    [{ authorization_response_iss_parameter_supported: 1 }],
  ])("authorization server metadata with %j", async (more) => {
    const { error } = await failing({ [RESOURCE]: resource(), [METADATA]: issuer(more) });
    expect(error).toMatchObject({ hop: "authorization server metadata", url: METADATA });
  });

  test.each(["<html>", "[]", "null", '{"issuer":"a","issuer":"b"}', "{", ""])("%j", async (body) => {
    const { error } = await failing({ [RESOURCE]: { body } });
    expect(error.hop).toBe("protected resource metadata");
    const later = await failing({ [RESOURCE]: resource(), [METADATA]: { body } });
    expect(later.error.hop).toBe("authorization server metadata");
  });

  test("`__proto__` and unknown members are dropped", async () => {
    const body =
      `{"issuer":"${ISSUER}","token_endpoint":"${ISSUER}/token",` +
      '"__proto__":{"registration_endpoint":"https://evil.example"},"constructor":1,"x":1}';
    const web = scriptedWeb({ [RESOURCE]: resource(), [METADATA]: { body } });
    const found = await discover(SERVER, { fetch: web.fetch });
    expect(found.issuer).toEqual({ issuer: ISSUER, token_endpoint: `${ISSUER}/token` });
    expect(found.issuer.registration_endpoint).toBeUndefined();
  });

  test("any content gives either the expected document or an AuthorizationError", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (first, second) => {
        const web = scriptedWeb({
          [RESOURCE]: {
            body: {
              resource: SERVER,
              authorization_servers: [ISSUER],
              ...(typeof first === "object" ? first : { scopes_supported: first }),
            },
          },
          [METADATA]: { body: { issuer: ISSUER, ...(typeof second === "object" ? second : { token_endpoint: second }) } },
        });
        const outcome: unknown = await discover(SERVER, { fetch: web.fetch }).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(AuthorizationError);
        else expect(outcome).toMatchObject({ issuer: { issuer: ISSUER } });
      }),
    );
  });
});

describe("a server of 2025-03-26, without metadata of its own [M2.6 M7.1]", () => {
  const ORIGIN = "https://mcp.example.com";
  const AT_ORIGIN = `${ORIGIN}/.well-known/oauth-authorization-server`;

  test("is its own authorization server: the path is dropped, and the revision is named [M2.4]", async () => {
    for (const name of [ORIGIN, `${ORIGIN}/`]) {
      const web = scriptedWeb({ [AT_ORIGIN]: { body: { issuer: name, token_endpoint: `${ORIGIN}/oauth/token` } } });
      const found = await discover(SERVER, { fetch: web.fetch });
      expect(found).toEqual({
        resource: undefined,
        scopesSupported: undefined,
        issuer: { issuer: name, token_endpoint: `${ORIGIN}/oauth/token` },
      });
      expect(web.urls()).toEqual([`${RESOURCE}/a/mcp`, RESOURCE, AT_ORIGIN]);
      expect(web.asked.at(-1)?.headers["mcp-protocol-version"]).toBe("2025-03-26");
    }
  });

  test("a browser that does not get through with the header tries without [M2.7]", async () => {
    const web = scriptedWeb({ [AT_ORIGIN]: { body: { issuer: ORIGIN } } });
    const fetch: AuthFetch = (url, init) =>
      "mcp-protocol-version" in init.headers ? Promise.reject(new TypeError("Failed to fetch")) : web.fetch(url, init);
    expect((await discover(SERVER, { fetch })).issuer).toEqual({ issuer: ORIGIN });
  });

  test("with the default endpoints where it publishes nothing at all", async () => {
    const found = await discover(SERVER, { fetch: scriptedWeb({}).fetch });
    expect(found.issuer).toMatchObject({
      issuer: ORIGIN,
      authorization_endpoint: `${ORIGIN}/authorize`,
      token_endpoint: `${ORIGIN}/token`,
      registration_endpoint: `${ORIGIN}/register`,
    });
  });

  test("has the same issuer as its address [M2.5]", async () => {
    const { error } = await failing({ [AT_ORIGIN]: { body: { issuer: "https://evil.example" } } });
    expect(error).toMatchObject({ hop: "authorization server metadata", url: AT_ORIGIN });
  });
});
