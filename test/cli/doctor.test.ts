// `tenon doctor`: each way a server, an authorization server or a login can be broken is named by its hop, with its fix; what
// comes after it is tried nevertheless. Every output is searched for everything secret that passed (protected.ts).
import { createServer } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { McpServer } from "tenon";
import { serveHttp } from "tenon/node";
import type { StartAuthorizationServerOptions } from "tenon/testing";
import { protect, type ProtectedServer } from "../auth/support.ts";
import { listen } from "../runtimes/browser.ts";
import { logIn, protectedWorld, revoke, watchAnswers, worldOf, type World } from "./protected.ts";
import { fixture, tenon } from "./tenon.ts";

// Several processes a test, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const DISCOVERY = ["reachable", "challenge", "protected resource metadata", "authorization server metadata", "PKCE", "registration"];
const LOGIN = ["token", "audience", "refresh", "access"];

interface Hop {
  hop: string;
  status: string;
  detail: string;
  url?: string;
  fix?: string;
  error?: string;
}

interface Diagnosis {
  ok: boolean;
  failed: string | null;
  hops: Hop[];
  code: number | null;
  /** Names of the hops by what became of them. */
  readonly by: (status: string) => string[];
  readonly hop: (name: string) => Hop;
}

async function examine(run: World["run"], args: readonly string[]): Promise<Diagnosis> {
  const { code, stdout } = await run(["doctor", ...args, "--json"]);
  const { hops, ...rest } = JSON.parse(stdout) as Pick<Diagnosis, "ok" | "failed" | "hops">;
  return {
    ...rest,
    hops,
    code,
    by: (status) => hops.filter((hop) => hop.status === status).map(({ hop }) => hop),
    hop: (name) => hops.find(({ hop }) => hop === name)!,
  };
}

test("M2.1 M3.1 M4.1 without a login everything up to it is looked at, and nothing is registered", async () => {
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
    "",
    `Nothing is broken, as far as can be told without a login: tenon login ${url}`,
    "",
  ]);
  expect(code).toBe(0);
  expect(as.requests.filter(({ endpoint }) => endpoint !== "metadata")).toEqual([]);
});

test("M4.6 M5.3 with a login every hop is walked, to an answer of the server", async () => {
  const world = await protectedWorld();
  await logIn(world);
  const { ok, code, by, hop } = await examine(world.run, [world.url]);
  expect({ ok, code, hops: by("ok") }).toEqual({ ok: true, code: 0, hops: [...DISCOVERY, ...LOGIN] });
  expect(hop("token").detail).toMatch(new RegExp(`^of ${world.as.issuer}, for read; ends in 59 min$`));
  expect(hop("audience").detail).toBe(`the token is for ${world.url}`);
  expect(hop("access").detail).toBe("protected 1.2.3 speaks 2026-07-28: tools, logging");
  expect(world.as.count("refresh_token")).toEqual({ granted: 1, refused: 0 });
  expect((await world.run(["call", world.url, "echo"])).code).toBe(0);
});

test("M3.1 --register registers, and the next login is by that client", async () => {
  const world = await protectedWorld();
  const { as, url, run } = world;
  const registrations = (): number => as.requests.filter(({ endpoint }) => endpoint === "register").length;
  const { hop } = await examine(run, [url, "--register"]);
  expect(hop("registration").detail).toMatch(/^registered just now, for the next login: \S+$/);
  expect((await examine(run, [url, "--register"])).hop("registration").detail).toMatch(/^registered by an earlier login: /);
  await logIn(world);
  expect(registrations()).toBe(1);
});

