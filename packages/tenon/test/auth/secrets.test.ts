// Nothing secret is seen where it does not belong: not in errors, not in what is printed, not in URLs, not at strangers.
import { format, inspect } from "node:util";
import { exportPKCS8, generateKeyPair } from "jose";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { connect } from "tenon";
import {
  bearerToken,
  clientCredentials,
  enterpriseManaged,
  importSigningKey,
  MemoryStore,
  workloadIdentity,
  type AuthFetch,
  type AuthProvider,
  type UserLoginOptions,
} from "tenon/auth";
import type { RunningAuthorizationServer } from "tenon/testing";
import { authorizationServer, login, protect, type ProtectedServer } from "./support.ts";

/** Everything a person or a log could get to see of a value. */
function shown(value: unknown): string {
  const parts = [inspect(value, { depth: 12, showHidden: true, getters: true }), format("%o %j", value, value), String(value)];
  for (let error = value; error instanceof Error; error = error.cause)
    parts.push(error.message, error.stack ?? "", JSON.stringify(error), inspect(error, { depth: 12 }));
  return parts.join("\n");
}

/** What must not be shown: what the parties said to each other that others must not know. */
function secretsOf(as: RunningAuthorizationServer, server: ProtectedServer, seen: readonly string[]): string[] {
  const names = [
    "code",
    "code_verifier",
    "refresh_token",
    "client_secret",
    "assertion",
    "client_assertion",
    "subject_token",
    "state",
    "device_code",
  ];
  const sent = as.requests.flatMap(({ parameters }) =>
    names.map((name) => parameters[name]).filter((value): value is string => typeof value === "string"),
  );
  return [...new Set([...sent, ...server.tokens(), ...seen])].filter((secret) => secret.length > 3);
}

/** Tokens an issuer gave out, from its answers. */
function watching(as: RunningAuthorizationServer): string[] {
  const seen: string[] = [];
  as.settings.alterResponse = (answer) => {
    for (const name of ["access_token", "refresh_token", "id_token", "client_secret", "device_code"])
      if (typeof answer[name] === "string") seen.push(answer[name]);
    return answer;
  };
  return seen;
}

/** Everything printed while the test runs. */
function printed(): () => string {
  const lines: string[] = [];
  for (const name of ["log", "info", "warn", "error", "debug"] as const)
    vi.spyOn(console, name).mockImplementation((...parts: unknown[]) => void lines.push(format(...parts)));
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, "write").mockImplementation((text) => (lines.push(String(text)), true));
  return () => lines.join("\n");
}

interface Stage {
  readonly as: RunningAuthorizationServer;
  readonly server: ProtectedServer;
  readonly seen: string[];
}

async function stage(options: Parameters<typeof authorizationServer>[0] = {}): Promise<Stage> {
  const as = await authorizationServer({ clients: [{ client_id: "machine", client_secret: "canary-secret-1" }], ...options });
  return { as, server: await protect(as), seen: watching(as) };
}

/** Ways in which things go wrong for a client that is logged in; that of the login page also refuses what it has. */
const FAULTS: readonly (readonly [string, (stage: Stage) => void])[] = [
  [
    "the issuer refuses everything",
    ({ as }) => void (as.settings.before = ({ endpoint }) => (endpoint === "token" ? 400 : undefined)),
  ],
  ["the issuer is broken", ({ as }) => void (as.settings.before = ({ endpoint }) => (endpoint === "token" ? 500 : undefined))],
  [
    "the issuer answers with what it was sent",
    ({ as }) =>
      void (as.settings.alterResponse = (answer, { endpoint, parameters, body }) =>
        endpoint === "token" || endpoint === "register"
          ? { error: JSON.stringify([answer, parameters, body]), error_description: JSON.stringify([answer, parameters]) }
          : answer),
  ],
  [
    "the issuer's token is none",
    ({ as }) =>
      void (as.settings.alterResponse = (answer, { endpoint }) =>
        endpoint === "token" ? { ...answer, token_type: answer["access_token"] ?? "x" } : answer),
  ],
  [
    "the user comes back with nonsense",
    ({ as, server }) => {
      as.settings.alterRedirect = (parameters) => parameters.set("iss", parameters.get("code") ?? "");
      server.guarding.needs = { "tools/call": ["more"] };
    },
  ],
  [
    "the server repeats the token it was sent",
    ({ server }) =>
      void (server.guarding.instead = (request, response) => {
        if (request.url !== "/mcp") return false;
        const { authorization = "" } = request.headers;
        response.writeHead(401, { "www-authenticate": `Bearer error="${authorization.slice(7)}"` }).end();
        return true;
      }),
  ],
  [
    "the server's metadata is somebody else's",
    ({ server }) => void (server.guarding.metadata!["resource"] = "https://other.example/"),
  ],
];

