// A job against a server that wants a user: the browser of the job logs in, steps up, and the tokens are renewed. Needs a build.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { bearer } from "tenon/auth";
import { toNodeHandler } from "tenon/node";
import { startAuthorizationServer } from "tenon/testing";
import { testServer } from "../support/test-server.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** A browser without a user: a GET of `/visit?url=` follows the page to where it leads. Returns what was visited. */
async function startBrowser(): Promise<{ address: string; visited: URL[] }> {
  const visited: URL[] = [];
  const browser = createServer((request, response) => {
    const page = new URL(new URL(request.url!, "http://127.0.0.1").searchParams.get("url")!);
    visited.push(page);
    void fetch(page).then(
      (last) => response.writeHead(last.status).end(),
      () => response.writeHead(502).end(),
    );
  });
  return { address: `${await listen(browser)}/visit?url=`, visited };
}

async function startProtected(issuer: string): Promise<string> {
  const server = testServer({ name: "protected" });
  server.tool("who", {}, (_input, { auth }) => auth?.subject ?? "a stranger");
  server.tool("write", { scopes: ["write"] }, () => "written");
  const http = createServer((request, response) => handler(request, response));
  const url = `${await listen(http)}/mcp`;
  const handler = toNodeHandler(server, { auth: bearer({ issuer, audience: url, scopes: ["read"] }) });
  return url;
}

/** Listens on a free port until the test has finished. Returns the origin. */
async function listen(http: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

async function run(job: object): Promise<Record<string, unknown>[]> {
  const folder = mkdtempSync(join(tmpdir(), "tenon-job-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "job.json");
  writeFileSync(file, JSON.stringify(job));
  const { stdout } = await promisify(execFile)(process.execPath, ["packages/tenon/test/conformance/job.mjs", file], {
    cwd: root,
    timeout: 100_000,
  });
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test.each([
  { era: "2025-11-25" },
  // A scope that is named is registered. To get more, the client registers again, and an older session is not its own any more.
  { era: "2026-07-28", scope: "read" },
])("a user logs in by the job's browser, and again for a call that needs more, era $era", async ({ era, scope }) => {
  const issuer = await startAuthorizationServer();
  onTestFinished(() => issuer.close());
  const browser = await startBrowser();
  const url = await startProtected(issuer.issuer);
  const steps = [
    { op: "listTools" },
    { op: "callTool", name: "who" },
    { op: "callTool", name: "write" },
    { op: "callTool", name: "who" },
  ];
  const lines = await run({ server: { type: "http", url }, era, auth: { browser: browser.address, scope }, steps });
  expect(lines[0]).toMatchObject({ connected: true, protocolVersion: era });
  expect(lines.slice(1, -1).map(({ ok }) => ok)).toEqual([true, true, true, true]);
  expect(lines[2]).toMatchObject({ result: { content: [{ text: "user" }] } });
  expect(lines[3]).toMatchObject({ result: { content: [{ text: "written" }] } });
  expect(browser.visited.map((page) => page.searchParams.get("scope"))).toEqual(["read", expect.stringContaining("write")]);
  expect(lines.at(-1)).toMatchObject({ closed: true });
});

test("a token that expired during the job is renewed without the user", async () => {
  const issuer = await startAuthorizationServer({ accessTokenLifetime: 1_000 }); // the server takes it for a minute more
  onTestFinished(() => issuer.close());
  const browser = await startBrowser();
  const url = await startProtected(issuer.issuer);
  const steps = [
    { op: "wait", ms: 1_500 },
    { op: "callTool", name: "who" },
  ];
  const lines = await run({ server: { type: "http", url }, auth: { browser: browser.address, scope: "read" }, steps });
  expect(lines[2]).toMatchObject({ ok: true, result: { content: [{ text: "user" }] } });
  expect(browser.visited).toHaveLength(1);
  expect(issuer.requests.some(({ parameters }) => parameters["grant_type"] === "refresh_token")).toBe(true);
});

test("a job whose browser does not log in is not connected", async () => {
  const issuer = await startAuthorizationServer({ consent: "deny" });
  onTestFinished(() => issuer.close());
  const browser = await startBrowser();
  const url = await startProtected(issuer.issuer);
  const file = run({ server: { type: "http", url }, auth: { browser: browser.address } });
  await expect(file).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining('"connected":false') as string });
});
