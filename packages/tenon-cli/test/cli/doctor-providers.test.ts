// `tenon doctor --provider`: each provider as the profile of the test authorization server behaves, set up and not; the step that
// is missing in its console is named.
import { describe, expect, test, vi } from "vitest";
import { bearer, type BearerAuth } from "tenon/auth";
import { auth0, betterAuth, clerk, entra, keycloak, okta, supabase, workos } from "tenon/auth/providers";
import { createAuthorizationServer } from "tenon/authorization-server";
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";
import type { ProviderProfile, RunningAuthorizationServer, StartAuthorizationServerOptions } from "tenon/testing";
import { onTestFinished } from "vitest";
import { freePort } from "../../../../scripts/free-port.mjs";
import { examine } from "./examine.ts";
import { worldOf, type World } from "./protected.ts";
import { runCommand } from "./run-command.ts";

vi.setConfig({ testTimeout: 60_000 });

const TENANT = "11111111-2222-3333-4444-555555555555";
const APP = "66666666-7777-8888-9999-000000000000";

interface At {
  readonly origin: string;
  readonly url: string;
  readonly scopes?: readonly string[];
}

/** The function of each provider, and the path of its issuers. */
const PROVIDERS: Readonly<Record<string, readonly [path: string, make: (at: At) => BearerAuth]>> = {
  auth0: ["", ({ origin, ...more }) => auth0({ domain: origin, ...more })],
  betterAuth: ["/api/auth", ({ origin, ...more }) => betterAuth({ baseUrl: `${origin}/api/auth`, ...more })],
  clerk: ["", ({ origin, ...more }) => clerk({ domain: origin, ...more })],
  entra: [`/${TENANT}/v2.0`, ({ origin, ...more }) => entra({ authority: origin, tenant: TENANT, clientId: APP, ...more })],
  keycloak: ["/realms/staff", ({ origin, ...more }) => keycloak({ baseUrl: origin, realm: "staff", ...more })],
  okta: ["/oauth2/default", ({ origin, ...more }) => okta({ domain: origin, ...more })],
  supabase: ["/auth/v1", ({ origin, ...more }) => supabase({ project: origin, ...more })],
  workos: ["", ({ origin, ...more }) => workos({ domain: origin, ...more })],
};

/** The provider, and an MCP server that trusts it. */
function world(profile: string, settings: StartAuthorizationServerOptions = {}, scopes?: readonly string[]): Promise<World> {
  const [path, make] = PROVIDERS[profile]!;
  if (profile === "entra") scopes ??= ["read"]; // they say which app it is
  return worldOf({ profile: profile as ProviderProfile, path, ...settings }, async (as) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    const server = new McpServer({ name: "files", version: "1.0.0" });
    const auth = make({ origin: new URL(as.issuer).origin, url, ...(scopes && { scopes }) });
    const served = await serveHttp(server, { port, auth, onError: () => undefined });
    onTestFinished(() => served.close());
    return url;
  });
}

/** An access token of the provider. Its scope tells it from an ID token. */
const tokenOf = (as: RunningAuthorizationServer, audience?: string): Promise<string> =>
  as.issueAccessToken({ subject: "ann", clientId: "app", scopes: ["read"], ...(audience !== undefined && { audience }) });

