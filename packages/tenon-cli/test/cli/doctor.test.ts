// `tenon doctor <url>` up to a login: each way a server or an authorization server can be broken is named by its hop, with its
// fix; what comes after it is tried nevertheless. Every output is searched for everything secret that passed (protected.ts).
import { createServer, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { serveHttp, toNodeHandler } from "tenon/node";
import type { StartAuthorizationServerOptions } from "tenon/testing";
import { listen } from "../../../tenon/test/runtimes/browser.ts";
import { examine, guardedWorld } from "./examine.ts";
import { logIn, protectedWorld } from "./protected.ts";
import { assertHas } from "../../../tenon/test/support/needs.ts";
import { testServer } from "../../../tenon/test/support/test-server.ts";

// Several processes a test, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

test("without a login everything up to it is looked at, and nothing is registered [M2.1]", async () => {
  const { as, url, run } = await protectedWorld();
  const { code, stdout } = await run(["doctor", url]);
  expect(stdout.replaceAll(/ {2}\d+ ms$/gm, "").split("\n")).toEqual([
    url,
    "",
    "ok       reachable                      it answers, with HTTP 401",
    `ok       challenge                      names ${new URL(url).origin}/.well-known/oauth-protected-resource/mcp; wants read`,
    `ok       protected resource metadata    ${url} trusts ${as.issuer}; scopes read`,
    `ok       authorization server metadata  ${as.issuer}`,
    "ok       PKCE                           S256",
    "ok       registration                   a login would register (--register tries it)",
    `skipped  token                          no login is stored: tenon login ${url}`,
    "skipped  audience                       no login is stored",
    "skipped  refresh                        no login is stored",
    "skipped  access                         no login is stored",
    "skipped  messages                       no login is stored",
    "",
    `Nothing is broken, as far as can be told without a login: it wants a login. Run: tenon login ${url}`,
    "",
  ]);
  expect(code).toBe(0);
  expect(as.requests.filter(({ endpoint }) => endpoint !== "metadata")).toEqual([]);
});

test("--register registers, and the next login is by that client [M3.3]", async () => {
  const world = await protectedWorld();
  const { as, url, run } = world;
  const registrations = (): number => as.requests.filter(({ endpoint }) => endpoint === "register").length;
  const { hop } = await examine(run, [url, "--register"]);
  expect(hop("registration").detail).toMatch(/^registered just now, for the next login: \S+$/);
  expect((await examine(run, [url, "--register"])).hop("registration").detail).toMatch(/^registered by an earlier login: /);
  await logIn(world);
  expect(registrations()).toBe(1);
  expect(as.requests.find(({ endpoint }) => endpoint === "register")?.body).toMatchObject({ application_type: "native" });
});

/** What is broken at the authorization server, before anybody logs in. */
const NO_LOGIN: readonly (readonly [
  what: string,
  settings: StartAuthorizationServerOptions,
  failed: string,
  url: string,
  fix: string,
])[] = [
  [
    "no metadata",
    { alterResponse: (answer, { endpoint }) => (endpoint === "metadata" ? undefined : answer) },
    "authorization server metadata",
    "/",
    "The operator of the authorization server",
  ],
  [
    "M2.5 O2 metadata of another issuer",
    {
      alterResponse: (answer, { endpoint }) =>
        endpoint === "metadata" ? { ...answer, issuer: "https://other.example" } : answer,
    },
    "authorization server metadata",
    "/.well-known/oauth-authorization-server",
    "must make the two names equal, to the letter",
  ],
  [
    "M4.1 O4 no PKCE with S256",
    {
      alterResponse: (answer, { endpoint }) =>
        endpoint === "metadata" ? { ...answer, code_challenge_methods_supported: ["plain"] } : answer,
    },
    "PKCE",
    "/.well-known/oauth-authorization-server",
    "must turn PKCE on",
  ],
  [
    "no registrations",
    { alterResponse: (answer) => ({ ...answer, registration_endpoint: null }) },
    "registration",
    "/",
    "--client-id",
  ],
  [
    "M3.3 a registration that is refused",
    { before: ({ endpoint }) => (endpoint === "register" ? 403 : undefined) },
    "registration",
    "/register",
    "pass it with --client-id",
  ],
];

test.each(NO_LOGIN)("%s is found, and what follows is tried", async (_, settings, failed, place, fix) => {
  const { as, url, run } = await protectedWorld(settings);
  const found = await examine(run, [url, "--register"]);
  expect(found).toMatchObject({ ok: false, code: 1, failed });
  expect(found.hop(failed)).toMatchObject({ url: `${as.issuer}${place}`, fix: expect.stringContaining(fix) as string });
  expect(found.by("failed")).toEqual([failed]);
  const { stdout } = await run(["doctor", url, "--register"]);
  const { detail } = found.hop(failed);
  expect(stdout).toContain(
    `\nIt fails at: ${failed}\n  at     ${as.issuer}${place}\n  wrong  ${detail}\n  fix    ${found.hop(failed).fix}\n`,
  );
});

test("for a server without metadata the report says where to publish it", async () => {
  const { server, url, run } = await guardedWorld();
  server.guarding.metadata = undefined;
  const { failed, code, hop, by } = await examine(run, [url]);
  expect({ failed, code }).toEqual({ failed: "protected resource metadata", code: 1 });
  expect(hop("protected resource metadata")).toMatchObject({
    url: `${server.origin}/.well-known/oauth-protected-resource/mcp`,
    fix: expect.stringContaining("must publish which authorization server it trusts") as string,
  });
  expect(by("failed")).toEqual(["protected resource metadata"]);
});

test("metadata of another resource are found, and their authorization server is examined anyway [M2.2 fault O6]", async () => {
  const { as, server, url, run } = await guardedWorld();
  server.guarding.metadata = { resource: "https://other.example/mcp", authorization_servers: [as.issuer] };
  const { failed, hop, by } = await examine(run, [url]);
  expect(failed).toBe("protected resource metadata");
  expect(hop(failed!).fix).toContain("Check the URL you connect to");
  expect(by("ok")).toEqual(["reachable", "challenge", "authorization server metadata", "PKCE", "registration"]);
});

test("documents that fail, and that never come, are found where they are [M2.7 fault O2]", async () => {
  const { as, server, url, run } = await guardedWorld();
  const { instead } = server.guarding;
  server.guarding.instead = ({ url: path }, response) => {
    if (path === "/mcp") return false;
    response.writeHead(500).end();
    return true;
  };
  const broken = await examine(run, [url]);
  expect(broken.failed).toBe("protected resource metadata");
  expect(broken.hop(broken.failed!)).toMatchObject({
    detail: "it answered with HTTP 500",
    fix: expect.stringContaining("Try again later") as string,
  });

  server.guarding.instead = instead;
  as.settings.before = () => new Promise(() => undefined);
  const slow = await examine(run, [url, "--timeout", "1500"]);
  expect(slow.failed).toBe("authorization server metadata");
  expect(slow.hop(slow.failed!)).toMatchObject({
    detail: expect.stringMatching(/^no response within \d+ ms$/) as string,
    fix: "Try again.",
  });
});

test.each([
  ["another scheme", 401, "Basic realm=x", "is not OAuth", "--header"],
  ["what cannot be read", 401, 'Bearer realm="', "its WWW-Authenticate header cannot be read", "The operator of that server"],
  [
    "metadata elsewhere",
    401,
    'Bearer resource_metadata="https://other.example/x"',
    "is not on the server's own origin",
    "The operator of the MCP server",
  ],
  ["403 to everybody", 403, "Bearer", "clients only log in after a 401", "The operator of the MCP server"],
])("a challenge of no use is found: %s [M2.1]", async (_, status, challenge, wrong, fix) => {
  const { server, url, run } = await guardedWorld();
  server.guarding.instead = ({ url: path }, response) => {
    if (path !== "/mcp") return false;
    response.writeHead(status, { "www-authenticate": challenge }).end();
    return true;
  };
  const { failed, hop, by } = await examine(run, [url]);
  expect(failed).toBe("challenge");
  expect(hop("challenge").detail).toContain(wrong);
  expect(hop("challenge").fix).toContain(fix);
  expect(by("ok")).toEqual(["reachable", "protected resource metadata", "authorization server metadata", "PKCE", "registration"]);
});

test("a server that is its own authorization server, as before 2025-06-18, passes [M2.6 M7.1]", async () => {
  const origin = await listen((request, response) => {
    const { url: path = "" } = request;
    const metadata = {
      issuer: `http://${request.headers.host}`,
      authorization_endpoint: `http://${request.headers.host}/authorize`,
      token_endpoint: `http://${request.headers.host}/token`,
      registration_endpoint: `http://${request.headers.host}/register`,
      code_challenge_methods_supported: ["S256"],
    };
    if (path === "/mcp") response.writeHead(401).end();
    else if (path === "/.well-known/oauth-authorization-server")
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(metadata));
    else response.writeHead(404).end();
  });
  const { run } = await protectedWorld();
  const { ok, hop } = await examine(run, [`${origin}/mcp`]);
  expect(ok).toBe(true);
  expect(hop("challenge").detail).toContain("401 without WWW-Authenticate");
  expect(hop("protected resource metadata")).toMatchObject({
    status: "skipped",
    detail: expect.stringContaining("as before 2025-06-18") as string,
  });
  expect(hop("authorization server metadata")).toMatchObject({ status: "ok", detail: origin });
});

