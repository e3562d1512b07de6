// `tenon login`, `whoami`, `logout`, and what every other command does with a login: a real server, a real authorization
// server. Every output is searched for everything secret that passed (protected.ts).
import { request as forward } from "node:http";
import { existsSync, chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { serveHttp } from "tenon/node";
import type { StartAuthorizationServerOptions } from "tenon/testing";
import { oddServer } from "../../../tenon/test/field/odd-server.ts";
import { listen } from "../../../tenon/test/runtimes/browser.ts";
import { logIn, pageIn, protectedWorld, revoke, watchAnswers, worldOf, type World } from "./protected.ts";
import { assertHas } from "../../../tenon/test/support/needs.ts";
import { runCommand } from "./run-command.ts";
import { testServer } from "../../../tenon/test/support/test-server.ts";

// Several processes a test, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

function parse(stdout: string): Record<string, unknown> {
  return JSON.parse(stdout) as Record<string, unknown>;
}

test("a login is kept, used by every command, shown and forgotten [M2.1 fault O10]", async () => {
  const world = await protectedWorld();
  const { as, url, run } = world;
  const before = await run(["call", url, "echo"]);
  expect(before).toMatchObject({ code: 4, stdout: "", stderr: `tenon: ${url} wants a login. Run: tenon login ${url}\n` });

  const login = await logIn(world);
  expect(login.stderr).toContain("Waiting for you");
  expect(login).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Logged in to protected at ${new URL(url).origin}.`) as string,
  });
  expect(world.secrets()).toBeGreaterThan(3);

  expect(await run(["call", url, "echo", "--args", '{"a":1}'])).toMatchObject({ code: 0, stdout: '{"a":1}\n' });
  expect(await run(["list", url])).toMatchObject({ code: 0, stdout: expect.stringContaining("echo") as string });
  expect(as.count("authorization_code")).toEqual({ granted: 1, refused: 0 });

  const shown = new RegExp(
    `^issuer    ${as.issuer}\nresource  ${url}\nclient    .+\nscopes    read\nexpires   .+Z, ends in 59 min\n` +
      "refresh   by itself\n$",
  );
  expect((await run(["whoami", url])).stdout).toMatch(shown);
  const { stdout } = await run(["whoami", url, "--json"]);
  expect(parse(stdout)).toMatchObject({ server: url, issuer: as.issuer, resource: url, scopes: ["read"], renewable: true });

  expect(await run(["logout", url])).toMatchObject({ code: 0, stdout: `Logged out of ${url}. Its tokens were revoked.\n` });
  expect(world.stored()).not.toContain(as.issuer);
  expect(await run(["whoami", url])).toMatchObject({
    code: 4,
    stderr: `tenon: ${url} has no login stored here. Run: tenon login ${url}\n`,
  });
  expect(parse((await run(["logout", url, "--json"])).stdout)).toEqual({ server: url, loggedOut: false, revoked: false });
});

test("login --json is one document on stdout, its failure too", async () => {
  const world = await protectedWorld();
  const { code, stdout } = await logIn(world, ["--json"]);
  expect(parse(stdout)).toMatchObject({ server: world.url, issuer: world.as.issuer, scopes: ["read"], renewable: true });
  expect(code).toBe(0);
  world.as.settings.consent = "deny";
  const denied = await logIn(world, ["--json"]);
  expect(parse(denied.stdout)).toMatchObject({
    error: {
      data: {
        hop: "authorization",
        error: "access_denied",
        remedy: expect.stringMatching(/^The user or a policy refused: ask them/),
      },
    },
  });
  expect(denied.code).toBe(4);
  expect((await world.run(["whoami", world.url])).code).toBe(0); // the login before is as it was
});

test("a permission that is missing is named, and a login for it adds to what was granted [M5.2]", async () => {
  const world = await protectedWorld();
  const { url, run } = world;
  await logIn(world);
  const { code, stderr } = await run(["call", url, "erase"]);
  expect(stderr).toBe(`tenon: ${url} wants more permissions than this login has. Run: tenon login ${url} --scope "read write"\n`);
  expect(code).toBe(4);
  expect(await logIn(world, ["--scope", "write"])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("scopes    write read") as string,
  });
  expect(await run(["call", url, "erase"])).toMatchObject({ code: 0, stdout: "erased\n" });
});

/** Until the token that is stored has expired. */
async function expired({ run, url }: World): Promise<void> {
  const { expiresAt } = parse((await run(["whoami", url, "--json"])).stdout);
  await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(String(expiresAt)));
}

test("four commands find their token expired and cause one refresh [M5.3 fault O7]", async () => {
  const world = await protectedWorld({ accessTokenLifetime: 1_000 }, { clockTolerance: 0 });
  const { as, url, start } = world;
  await logIn(world);
  await expired(world);
  as.settings.accessTokenLifetime = 3_600_000;
  const { granted } = as.count("refresh_token");
  const ended = await Promise.all(Array.from({ length: 4 }, () => start(["call", url, "echo"])));
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(as.count("refresh_token")).toEqual({ granted: granted + 1, refused: 0 });
});

test("a login that was ended at the authorization server says what to type", async () => {
  const world = await protectedWorld({ accessTokenLifetime: 1_000 }, { clockTolerance: 0 });
  const answers = watchAnswers(world.as);
  await logIn(world);
  await revoke(world.as, answers);
  await expired(world);
  const { code, stderr } = await world.run(["call", world.url, "echo"]);
  expect(stderr).toBe(`tenon: ${world.url} does not take the stored login any more. Run: tenon login ${world.url}\n`);
  expect(code).toBe(4);
});

test("a client that was registered by hand, with a secret, is remembered for refreshing [M3.1 M3.5]", async () => {
  const secret = "a secret of the client";
  const redirect_uris = ["http://127.0.0.1/callback"];
  const given = {
    client_id: "by-hand",
    client_secret: secret,
    redirect_uris,
    token_endpoint_auth_method: "client_secret_basic" as const,
  };
  const world = await protectedWorld({ accessTokenLifetime: 1_000, clients: [given] }, { clockTolerance: 0 });
  const { as, url, run } = world;
  const env = { TENON_CLIENT_SECRET: secret };
  expect(await logIn(world, ["--client-id", "by-hand"], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("needs --issuer, so that the secret is sent to no other server") as string,
  });
  expect((await logIn(world, ["--client-id", "by-hand", "--issuer", as.issuer], { env })).stdout).toContain(
    "client    by-hand\n",
  );
  expect(as.requests.filter(({ endpoint }) => endpoint === "register")).toEqual([]);
  await expired(world);
  as.settings.accessTokenLifetime = 3_600_000;
  const { granted } = as.count("refresh_token");
  expect(await run(["call", url, "echo"])).toMatchObject({ code: 0 });
  expect(as.count("refresh_token").granted).toBeGreaterThan(granted);
  expect((await run(["whoami", url])).stdout).not.toContain(secret);
});

test("--resource none and --assume-pkce are remembered, and every refresh leaves the parameter out [FD-36 FD-12]", async () => {
  const world = await protectedWorld({ resourceParameter: "refuse", accessTokenLifetime: 1_000 }, { clockTolerance: 0 });
  const { as, url, run } = world;
  as.settings.defaultAudience = url;
  as.settings.alterResponse = (response, { endpoint }) =>
    endpoint === "metadata" ? { ...response, code_challenge_methods_supported: undefined } : response;
  expect((await logIn(world)).stderr).toContain("log in with --issuer and --assume-pkce");
  const known = ["--issuer", `${as.issuer}/`, "--assume-pkce"];
  expect((await logIn(world, known)).stderr).toContain("(--resource, with the name or none)");
  expect(await logIn(world, [...known, "--resource", "none"])).toMatchObject({ code: 0 });
  await expired(world);
  as.settings.accessTokenLifetime = 3_600_000;
  expect(await run(["call", url, "echo"])).toMatchObject({ code: 0 });
  expect(as.count("refresh_token")).toMatchObject({ refused: 0 });
});

test("--callback-host and --callback-path are the redirect URI of the login [FD-37]", async () => {
  const world = await protectedWorld();
  expect(await logIn(world, ["--callback-host", "localhost", "--callback-path", "/back"])).toMatchObject({ code: 0 });
  const [login] = world.as.requests.filter(({ endpoint }) => endpoint === "authorize");
  expect(login?.parameters["redirect_uri"]).toMatch(/^http:\/\/localhost:\d+\/back$/);
});

test("--device shows a code and a page, and waits", async () => {
  const world = await protectedWorld({ devicePollInterval: 1 });
  let decided = false;
  const { code, stderr, stdout } = await world.run(["login", world.url, "--device"], {
    onStderr: (text) => {
      const userCode = /type in ([A-Z]{4}-[A-Z]{4})\n/.exec(text)?.[1];
      if (userCode !== undefined && !decided) world.as.decideDevice(userCode, "approve");
      decided ||= userCode !== undefined;
    },
  });
  expect(stderr).toContain(`On any device, open ${world.as.issuer}/device\n`);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("Logged in to protected") as string });
  expect(await world.run(["call", world.url, "echo"])).toMatchObject({ code: 0 });
});

test("the browser is started without a shell, with the page as its one argument [M4.8 R17]", async (context) => {
  assertHas(context, "linux");
  const folder = mkdtempSync(join(tmpdir(), "tenon-browser-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const seen = join(folder, "arguments");
  writeFileSync(join(folder, "xdg-open"), `#!/bin/sh\nprintf '%s\\n' "$@" > '${seen}.new'\n/bin/mv '${seen}.new' '${seen}'\n`);
  chmodSync(join(folder, "xdg-open"), 0o755);
  const world = await protectedWorld();
  const ending = world.run(["login", world.url], { env: { PATH: folder } });
  await expect.poll(() => existsSync(seen)).toBe(true);
  const page = readFileSync(seen, "utf8");
  expect(page).toMatch(new RegExp(`^${world.as.issuer}/authorize\\?\\S+\n$`));
  await fetch(page.trim());
  const { code, stderr } = await ending;
  expect(code).toBe(0);
  expect(pageIn(stderr)).toBe(page.trim());
});

test("without a browser the URL of the page is shown, and the login continues", async () => {
  const world = await protectedWorld();
  let visit: Promise<unknown> | undefined;
  const { code, stderr } = await world.run(["login", world.url], {
    env: { PATH: dirname(process.execPath) + "-nowhere" },
    onStderr: (text) => {
      const page = pageIn(text);
      if (page !== undefined) visit ??= fetch(page);
    },
  });
  await visit;
  expect(stderr).toContain("No browser could be opened. Open this page in one on this machine:");
  expect(code).toBe(0);
});

test("Ctrl-C ends a login, and closes its listener", async () => {
  const world = await protectedWorld();
  const { code, stdout, stderr } = await world.run(["login", world.url, "--no-browser"], {
    onStderr: (text, kill) => {
      if (text.endsWith("Waiting for you (Ctrl-C gives up) ...\n")) kill("SIGINT");
    },
  });
  expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
  const back = new URL(pageIn(stderr)!).searchParams.get("redirect_uri")!;
  await expect(fetch(back)).rejects.toThrow("fetch failed");
});

test("a login without a returning user ends in time", async () => {
  const world = await protectedWorld();
  const { code, stderr } = await world.run(["login", world.url, "--no-browser", "--timeout", "700"]);
  expect(stderr).toContain("the user did not come back within 700 ms. Log in again, or give more time with --timeout.");
  expect(code).toBe(4);
});

test("a server that asks for no login needs none", async () => {
  const world = await protectedWorld();
  const open = testServer({ name: "open" });
  const http = await serveHttp(open, { port: 0 });
  onTestFinished(() => http.close());
  expect(await world.run(["login", http.url])).toMatchObject({ code: 0, stdout: `${http.url} asks for no login.\n` });
  expect(parse((await world.run(["login", http.url, "--json"])).stdout)).toEqual({ server: http.url, authorization: "none" });
});

test.each([[[]], [["--client-id", "c"]], [["--issuer", "the issuer", "--assume-pkce"]]])(
  "a server that accepts each connection, but names an authorization server, is logged in to with the options %j [FD-12]",
  async (options) => {
    const world = await worldOf(
      { clients: [{ client_id: "c", redirect_uris: ["http://127.0.0.1/callback"], token_endpoint_auth_method: "none" }] },
      async (as) => {
        const plain = new URL(await oddServer(() => ({ tools: [] })));
        const origin = await listen((request, response) => {
          const metadata = { resource: `${origin}/mcp`, authorization_servers: [as.issuer] };
          if (request.url?.startsWith("/.well-known/oauth-protected-resource") === true)
            return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(metadata));
          const { method, headers } = request;
          const asked = forward({ port: plain.port, path: "/mcp", method, headers }, (answer) => {
            response.writeHead(answer.statusCode!, answer.headers);
            answer.pipe(response);
          });
          return request.pipe(asked);
        });
        return `${origin}/mcp`;
      },
    );
    const words = options.map((option) => (option === "the issuer" ? world.as.issuer : option));
    expect(await logIn(world, words)).toMatchObject({ code: 0, stdout: expect.stringContaining("Logged in to odd") as string });
  },
);

