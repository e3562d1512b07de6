// Each provider as it is: a whole login, a call, a refresh where there is one, and a second connection that needs no login.
import { describe, expect, test } from "vitest";
import { AuthorizationError } from "tenon/auth";
import { freePort } from "../../../../scripts/free-port.mjs";
import { login, providerWorld } from "./providers.ts";

const NATIVE = { client_id: "app", token_endpoint_auth_method: "none" } as const;

describe("a login at a provider", () => {
  test("Microsoft Entra ID: no PKCE in metadata, no registration or resource, short scopes in tokens [FD-36 FD-29]", async () => {
    const client = { ...NATIVE, redirect_uris: ["http://localhost/callback"] };
    const { as, use, asked, url } = await providerWorld("entra", {
      server: { path: "/tenant/v2.0", clients: [client] },
      bearer: { scopes: ["read"], scopesSupported: ["api://app/read", "api://app/write"] },
    });
    const known = { client: { id: "app" }, issuer: as.issuer, callbackHost: "localhost" } as const;
    await expect(use(login(known))).rejects.toThrow(/assumePkce/);
    await expect(use(login({ ...known, assumePkce: true }))).rejects.toMatchObject({
      error: "invalid_target",
      remedy: expect.stringContaining('option "resource"') as string,
    });
    const provider = login({ ...known, assumePkce: true, resource: false, scopeOnRefresh: true });
    expect(await use(provider)).toBe("user: read");
    expect(asked("authorize").at(-1)?.parameters).toMatchObject({ scope: "api://app/read", code_challenge_method: "S256" });
    expect(await provider.refresh(url)).toBe(true);
    // A step up asks for the long form of what the tool needs.
    expect(await use(provider, "write")).toBe("written with read write");
    expect(asked("authorize").at(-1)?.parameters["scope"]).toBe("api://app/read api://app/write");
    for (const { parameters } of [...asked("authorize").slice(1), ...asked("token")])
      expect(parameters).not.toHaveProperty("resource");
  });

  test("Amazon Cognito: OpenID metadata without PKCE, no registration, a secret [FD-12]", async () => {
    const { as, use, asked, url } = await providerWorld("cognito", {
      server: {
        path: "/pool",
        clients: [{ client_id: "app", client_secret: "s3cret", redirect_uris: ["http://127.0.0.1/callback"] }],
      },
    });
    const known = { client: { id: "app", secret: "s3cret" }, issuer: as.issuer };
    await expect(use(login(known))).rejects.toMatchObject({ hop: "authorization server metadata" });
    expect(asked("authorize")).toEqual([]);
    const provider = login({ ...known, assumePkce: true });
    expect(await use(provider)).toBe("user: ");
    expect(asked("authorize")[0]?.parameters).toMatchObject({ code_challenge_method: "S256" });
    expect(await provider.refresh(url)).toBe(true);
  });

  test("Google: named with a slash, calls itself without, a secret for a desktop program, opaque tokens [FD-13]", async () => {
    const clients = [
      { client_id: "app", client_secret: "s3cret", redirect_uris: ["http://127.0.0.1/callback"] },
      { client_id: "api", client_secret: "other" },
    ];
    const { as, use, asked, url } = await providerWorld("google", {
      server: { clients },
      nameOf: (issuer) => `${issuer}/`,
      bearer: { introspection: { clientId: "api", clientSecret: "other" } },
    });
    const provider = login({ client: { id: "app", secret: "s3cret" }, issuer: as.issuer, scope: "openid" });
    expect(await use(provider)).toBe("user: openid");
    expect(await provider.status(url)).toMatchObject({ issuer: as.issuer });
    expect(await provider.refresh(url)).toBe(true);
    expect(asked("authorize")).toHaveLength(1);
  });

  test("Okta: a registration endpoint that only administrators may use, and resource is ignored [FD-53]", async () => {
    const { use, asked, url, as } = await providerWorld("okta", {
      server: { path: "/oauth2/default", clients: [{ ...NATIVE, redirect_uris: ["http://127.0.0.1/callback"] }] },
    });
    const outcome = await use(login()).catch((error: unknown) => error);
    expect(outcome).toMatchObject({ hop: "registration", remedy: expect.stringContaining("by hand") as string });
    const provider = login({ client: { id: "app" }, issuer: as.issuer });
    expect(await use(provider)).toBe("user: ");
    expect(await provider.refresh(url)).toBe(true);
    expect(asked("authorize")).toHaveLength(1);
  });

  test("Auth0: an issuer with a slash in metadata and tokens, named without [FD-13]", async () => {
    const { as, use, asked, url } = await providerWorld("auth0");
    for (const issuer of [as.issuer, `${as.issuer}/`]) {
      const provider = login({ issuer });
      expect(await use(provider)).toBe("user: ");
      expect(await provider.status(url)).toMatchObject({ issuer: `${as.issuer}/` });
      expect(await provider.refresh(url)).toBe(true);
      expect(await use(provider)).toBe("user: ");
    }
    expect(asked("authorize")).toHaveLength(2);
  });

  test("Keycloak: scopes may not be registered, and resource is ignored [FD-53]", async () => {
    const { use, asked, url } = await providerWorld("keycloak", {
      server: { path: "/realms/notes" },
      bearer: { scopes: ["read"], scopesSupported: ["read", "write"] },
    });
    const provider = login();
    expect(await use(provider)).toBe("user: read");
    expect(asked("register")[0]?.body).not.toHaveProperty("scope");
    expect(await use(provider, "write")).toBe("written with read write");
    expect(await provider.refresh(url)).toBe(true);
    expect(asked("register")).toHaveLength(1);
  });

  test("Slack: a client that is registered with localhost and a port, scopes with commas, no refresh [FD-37 FD-53]", async () => {
    const port = await freePort();
    const client = { ...NATIVE, redirect_uris: [`http://localhost:${port}/slack/callback`] };
    const { as, use, asked, url } = await providerWorld("slack", {
      server: { clients: [client] },
      bearer: { scopes: ["chat:write", "read"] },
    });
    const known = { client: { id: "app" }, issuer: as.issuer, port };
    const provider = login({ ...known, callbackHost: "localhost", callbackPath: "/slack/callback" });
    expect(await use(provider)).toBe("user: chat:write read");
    expect(asked("authorize")[0]?.parameters["redirect_uri"]).toBe(client.redirect_uris[0]);
    expect(await provider.status(url)).toMatchObject({ scope: ["chat:write", "read"], renewable: false });
    expect(await use(provider)).toBe("user: chat:write read");
    expect(asked("authorize")).toHaveLength(1);
  });

  test("Salesforce: metadata without PKCE, tokens without an end, and a callback of localhost [FD-12 FD-37]", async () => {
    const port = await freePort();
    const client = { ...NATIVE, redirect_uris: [`http://localhost:${port}/callback`] };
    const { as, use, asked, url } = await providerWorld("salesforce", { server: { clients: [client] } });
    const provider = login({ client: { id: "app" }, issuer: as.issuer, port, callbackHost: "localhost", assumePkce: true });
    expect(await use(provider)).toBe("user: ");
    expect(await provider.status(url)).toMatchObject({ expiresAt: undefined, renewable: true });
    expect(await provider.refresh(url)).toBe(true);
    expect(asked("authorize")).toHaveLength(1);
  });

  test("Atlassian: registration returns a secret beside the method none, and the token endpoint wants it [FD-12]", async () => {
    const { use, asked, url } = await providerWorld("atlassian");
    const provider = login();
    expect(await use(provider)).toBe("user: ");
    expect(await provider.refresh(url)).toBe(true);
    for (const { parameters } of asked("token")) expect(parameters).toHaveProperty("client_secret");
    expect(asked("token").map(({ status }) => status)).toEqual([200, 200]);
  });

  test("Atlassian and Slack, whose metadata name an issuer elsewhere: refused, with who must repair it [FD-54]", async () => {
    for (const other of ["https://cf.mcp.example", "/tenant"]) {
      const { as, use, asked } = await providerWorld("atlassian");
      as.settings.alterResponse = (response, { endpoint }) =>
        endpoint === "metadata" ? { ...response, issuer: other.startsWith("/") ? as.issuer + other : other } : response;
      const outcome: unknown = await use(login()).catch((error: unknown) => error);
      if (!(outcome instanceof AuthorizationError)) throw new Error(`Expected an AuthorizationError, got ${String(outcome)}`);
      expect(outcome.problem).toContain("another issuer");
      expect(outcome.remedy).toContain("operators");
      expect([...asked("register"), ...asked("authorize")]).toEqual([]);
    }
  });

  test("GitHub: tokens as a form, scopes with commas, no registration and no refresh [FD-12]", async () => {
    const { as, use, asked, url } = await providerWorld("github", {
      server: {
        path: "/login/oauth",
        clients: [{ client_id: "app", client_secret: "s3cret", redirect_uris: ["http://127.0.0.1/callback"] }],
      },
      bearer: { scopes: ["repo", "gist"] },
    });
    const provider = login({ client: { id: "app", secret: "s3cret" }, issuer: as.issuer });
    expect(await use(provider)).toBe("user: repo gist");
    expect(await provider.status(url)).toMatchObject({ scope: ["repo", "gist"], renewable: false });
    expect(await use(provider)).toBe("user: repo gist");
    expect(asked("authorize")).toHaveLength(1);
  });
});
