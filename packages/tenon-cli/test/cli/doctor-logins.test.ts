// `tenon doctor <url>` with a login: its token, whom that is for, its refresh, and whether the server takes it.
import { expect, test, vi } from "vitest";
import { protect } from "../../../tenon/test/auth/support.ts";
import { examine, guardedWorld } from "./examine.ts";
import { logIn, protectedWorld, revoke, watchAnswers, worldOf } from "./protected.ts";
import { runCommand } from "./run-command.ts";

// Several processes a test, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const EVERY_HOP = [
  ...["reachable", "challenge", "protected resource metadata", "authorization server metadata", "PKCE", "registration"],
  ...["token", "audience", "refresh", "access", "messages"],
];

test("with a login every hop is checked, up to a result of the server", async () => {
  const world = await protectedWorld();
  await logIn(world);
  const { ok, code, by, hop } = await examine(world.run, [world.url]);
  expect({ ok, code, hops: by("ok") }).toEqual({ ok: true, code: 0, hops: EVERY_HOP });
  expect(hop("token").detail).toMatch(new RegExp(`^of ${world.as.issuer}, for read; ends in 59 min$`));
  expect(hop("audience").detail).toBe(`the token is for ${world.url}`);
  expect(hop("access").detail).toBe("protected 1.2.3 speaks 2026-07-28: tools, logging");
  expect(world.as.count("refresh_token")).toEqual({ granted: 1, refused: 0 });
  expect((await world.run(["call", world.url, "echo"])).code).toBe(0);
});

test("the token endpoint fails: the report names the refresh, and the token as valid", async () => {
  const world = await protectedWorld();
  await logIn(world);
  world.as.settings.before = ({ endpoint }) => (endpoint === "token" ? 500 : undefined);
  const { failed, code, hop, by } = await examine(world.run, [world.url]);
  expect({ failed, code }).toEqual({ failed: "refresh", code: 1 });
  expect(hop("refresh")).toMatchObject({
    url: `${world.as.issuer}/token`,
    detail: "it answered with HTTP 500",
    fix: "Try again later; if it stays so, tell the operator of the authorization server.",
  });
  expect(by("failed")).toEqual(["refresh"]);
  world.as.settings.before = undefined;
  expect((await examine(world.run, [world.url])).ok).toBe(true); // nothing was forgotten
});

test("a login that was ended at the authorization server fails at its refresh, twice alike", async () => {
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

test("a token for another audience is found, and told from one that the server takes all the same [M1.4]", async () => {
  const world = await protectedWorld();
  const other = await world.as.issueAccessToken({ audience: "https://other.example/mcp", scopes: ["read"] });
  const { alterResponse } = world.as.settings;
  world.as.settings.refreshTokens = "never";
  world.as.settings.alterResponse = (answer, request) =>
    alterResponse!(request.endpoint === "token" ? { ...answer, access_token: other } : answer, request);
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
  const { code, stdout } = await runCommand(["doctor", lenient.url, "--json", "--header", `Authorization: Bearer ${given}`]);
  expect(stdout).toContain(`the token is for api://mcp, which the server takes, though it is ${lenient.url}`);
  expect(stdout).not.toContain(given);
  expect(code).toBe(0);
});

test("a server that refuses a valid token, and one that has moved to another authorization server", async () => {
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
  await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(expiresAt));
  const { failed, hop } = await examine(world.run, [world.url]);
  expect(failed).toBe("token");
  expect(hop("token").detail).toMatch(/^it ended \d+ s ago, and cannot be refreshed$/);
  expect(hop("refresh").status).toBe("skipped");
});