/** What is broken, how, and what is said of it. */
const BROKEN: readonly (readonly [what: string, settings: StartAuthorizationServerOptions, said: readonly string[]])[] = [
  [
    "the metadata are missing",
    { alterResponse: (answer, { endpoint }) => (endpoint === "metadata" ? undefined : answer) },
    ["authorization server metadata", "it publishes no metadata"],
  ],
  [
    "the metadata name another issuer [M2.5]",
    {
      alterResponse: (answer, { endpoint }) =>
        endpoint === "metadata" ? { ...answer, issuer: "https://other.example" } : answer,
    },
    ["authorization server metadata", "it names another issuer than the one that was asked for"],
  ],
  [
    "there is no PKCE with S256 [M4.1 fault O4]",
    {
      alterResponse: (answer, { endpoint }) =>
        endpoint === "metadata" ? { ...answer, code_challenge_methods_supported: ["plain"] } : answer,
    },
    ["authorization server metadata", "it does not offer PKCE with S256"],
  ],
  [
    "a registration is refused [M3.3]",
    { before: ({ endpoint }) => (endpoint === "register" ? 403 : undefined) },
    ["registration", "/register", "it answered with HTTP 403. Register a client there by hand and pass it with --client-id."],
  ],
  ["the user refuses", { consent: "deny" }, ["(authorization, ", "the authorization server refused with access_denied"]],
  [
    "the answer comes from somebody else [M4.4]",
    { alterRedirect: (parameters) => parameters.set("iss", "https://other.example") },
    ["(callback, ", "it comes from another authorization server than the one that was asked"],
  ],
  [
    "the token endpoint fails",
    { before: ({ endpoint }) => (endpoint === "token" ? 500 : undefined) },
    ["(token, ", "/token", "it answered with HTTP 500. Try again later"],
  ],
];