describe.each(Object.keys(PROVIDERS))("%s", (name) => {
  test("that is set up has nothing broken, and the step that only a token can show is named", async () => {
    const { run, url } = await world(name);
    const found = await examine(run, [url, "--provider", name]);
    expect(found).toMatchObject({ ok: true, code: 0, failed: null });
    expect(found.by("ok")).toEqual(expect.arrayContaining(["provider", "provider metadata", "provider keys", "PKCE", "clients"]));
    expect(found.hop("token")).toMatchObject({
      status: "skipped",
      detail: expect.stringContaining("If tokens are refused: ") as string,
    });
  });

  test("a token that it did not issue for this server is refused by the step in its console", async () => {
    const { run, url, as } = await world(name);
    const elsewhere =
      name === "supabase"
        ? await as.issueAccessToken({ clientId: "app", claims: { aud: "anon" } })
        : await tokenOf(as, "https://other.example/mcp");
    const found = await examine(run, [url, "--provider", name, "--header", `Authorization: Bearer ${elsewhere}`]);
    expect(found).toMatchObject({ ok: false, code: 1, failed: "token" });
    expect(found.hop("token").fix).toMatch(
      /^(?:In the .* (?:dashboard|console)|In the options of|The client must request|It is not a token of a user)/,
    );
  });

  test("a token for this server is accepted", async () => {
    const { run, url, as } = await world(name);
    const right = await tokenOf(as, name === "entra" ? APP : url);
    const found = await examine(run, [
      url,
      "--provider",
      name,
      "--header",
      `Authorization: Bearer ${right}`,
      ...(name === "entra" ? ["--arg", `clientId=${APP}`] : []),
    ]);
    expect(found.hop("token")).toMatchObject({ status: "ok", detail: "it is for this server, and names ann" });
  });

  test("keys that are missing, and an issuer of another provider, are said with what to do", async () => {
    const { run, url } = await world(name, {
      alterResponse: (answer, { endpoint }) => (endpoint === "jwks" ? { keys: [] } : answer),
    });
    const found = await examine(run, [url, "--provider", name]);
    expect(found.hop("provider keys")).toMatchObject({ status: "failed", fix: expect.stringMatching(/^In /) as string });
    const other = name === "keycloak" ? "okta" : "keycloak";
    const wrong = await examine(run, [url, "--provider", other]);
    expect(wrong.hop("provider")).toMatchObject({
      status: "failed",
      detail: expect.stringContaining("this is no issuer of") as string,
    });
  });
});

test.each([
  ["auth0", "switch on OIDC Dynamic Application Registration"],
  ["betterAuth", "allowDynamicClientRegistration"],
  ["clerk", "switch on dynamic client registration"],
  ["keycloak", "make a public client"],
  ["supabase", "allow dynamic registration"],
  ["workos", "switch on Client ID Metadata Document or Dynamic Client Registration"],
])("%s without registration: the switch is named, and not with a client that was given", async (name, step) => {
  const { run, url } = await world(name, {
    alterResponse: (answer, { endpoint }) =>
      endpoint === "metadata" ? { ...answer, registration_endpoint: null, client_id_metadata_document_supported: false } : answer,
  });
  expect((await examine(run, [url, "--provider", name])).hop("clients")).toMatchObject({
    status: "failed",
    fix: expect.stringContaining(step) as string,
  });
  expect((await examine(run, [url, "--provider", name, "--client-id", "app"])).hop("clients").status).toBe("ok");
});

test("cognito: a pool that is not at Amazon, and scopes without their resource server, are said with what to do", async () => {
  const path = "/eu-central-1_AbCdEfGhI";
  const { run, url } = await worldOf({ profile: "cognito", path }, async (as) => {
    const port = await freePort();
    const auth = bearer({ issuer: as.issuer, audience: `http://127.0.0.1:${port}/mcp`, scopes: ["read"] });
    const served = await serveHttp(new McpServer({ name: "files", version: "1.0.0" }), { port, auth, onError: () => undefined });
    onTestFinished(() => served.close());
    return `http://127.0.0.1:${port}/mcp`;
  });
  const found = await examine(run, [url, "--provider", "cognito"]);
  expect(found).toMatchObject({ ok: false, code: 1, failed: "provider" });
  expect(found.hop("provider")).toMatchObject({
    detail: expect.stringContaining("is for https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI") as string,
    fix: expect.stringContaining("copy the user pool ID") as string,
  });
  expect(found.hop("scopes").fix).toContain(`name them "${url}/<scope>"`);
});