describe.each(FAULTS)("%s [fault O10 R21]", (title, fault) => {
  const GRANTS: readonly (readonly [string, (as: RunningAuthorizationServer) => AuthProvider | Promise<AuthProvider>])[] = [
    ["oauth", () => login({ store: new MemoryStore(), scope: "a" })],
    ["oauth with DPoP", () => login({ store: new MemoryStore(), dpop: true })],
    ["a given client", (as) => login({ client: { id: "machine", secret: "canary-secret-1" }, issuer: as.issuer })],
    [
      "client credentials",
      (as) => clientCredentials({ issuer: as.issuer, client: { id: "machine", secret: "canary-secret-1" } }),
    ],
    [
      "private_key_jwt",
      async (as) => {
        const { privateKey } = await generateKeyPair("ES256", { extractable: true });
        const key = await importSigningKey(await exportPKCS8(privateKey), "ES256");
        return clientCredentials({ issuer: as.issuer, client: { id: "machine", key } });
      },
    ],
    ["a workload", (as) => workloadIdentity({ issuer: as.issuer, assertion: "canary-assertion" })],
    [
      "an enterprise",
      (as) =>
        enterpriseManaged({
          issuer: as.issuer,
          client: { id: "machine", secret: "canary-secret-1" },
          identityProvider: {
            tokenEndpoint: `${as.issuer}/token`,
            client: { id: "machine", secret: "canary-secret-2" },
            subjectToken: () => "canary-identity",
          },
        }),
    ],
    ["a token", () => bearerToken("canary-token")],
  ];

  test.each(GRANTS)("%s: nothing secret in errors, on the console, or in a URL", async (name, make) => {
    const scene = await stage({
      clients: [{ client_id: "machine", client_secret: "canary-secret-1", redirect_uris: ["http://127.0.0.1/callback"] }],
    });
    const { as, server, seen } = scene;
    const output = printed();
    const auth = await make(as);
    const reported: unknown[] = [];
    const options = { auth, revision: "2026-07-28", onError: (error: Error) => void reported.push(error) } as const;
    const failed = (error: unknown): undefined => void reported.push(error);
    // Some are refused at once, others log in, and are then refused.
    const first = await connect(server.url, options).catch(failed);
    fault(scene);
    if (first !== undefined) {
      onTestFinished(() => first.close());
      for (const token of server.tokens()) server.guarding.expired.add(token);
      await first.callTool("echo").catch(failed);
    }
    await connect(server.url, options).catch(failed);
    const errors = reported.filter((value) => value instanceof Error);
    // Only who has a user can have a user who comes back with nonsense.
    if (title !== "the user comes back with nonsense" || /oauth|given/.test(name)) expect(errors.length).toBeGreaterThan(0);
    const secrets = [...secretsOf(as, server, seen), "canary"];
    const everything = errors.map(shown).join("\n") + output();
    for (const secret of secrets) expect(everything.includes(secret), `${secret.slice(0, 12)}… is shown`).toBe(false);
    const urls = [
      ...as.requests.filter(({ endpoint }) => endpoint !== "authorize").map(({ url }) => url),
      ...server.sent.map(({ path }) => path),
    ];
    for (const secret of secrets) expect(urls.join("\n").includes(secret), `${secret.slice(0, 12)}… is in a URL`).toBe(false);
  });
});

test("what one server's issuer gave goes to no other server, and no server's token to an issuer [fault O9 M4.7]", async () => {
  const [one, other] = [await stage(), await stage()];
  const store = new MemoryStore();
  for (const { server } of [one, other, one]) await (await connect(server.url, { auth: login({ store }) })).close();
  for (const token of one.server.tokens())
    expect(JSON.stringify([other.server.sent, other.as.requests, one.as.requests])).not.toContain(token);
  for (const token of other.server.tokens())
    expect(JSON.stringify([one.server.sent, one.as.requests, other.as.requests])).not.toContain(token);
});

test("a hostile server's documents make no client call anything but that server [fault O1 R12]", async () => {
  const visited: string[] = [];
  const web: AuthFetch = (url) => {
    visited.push(url);
    return Promise.resolve(new Response("{}", { status: 404, headers: { "content-type": "application/json" } }));
  };
  const hostile = [
    "http://127.0.0.1:6379/",
    "http://169.254.169.254/",
    "https://10.0.0.1/",
    "https://internal/",
    "file:///etc/passwd",
    "https://a:b@evil.example/",
  ];
  const { server } = await stage();
  for (const url of hostile) {
    const options: UserLoginOptions = { fetch: web, allowLoopback: false };
    server.guarding.metadata = { resource: server.url, authorization_servers: [url] };
    await expect(connect(server.url, { auth: login(options) })).rejects.toBeInstanceOf(Error);
  }
  for (const url of visited) expect(new URL(url).origin).toBe(server.origin);
});