test.each(BROKEN)("a login fails where %s, and says where and why [fault O10]", async (_, settings, said) => {
  const world = await protectedWorld(settings);
  const { code, stdout, stderr } = await logIn(world);
  const [last, hint] = stderr.trim().split("\n").slice(-2) as [string, string];
  for (const part of said) expect(last).toContain(part);
  expect(last).not.toContain('option "');
  expect(hint).toBe(`Every step: tenon doctor ${world.url}`);
  expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
  // No code is sent where something was wrong before.
  const sent = world.as.requests.filter(({ endpoint }) => endpoint === "token");
  expect(sent).toHaveLength(said.includes("/token") ? 1 : 0);
});

test("a token that the server does not take is said to be refused, though it was just issued [M1.4]", async () => {
  const world = await protectedWorld();
  const other = await world.as.issueAccessToken({ audience: "https://other.example/mcp", scopes: ["read"] });
  const { alterResponse } = world.as.settings;
  world.as.settings.alterResponse = (answer, request) => {
    const altered = request.endpoint === "token" ? { ...answer, access_token: other } : answer;
    return alterResponse === undefined ? altered : alterResponse(altered, request);
  };
  const { code, stderr } = await logIn(world);
  expect(stderr).toContain("the server refuses the token that was just issued for it");
  expect(code).toBe(4);
});