test("a server without authorization: what it speaks", async () => {
  const { run } = await protectedWorld();
  const open = testServer({ name: "open" });
  open.tool("ok", {}, () => "ok");
  const http = await serveHttp(open, { port: 0 });
  onTestFinished(() => http.close());
  const { ok, by, hop } = await examine(run, [http.url, "--revision", "2025-06-18"]);
  expect(ok).toBe(true);
  expect(by("ok")).toEqual(["reachable", "access", "messages"]);
  expect(hop("access").detail).toBe("open 1 speaks 2025-06-18: tools, logging");
  const elsewhere = await examine(run, [http.url.replace("/mcp", "/nowhere")]);
  expect(elsewhere.failed).toBe("reachable");
  expect(elsewhere.hop("reachable")).toMatchObject({
    detail: expect.stringContaining("404") as string,
    fix: expect.stringContaining("/mcp") as string,
  });
});

const JSON_TYPE = { "content-type": "application/json" };

test.each<[what: string, respond: (id: unknown, response: ServerResponse) => unknown, detail: RegExp]>([
  [
    "a handshake that cannot be read",
    (id, response) =>
      response
        .writeHead(200, JSON_TYPE)
        .end(JSON.stringify({ jsonrpc: "2.0", id, result: { protocolVersion: "2025-06-18", capabilities: 7 } })),
    /Malformed result of "initialize": result\.\w+ is/,
  ],
  ["an error of the server", (_id, response) => response.writeHead(500).end(), /HTTP 500/],
])("a server that asks for no login, and has %s, fails at access: nothing is said of logins", async (_what, respond, detail) => {
  const origin = await listen(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(404).end();
    return respond((JSON.parse(await text(request)) as { id: unknown }).id, response);
  });
  const { run } = await protectedWorld();
  const { ok, failed, hop, by } = await examine(run, [`${origin}/mcp`]);
  expect({ ok, failed, failures: by("failed") }).toEqual({ ok: false, failed: "access", failures: ["access"] });
  expect(hop("access").detail).toMatch(detail);
  expect(hop("messages").detail).toBe("there is no conversation");
});

