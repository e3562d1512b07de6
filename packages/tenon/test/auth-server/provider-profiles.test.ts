/**
 * Each provider of `tenon/auth/providers` against the profile of the test authorization server that behaves like it: a whole
 * login, and every token that is not for this server. Without the step in its console, the operator reads which one is missing.
 */
import { decodeJwt } from "jose";
import { describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "tenon";
import { oauth, type AuthFetch, type BearerAuth, type UserLoginOptions } from "tenon/auth";
import { connect } from "tenon/client";
import { serveHttp } from "tenon/node";
import { auth0, betterAuth, clerk, cognito, entra, keycloak, okta, supabase, workos } from "tenon/auth/providers";
import { McpServer } from "tenon/server";
import { startAuthorizationServer, type ProviderProfile, type RunningAuthorizationServer } from "tenon/testing";
import { browse } from "../field/providers.ts";
import { freePort } from "../../../../scripts/free-port.mjs";

const TENANT = "11111111-2222-3333-4444-555555555555";
const APP = "66666666-7777-8888-9999-000000000000";
const POOL = "eu-central-1_AbCdEfGhI";
const COGNITO = "https://cognito-idp.eu-central-1.amazonaws.com";
/** A client that was made by hand, where no client registers itself. */
const BY_HAND = { client_id: "app", token_endpoint_auth_method: "none", redirect_uris: ["http://127.0.0.1/callback"] } as const;

interface At {
  /** The origin of the provider. */
  readonly origin: string;
  /** The URL of the MCP server. */
  readonly url: string;
}

interface Row {
  readonly profile: ProviderProfile;
  readonly path: string;
  readonly make: (at: At, more?: { readonly fetch?: AuthFetch }) => BearerAuth;
  /** The step in its console. */
  readonly configure: (as: RunningAuthorizationServer, at: At) => void;
  /** What the operator reads if nobody has done it. */
  readonly step: string;
  /** Without that step no token is issued, so that no MCP server sees one. */
  readonly refusesLogin?: boolean;
  /** The client, where it cannot register itself. */
  readonly login?: UserLoginOptions;
  /** Tokens that are refused beside those that all refuse: their claims, and what the operator reads. */
  readonly refused: Readonly<Record<string, readonly [JsonObject, string]>>;
  /** The issuer of another tenant. */
  readonly neighbour: string;
}

/** The API that tokens are for is chosen in the console. */
const audience = (as: RunningAuthorizationServer, { url }: At): void => void (as.settings.defaultAudience = url);

const ROWS: readonly Row[] = [
  {
    profile: "auth0",
    path: "",
    make: ({ origin, url }, more) => auth0({ domain: origin, url, allowLoopback: true, ...more }),
    configure: audience,
    step: "under Applications > APIs, create an API",
    refused: { "for userinfo only": [{ aud: ["https://x.example/userinfo"] }, "create an API with the identifier"] },
    neighbour: "https://other.eu.auth0.com/",
  },
  {
    profile: "betterAuth",
    path: "/api/auth",
    make: ({ origin, url }, more) => betterAuth({ baseUrl: `${origin}/api/auth`, url, allowLoopback: true, ...more }),
    configure: (as, { url }) => void (as.settings.resources = [url]),
    step: "invalid_target",
    refusesLogin: true,
    refused: { "for another resource": [{ aud: "https://other.example/mcp" }, '"resources" must have'] },
    neighbour: "https://other.example/api/auth",
  },
  {
    profile: "clerk",
    path: "",
    make: ({ origin, url }, more) => clerk({ domain: origin, url, allowLoopback: true, ...more }),
    configure: (as) => void (as.settings.resourceParameter = "accept"),
    step: "under Agents > MCP servers, add an MCP server with the URL",
    refused: {
      "a session with an azp": [
        { aud: undefined as never, client_id: undefined as never, azp: "https://app.example.com" },
        "MCP server",
      ],
      "for another server": [{ aud: "https://other.example/mcp" }, "MCP server"],
    },
    neighbour: "https://clerk.other.example",
  },
  {
    profile: "cognito",
    path: `/${POOL}`,
    make: ({ url }, more) => cognito({ userPoolId: POOL, url, ...more }),
    configure: audience,
    step: "with a resource server of that identifier in the user pool",
    refused: { "an ID token": [{ aud: "app", token_use: "id" }, "The client sent an ID token"] },
    neighbour: `${COGNITO}/eu-central-1_OtherPool`,
  },
  {
    profile: "entra",
    path: `/${TENANT}/v2.0`,
    make: ({ origin, url }, more) =>
      entra({ authority: origin, tenant: TENANT, clientId: APP, url, scopes: ["read"], allowLoopback: true, ...more }),
    configure: (as) => void (as.settings.defaultAudience = APP),
    step: "request the scopes of this server in their long form",
    login: { client: { id: "app" }, assumePkce: true, resource: false },
    refused: {
      "for Microsoft Graph": [{ aud: "00000003-0000-0000-c000-000000000000" }, "in their long form"],
      "of version 1": [{ iss: `https://sts.windows.net/${TENANT}/` }, "set requestedAccessTokenVersion to 2"],
    },
    neighbour: `https://login.microsoftonline.com/99999999-2222-3333-4444-555555555555/v2.0`,
  },
  {
    profile: "keycloak",
    path: "/realms/staff",
    make: ({ origin, url }, more) => keycloak({ baseUrl: origin, realm: "staff", url, allowLoopback: true, ...more }),
    configure: audience,
    step: "under Client scopes, add a mapper of the type Audience",
    refused: { "for the account page": [{ aud: "account" }, "add a mapper of the type Audience"] },
    neighbour: "https://sso.example.com/realms/other",
  },
  {
    profile: "okta",
    path: "/oauth2/default",
    make: ({ origin, url }, more) => okta({ domain: origin, url, allowLoopback: true, ...more }),
    configure: audience,
    step: "under Security > API, the authorization server must have the audience",
    login: { client: { id: "app" } },
    refused: { "for api://default": [{ aud: "api://default" }, 'or set the option "audience"'] },
    neighbour: "https://other.okta.com/oauth2/default",
  },
  {
    profile: "supabase",
    path: "/auth/v1",
    make: ({ origin, url }, more) => supabase({ project: origin, url, allowLoopback: true, ...more }),
    configure: () => undefined,
    step: "",
    refused: {
      "a session of the application": [{ client_id: undefined as never }, "a session of the project's own application"],
      "the key of visitors": [{ aud: "anon" }, "It is not a token of a user"],
    },
    neighbour: "https://otherotherotherother.supabase.co/auth/v1",
  },
  {
    profile: "workos",
    path: "",
    make: ({ origin, url }, more) => workos({ domain: origin, url, allowLoopback: true, ...more }),
    configure: (as) => void (as.settings.resourceParameter = "accept"),
    step: "under Connect > Configuration, add",
    refused: { "for the environment": [{ aud: "client_01TEST" }, 'the option "clientId" accepts them'] },
    neighbour: "https://other.authkit.app",
  },
];

interface World extends At {
  readonly as: RunningAuthorizationServer;
  readonly row: Row;
  /** What the operator of the MCP server reads. */
  readonly errors: string[];
  /** Logs in and says who the user is. */
  readonly logIn: () => Promise<string>;
  /** Calls with a token that the provider signed, and says what the operator reads; undefined if it is taken. */
  readonly present: (claims: JsonObject, lifetime?: number, instead?: string) => Promise<string | undefined>;
  /** A claim of its tokens. */
  readonly read: (claim: "iss" | "aud") => Promise<JsonObject["x"]>;
}

/** The provider, with or without the step in its console, and an MCP server behind its door. */
async function start(row: Row, isConfigured = true): Promise<World> {
  const as = await startAuthorizationServer({ profile: row.profile, path: row.path, ...(row.login && { clients: [BY_HAND] }) });
  const port = await freePort();
  const at: At = { origin: new URL(as.issuer).origin, url: `http://127.0.0.1:${port}/mcp` };
  if (isConfigured) row.configure(as, at);
  else if (row.profile === "betterAuth") as.settings.resources = [];
  else if (["clerk", "workos"].includes(row.profile)) as.settings.resourceParameter = "ignore";
  const isCognito = row.profile === "cognito";
  const auth = row.make(at, isCognito ? { fetch: asCognito(at.origin) } : {});
  const errors: string[] = [];
  const server = new McpServer({ name: "files", version: "1.0.0" });
  server.tool(
    "who",
    {},
    (_input, ctx) => `${ctx.auth?.subject} with ${ctx.auth?.clientId === undefined ? "no client" : "a client"}`,
  );
  const served = await serveHttp(server, { port, auth, onError: (error) => void errors.push((error as Error).message) });
  onTestFinished(async () => {
    await served.close();
    await as.close();
  });
  const logIn = async (): Promise<string> => {
    const client = await connect(at.url, {
      auth: oauth({ open: browse, ...row.login, ...(row.login && { issuer: as.issuer }) }),
    });
    const { text } = await client.callTool("who");
    await client.close();
    return text;
  };
  const issue = (claims: JsonObject, lifetime?: number): Promise<string> =>
    as.issueAccessToken({
      ...{
        subject: "ann",
        clientId: "app",
        scopes: ["read"],
        claims: { ...(isCognito && { iss: `${COGNITO}/${POOL}` }), ...claims },
      },
      ...(lifetime !== undefined && { lifetime }),
      ...(["clerk", "workos", "betterAuth"].includes(row.profile) && { audience: at.url }),
    });
  const read: World["read"] = async (claim) => decodeJwt<JsonObject>(await issue({}))[claim];
  const present: World["present"] = async (claims, lifetime, instead) => {
    const token = instead ?? (await issue(claims, lifetime));
    errors.length = 0;
    const { status } = await fetch(at.url, { method: "POST", headers: { authorization: `Bearer ${token}` } });
    return status === 401 ? errors.join("\n") : undefined;
  };
  return { ...at, as, row, errors, logIn, present, read };
}

/** The pool at Amazon, served by the test server. */
function asCognito(origin: string): AuthFetch {
  return async (url, init) => {
    const response = await fetch(url.replace(COGNITO, origin), init as RequestInit);
    return new Response((await response.text()).replaceAll(origin, COGNITO), {
      status: response.status,
      headers: response.headers,
    });
  };
}

describe.each(ROWS.map((row) => [row.profile, row] as const))("%s", (profile, row) => {
  test("with the step in its console, what it issues is taken", async () => {
    const { present, logIn } = await start(row);
    expect(await present({})).toBeUndefined();
    if (profile !== "cognito") expect(await logIn()).toBe("user with a client");
  });

  if (row.step === "") return; // it needs none
  test("without that step the operator reads which one it is", async () => {
    const { logIn, errors, present } = await start(row, false);
    if (profile === "cognito") expect(await present({})).toContain(row.step);
    else if (row.refusesLogin === true) await expect(logIn()).rejects.toMatchObject({ error: row.step });
    else {
      await expect(logIn()).rejects.toBeInstanceOf(Error);
      expect(errors.join("\n")).toContain(row.step);
    }
  });

  test.each(Object.keys(row.refused))("a token %s is refused, and the operator reads what to do", async (what) => {
    const { present } = await start(row);
    const [claims, step] = row.refused[what]!;
    const reason = await present(claims);
    expect(reason).toMatch(/^Access token refused: /);
    expect(reason).toContain(step);
  });

  test("tokens of another tenant, of another issuer, expired ones and forged ones are refused", async () => {
    const [{ present, read }, stranger] = [await start(row), await start(row)];
    for (const iss of [row.neighbour, "https://evil.example"])
      expect(await present({ iss })).toMatch(
        /its issuer is not accepted: .* must name what issued the token|requestedAccessTokenVersion/,
      );
    expect(await present({}, -120_000)).toContain('"exp" claim timestamp check failed');
    expect(await present({ nbf: Math.floor(Date.now() / 1_000) + 3_600 })).toContain('"nbf" claim timestamp check failed');
    const forged = await stranger.as.issueAccessToken({
      audience: stranger.url,
      claims: { iss: await read("iss"), aud: await read("aud") },
    });
    expect(await present({}, undefined, forged)).toMatch(/signature verification failed|no applicable key found/);
  });
});