test.each([
  ["no server", ["login"], "The url is missing."],
  ["a program", ["login", "server.ts"], "Only a server at a URL has logins"],
  ["a command", ["login", "http://127.0.0.1:1/", "--", "node"], "Only a server at a URL has logins"],
  ["plain HTTP to somewhere else", ["login", "http://example.com/mcp"], "A token must not be sent over plain HTTP"],
  [
    "two ways at once",
    ["login", "http://127.0.0.1:1/mcp", "--device", "--no-browser"],
    "--device uses neither a browser nor a port",
  ],
  ["a scope that is none", ["login", "http://127.0.0.1:1/mcp", "--scope", 'a"b'], "must be scopes separated by spaces"],
  ["an issuer that is none", ["login", "http://127.0.0.1:1/mcp", "--issuer", "example.com"], "is no URL"],
  ["a network that is none", ["login", "http://127.0.0.1:1/mcp", "--allow", "10.0.0.0/99"], "--allow"],
  ["PKCE of any issuer", ["login", "http://127.0.0.1:1/mcp", "--assume-pkce"], "--assume-pkce needs --issuer"],
  [
    "a resource that is none",
    ["login", "http://127.0.0.1:1/mcp", "--resource", "a b"],
    '--resource "a b" must be none, or a name',
  ],
  [
    "a callback elsewhere",
    ["login", "http://127.0.0.1:1/mcp", "--callback-host", "example.com"],
    "--callback-host must be 127.0.0.1",
  ],
  ["a callback without a path", ["login", "http://127.0.0.1:1/mcp", "--callback-path", "back"], "--callback-path must be a path"],
  [
    "a callback on another device",
    ["login", "http://127.0.0.1:1/mcp", "--device", "--callback-path", "/b"],
    "--device uses neither",
  ],
  ["credentials in a header", ["login", "http://127.0.0.1:1/mcp", "--header", "Authorization: x"], "is a login of its own"],
  ["too many words", ["whoami", "http://127.0.0.1:1/mcp", "more"], "one word too many"],
  ["an option of another command", ["logout", "http://127.0.0.1:1/mcp", "--device"], "This command takes no --device."],
])("2: %s", async (_, args, message) => {
  const { code, stdout, stderr } = await runCommand(args);
  expect(stderr).toContain(message);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
});

test("3: a login to a server that is not there", async () => {
  const { code, stderr } = await runCommand(["login", "http://127.0.0.1:9/mcp"]);
  expect(stderr).toContain("Cannot connect");
  expect(code).toBe(3);
});