/** What is broken at the authorization server, before anybody logs in. */
const NO_LOGIN: readonly (readonly [what: string, settings: StartAuthorizationServerOptions, failed: string, url: string, fix: string])[] =
  [
    [
      "M2.4 no metadata",
      { alterAnswer: (answer, { endpoint }) => (endpoint === "metadata" ? undefined : answer) },
      "authorization server metadata",
      "/",
      "whoever runs the authorization server",
    ],
    [
      "M2.5 O2 metadata of another issuer",
      { alterAnswer: (answer, { endpoint }) => (endpoint === "metadata" ? { ...answer, issuer: "https://other.example" } : answer) },
      "authorization server metadata",
      "/.well-known/oauth-authorization-server",
      "must make the two agree, to the letter",
    ],
    [
      "M4.1 O4 no PKCE with S256",
      {
        alterAnswer: (answer, { endpoint }) =>
          endpoint === "metadata" ? { ...answer, code_challenge_methods_supported: ["plain"] } : answer,
      },
      "PKCE",
      "/.well-known/oauth-authorization-server",
      "must turn PKCE on",
    ],
    [
      "M3.1 no registrations",
      { alterAnswer: (answer) => ({ ...answer, registration_endpoint: null }) },
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

/** A world around a server that can be broken. */
async function guardedWorld(): Promise<World & { readonly server: ProtectedServer }> {
  let server: ProtectedServer | undefined;
  const world = await worldOf({}, async (as) => {
    server = await protect(as);
    return server.url;
  });
  return { ...world, server: server! }; // it was made
}

test("M1.1 a server that publishes nothing is told where to", async () => {
  const { server, url, run } = await guardedWorld();
  server.guarding.metadata = undefined;
  const { failed, code, hop, by } = await examine(run, [url]);
  expect({ failed, code }).toEqual({ failed: "protected resource metadata", code: 1 });
  expect(hop("protected resource metadata")).toMatchObject({
    url: `${server.origin}/.well-known/oauth-protected-resource/mcp`,
    fix: expect.stringContaining("must publish there which authorization server it trusts") as string,
  });
  expect(by("failed")).toEqual(["protected resource metadata"]);
});

test("M2.2 O6 metadata of another resource are found, and their authorization server is looked at all the same", async () => {
  const { as, server, url, run } = await guardedWorld();
  server.guarding.metadata = { resource: "https://other.example/mcp", authorization_servers: [as.issuer] };
  const { failed, hop, by } = await examine(run, [url]);
  expect(failed).toBe("protected resource metadata");
  expect(hop(failed!).fix).toContain("Check the URL you connect to");
  expect(by("ok")).toEqual(["reachable", "challenge", "authorization server metadata", "PKCE", "registration"]);
});

test("M2.7 O2 documents that fail, and that never come, are found where they are", async () => {
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
  expect(slow.hop(slow.failed!)).toMatchObject({ detail: "no answer within 1500 ms", fix: "Try again." });
});

test.each([
  ["another scheme", 401, "Basic realm=x", "is not OAuth", "--header"],
  ["what cannot be read", 401, 'Bearer realm="', "its WWW-Authenticate header cannot be read", "whoever runs that server"],
  [
    "metadata elsewhere",
    401,
    'Bearer resource_metadata="https://other.example/x"',
    "is not on the server's own origin",
    "whoever runs the MCP server",
  ],
  ["403 to everybody", 403, "Bearer", "clients only log in after a 401", "whoever runs the MCP server"],
])("M2.1 a challenge of no use is found: %s", async (_, status, challenge, wrong, fix) => {
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

test("the token endpoint fails: the refresh is what is broken, the token is good", async () => {
  const world = await protectedWorld();
  await logIn(world);
  world.as.settings.before = ({ endpoint }) => (endpoint === "token" ? 500 : undefined);
  const { failed, code, hop, by } = await examine(world.run, [world.url]);
  expect({ failed, code }).toEqual({ failed: "refresh", code: 1 });
  expect(hop("refresh")).toMatchObject({
    url: `${world.as.issuer}/token`,
    detail: "it answered with HTTP 500",
    fix: "Try again later; if it stays so, tell whoever runs the authorization server.",
  });
  expect(by("failed")).toEqual(["refresh"]);
  world.as.settings.before = undefined;
  expect((await examine(world.run, [world.url])).ok).toBe(true); // nothing was forgotten
});

test("M5.3 a login that was ended at the authorization server fails at its refresh, twice alike", async () => {
  const world = await protectedWorld();
  const answers = watchAnswers(world.as);
  await logIn(world);
  await revoke(world.as, answers);
  for (let time = 0; time < 2; time++) {
    const { failed, hop } = await examine(world.run, [world.url]);
    expect(failed).toBe("refresh");
    expect(hop("refresh")).toMatchObject({ url: `${world.as.issuer}/token`, error: "invalid_grant" });
    expect(hop("refresh").fix).toContain("log in again");
  }
});

test("M1.4 M4.2 a token for another audience is found, and told from one that the server takes all the same", async () => {
  const world = await protectedWorld();
  const other = await world.as.issueAccessToken({ audience: "https://other.example/mcp", scopes: ["read"] });
  const { alterAnswer } = world.as.settings;
  world.as.settings.refreshTokens = "never";
  world.as.settings.alterAnswer = (answer, request) =>
    alterAnswer!(request.endpoint === "token" ? { ...answer, access_token: other } : answer, request);
  expect((await logIn(world)).code).toBe(4);
  const { failed, hop, by } = await examine(world.run, [world.url]);
  expect(failed).toBe("audience");
  expect(hop("audience")).toMatchObject({
    detail: `the token is for https://other.example/mcp, and the server is ${world.url}`,
    url: `${world.as.issuer}/`,
    fix: expect.stringContaining('must issue tokens for what "resource" names (RFC 8707)') as string,
  });
  expect(by("failed")).toEqual(["audience", "access"]);

  const lenient = await worldOf({}, async (as) => (await protect(as)).url);
  await logIn(lenient);
  const given = await lenient.as.issueAccessToken({ audience: "api://mcp" });
  const { code, stdout } = await tenon(["doctor", lenient.url, "--json", "--header", `Authorization: Bearer ${given}`]);
  expect(stdout).toContain(`the token is for api://mcp, which the server takes, though it is ${lenient.url}`);
  expect(stdout).not.toContain(given);
  expect(code).toBe(0);
});

test("a server that refuses a good token, and one that has moved to another authorization server", async () => {
  const { as, server, url, run, ...world } = await guardedWorld();
  await logIn({ as, url, run, ...world });
  as.settings.refreshTokens = "never";
  server.guarding.trusted = (await protectedWorld()).as;
  const refused = await examine(run, [url]);
  expect(refused.failed).toBe("access");
  expect(refused.hop("access").fix).toContain("why it refuses tokens of the authorization server it names");

  server.guarding.metadata = { resource: url, authorization_servers: [server.guarding.trusted.issuer] };
  const moved = await examine(run, [url]);
  expect(moved.failed).toBe("token");
  expect(moved.hop("token")).toMatchObject({ url: `${as.issuer}/`, fix: `Log in again: tenon login ${url}` });
});

test("a token that has expired, and cannot be refreshed", async () => {
  const world = await protectedWorld({ accessTokenLifetime: 1_000, refreshTokens: "never" }, { clockTolerance: 0 });
  await logIn(world);
  const { expiresAt } = JSON.parse((await world.run(["whoami", world.url, "--json"])).stdout) as { expiresAt: string };
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(Date.parse(expiresAt)), { timeout: 5_000 });
  const { failed, hop } = await examine(world.run, [world.url]);
  expect(failed).toBe("token");
  expect(hop("token").detail).toMatch(/^it ended \d+ s ago, and cannot be refreshed$/);
  expect(hop("refresh").status).toBe("skipped");
});

test("M2.6 M7.1 a server that is its own authorization server, as before 2025-06-18, is none the worse for it", async () => {
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
  const open = new McpServer({ name: "open", version: "1" });
  open.tool("ok", {}, () => "ok");
  const http = await serveHttp(open, { port: 0 });
  onTestFinished(() => http.close());
  const { ok, by, hop } = await examine(run, [http.url, "--revision", "2025-06-18"]);
  expect(ok).toBe(true);
  expect(by("ok")).toEqual(["reachable", "access"]);
  expect(hop("access").detail).toBe("open 1 speaks 2025-06-18: tools, logging");
  const elsewhere = await examine(run, [http.url.replace("/mcp", "/nowhere")]);
  expect(elsewhere.failed).toBe("reachable");
  expect(elsewhere.hop("reachable")).toMatchObject({
    detail: expect.stringContaining("404") as string,
    fix: expect.stringContaining("/mcp") as string,
  });
});

// 0.0.0.0 leads to this machine on Linux, and is none of its own addresses.
test.runIf(process.platform === "linux")(
  "M4.6 plain HTTP to elsewhere is fine for a server that wants no token, and for no other",
  async () => {
    const { run } = await protectedWorld();
    const http = await serveHttp(new McpServer({ name: "open", version: "1" }), { port: 0, allowedHosts: ["0.0.0.0"] });
    onTestFinished(() => http.close());
    const open = await examine(run, [http.url.replace("127.0.0.1", "0.0.0.0")]);
    expect(open).toMatchObject({ ok: true, code: 0 });
    expect(open.by("ok")).toEqual(["reachable", "access"]);

    const origin = await listen((_request, response) => response.writeHead(401, { "www-authenticate": "Bearer" }).end());
    const closed = await examine(run, [`${origin.replace("127.0.0.1", "0.0.0.0")}/mcp`]);
    expect(closed.failed).toBe("challenge");
    expect(closed.hop("challenge").detail).toBe("it wants a token, which must not be sent over plain HTTP");
  },
);

test("a server that is not there, and one that never answers", async () => {
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

test("a program: it starts, what it speaks, its stdout, its end", async () => {
  const { ok, code, by, hop } = await examine(tenon, [fixture("sums.mjs")]);
  expect({ ok, code, hops: by("ok") }).toEqual({ ok: true, code: 0, hops: ["start", "conversation", "stdout", "end"] });
  expect(hop("conversation").detail).toMatch(/^sums 1\.0\.0 speaks 2026-07-28: tools, resources, prompts.*; \d+ ms after its start$/);
});

const SERVE = `
  process.stdin.on("data", (text) => {
    for (const line of String(text).trim().split("\\n")) {
      const { id, method } = JSON.parse(line);
      if (method === "initialize") {
        const result = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "bare", version: "1" } };
        console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
      } else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }));
    }
  });`;

test.each([
  ["that is not there", ["no-such-command-anywhere"], "start", "No such command"],
  ["that dies at once", [process.execPath, "-e", "process.exit(7)"], "start", "it ended at once, with code 7"],
  ["that says nothing", [process.execPath, "-e", "process.stdin.resume()"], "conversation", "no answer within 700 ms"],
  ["that logs to stdout", [process.execPath, "-e", `console.log("Server started");${SERVE}`], "stdout", "Server started"],
  ["that does not end", [process.execPath, "-e", `setInterval(() => {}, 1000);${SERVE}`], "end", "after its input was closed"],
])("a program %s", async (_, command, failed, wrong) => {
  const { code, stdout } = await tenon(["doctor", "--json", "--timeout", "700", "--", ...command]);
  const found = JSON.parse(stdout) as Diagnosis;
  expect(found).toMatchObject({ ok: false, failed });
  expect(found.hops.find(({ hop }) => hop === failed)).toMatchObject({
    detail: expect.stringContaining(wrong) as string,
    fix: expect.any(String) as string,
  });
  expect(code).toBe(1);
});

test("Ctrl-C ends an examination", async () => {
  const url = `${await listen(() => undefined)}/mcp`;
  let asked = false;
  const ended = tenon(["doctor", "--", process.execPath, "-e", "console.error('up'); process.stdin.resume()"], {
    onStderr: (_text, kill) => {
      if (!asked) kill("SIGINT");
      asked = true;
    },
  });
  expect(await ended).toMatchObject({ code: 130, stdout: "" });
  expect(await tenon(["doctor", url, "--scope", "a"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("takes no --scope") as string,
  });
  expect(await tenon(["doctor"])).toMatchObject({ code: 2, stderr: expect.stringContaining("The server is missing.") as string });
});