const page = (response: ServerResponse): unknown => response.writeHead(200, { "content-type": "text/html" }).end("<html></html>");
const unknownMethod = (id: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_601, message: "Method not found" } });

test.each<
  [
    what: string,
    mcpAt: string | undefined,
    respond: (id: unknown, response: ServerResponse) => unknown,
    hop: string,
    detail: RegExp,
  ]
>([
  ["a web page", undefined, (_id, response) => page(response), "access", /^it answers with a web page: .* and text\/html$/],
  ["a web page", "/mcp", (_id, response) => page(response), "access", /^it answers with a web page/],
  [
    "JSON-RPC without MCP",
    undefined,
    (id, response) => response.writeHead(200, JSON_TYPE).end(unknownMethod(id)),
    "access",
    /knows neither/,
  ],
  ["no page at all", "/", (_id, response) => response.writeHead(404).end(), "reachable", /HTTP 404/],
])(
  "a server that has %s, and MCP at %s, fails there; the usual paths are tried and named [P2 s4]",
  async (_what, mcpAt, respond, failed, detail) => {
    const server = testServer();
    const mcp = toNodeHandler(server);
    const origin = await listen(async (request, response) => {
      if (request.url === mcpAt) return mcp(request, response);
      if (request.method !== "POST") return response.writeHead(404).end();
      return respond((JSON.parse(await text(request)) as { id: unknown }).id, response);
    });
    const { run } = await protectedWorld();
    const report = await examine(run, [`${origin}/elsewhere`]);
    expect({ failed: report.failed, failures: report.by("failed") }).toEqual({ failed, failures: [failed] });
    expect(report.hop(failed).detail).toMatch(detail);
    expect(report.hop(failed).fix).toBe(
      mcpAt === undefined
        ? "Check the path of the URL; /mcp and / do not answer as MCP servers."
        : `Use ${origin}${mcpAt}: an MCP server answers there.`,
    );
    await server.close();
  },
);

// 0.0.0.0 leads to this machine on Linux, and is none of its own addresses.
test("plain HTTP to elsewhere is fine for a server that wants no token, and for no other", async (context) => {
  assertHas(context, "linux");
  const { run } = await protectedWorld();
  const http = await serveHttp(testServer({ name: "open" }), { port: 0, allowedHosts: ["0.0.0.0"] });
  onTestFinished(() => http.close());
  const open = await examine(run, [http.url.replace("127.0.0.1", "0.0.0.0")]);
  expect(open).toMatchObject({ ok: true, code: 0 });
  expect(open.by("ok")).toEqual(["reachable", "access", "messages"]);

  const origin = await listen((_request, response) => response.writeHead(401, { "www-authenticate": "Bearer" }).end());
  const closed = await examine(run, [`${origin.replace("127.0.0.1", "0.0.0.0")}/mcp`]);
  expect(closed.failed).toBe("challenge");
  expect(closed.hop("challenge").detail).toBe("it wants a token, which must not be sent over plain HTTP");
});

test("a server that does not exist, and one that never responds", async () => {
  const gone = createServer();
  const { run } = await protectedWorld();
  await new Promise<void>((resolve) => void gone.listen(0, "127.0.0.1", resolve));
  const { port } = gone.address() as { port: number };
  await new Promise((resolve) => void gone.close(resolve));
  const refused = await examine(run, [`http://127.0.0.1:${port}/mcp`]);
  expect(refused).toMatchObject({ failed: "reachable", code: 1 });
  expect(refused.hop("reachable").detail).toBe("nothing listens there (ECONNREFUSED)");
  const silent = await examine(run, [`${await listen(() => undefined)}/mcp`, "--timeout", "300"]);
  expect(silent.hop("reachable")).toMatchObject({ status: "failed", detail: expect.stringContaining("300 ms") as string });
});