test.each([["supabase", ["files:read"], 'leave the option "scopes" of supabase() out']])(
  "%s with scopes that no token has: %j",
  async (name, scopes, step) => {
    const { run, url } = await world(name, {}, scopes);
    expect((await examine(run, [url, "--provider", name])).hop("scopes")).toMatchObject({
      status: "failed",
      fix: expect.stringContaining(step) as string,
    });
  },
);

test("the options of the function are read from what the server publishes, and what is missing is asked for", async () => {
  const { run, url } = await world("entra");
  expect((await examine(run, [url, "--provider", "entra"])).hop("provider").status).toBe("ok");
  const open = await world("entra", {}, []);
  expect((await examine(open.run, [open.url, "--provider", "entra"])).hop("provider")).toMatchObject({
    status: "failed",
    detail: expect.stringContaining('option "clientId"') as string,
    fix: expect.stringContaining("--arg") as string,
  });
});

describe("without a server", () => {
  test("the issuer is looked at, however the provider is spelt", async () => {
    const { run, as } = await world("betterAuth");
    const found = await examine(run, ["--provider", "better-auth", "--issuer", as.issuer]);
    expect(found).toMatchObject({ ok: true, code: 0 });
    expect(found.hop("scopes").status).toBe("skipped");
  });

  test("an issuer that publishes nothing: the switch that makes it is named", async () => {
    const { run, as } = await world("supabase", {
      alterResponse: (answer, { endpoint }) => (endpoint === "metadata" ? undefined : answer),
    });
    expect((await examine(run, ["--provider", "supabase", "--issuer", as.issuer])).hop("provider metadata")).toMatchObject({
      status: "failed",
      fix: "In the Supabase dashboard, under Authentication > OAuth Server, switch the OAuth server on.",
    });
  });

  test("Google and GitHub say who a user is, and the page of the redirect URI is named", async () => {
    const { run, as } = await worldOf({ profile: "google" }, (server) => Promise.resolve(server.issuer));
    const google = await examine(run, ["--provider", "google", "--issuer", as.issuer]);
    expect([google.code, google.hop("callback").detail]).toEqual([0, expect.stringContaining("authorized redirect URI")]);
    const github = await examine(run, ["--provider", "github"]);
    expect([github.code, github.hop("callback").detail]).toEqual([0, expect.stringContaining("authorization callback URL")]);
  });
});

test("behind an authorization server of one's own, the redirect URI is that of the server", async () => {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const login = await createAuthorizationServer({
    issuer: origin,
    resource: `${origin}/mcp`,
    scopes: { read: "Read" },
    provider: { issuer: "https://github.com", clientId: "x", clientSecret: "y" },
    allowUser: () => true,
  });
  const served = await serveHttp(new McpServer({ name: "files", version: "1.0.0" }), { port, auth: login.protect() });
  onTestFinished(() => served.close());
  const { run } = await worldOf({}, () => Promise.resolve(served.url));
  const found = await examine(run, [served.url, "--provider", "github"]);
  expect(found.hop("provider").detail).toBe(`it stands behind ${origin}`);
  expect(found.hop("callback").detail).toContain(`${origin}/callback`);
});

test("as text, the failing step stands at the end with what to do", async () => {
  const { run, url, as } = await world("keycloak");
  const { stdout, code } = await run([
    "doctor",
    url,
    "--provider",
    "keycloak",
    "--header",
    `Authorization: Bearer ${await tokenOf(as)}`,
  ]);
  expect(code).toBe(1);
  expect(stdout).toContain("It fails at: token");
  expect(stdout).toContain("fix    In the Keycloak console, under Client scopes, add a mapper of the type Audience");
});

test.each([
  [["--provider", "atuh0"], 'Did you mean "auth0"?'],
  [["--provider", "auth0"], "Name the server, or the issuer"],
  [["--provider", "auth0", "--issuer", "https://x.example", "--arg", "domain"], "must be option=value"],
  [["https://x.example/mcp", "--arg", "domain=x"], "--arg needs --provider"],
])("%j says what is missing", async (typed, message) => {
  const { code, stderr } = await runCommand(["doctor", ...typed]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
