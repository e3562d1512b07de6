/**
 * Popular servers of others behind a gateway, as programs: context7, and playwright-mcp with a real browser. No test needs a
 * network.
 */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { connect, type Client } from "tenon";
import { createGateway, type GatewayOptions } from "tenon/gateway";
import { EXECUTABLE } from "../runtimes/browser.ts";
import { assertHas } from "../support/needs.ts";

const { resolve } = createRequire(import.meta.url);
/** A busy machine starts programs and browsers slowly. */
const PATIENT = { timeout: 100_000, maxTotalTimeout: 100_000 };

const REVISIONS = ["2025-11-25", "2026-07-28"] as const;

async function clientOf(servers: GatewayOptions["servers"], revision: (typeof REVISIONS)[number]): Promise<Client> {
  const gateway = createGateway({ servers, readyTimeout: 100_000, onError: () => undefined });
  onTestFinished(() => gateway.close());
  const client = await connect(gateway, { revision });
  onTestFinished(() => client.close());
  return client;
}

it.each(REVISIONS)("context7 lists its tools, and says what an invalid call lacks, for a client of %s", async (revision) => {
  const program = join(dirname(resolve("@upstash/context7-mcp/package.json")), "dist/index.js");
  const client = await clientOf({ docs: { command: process.execPath, args: [program], stderr: "ignore" } }, revision);
  const { tools } = await client.listTools({}, PATIENT);
  expect(tools.map(({ name }) => name)).toEqual(["docs__resolve-library-id", "docs__query-docs"]);
  expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).toEqual([true, true]);
  const invalid = await client
    .callTool("docs__query-docs", { libraryId: "/a/b" }, PATIENT)
    .catch((error: unknown) => ({ text: String(error) }));
  expect(invalid.text).toContain("query");
});

it.for(REVISIONS)("playwright-mcp keeps its page between the calls of a client of %s", async (revision, { skip }) => {
  assertHas({ skip }, "chromium");
  const folder = await realpath(await mkdtemp(join(tmpdir(), "tenon-playwright-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  const program = join(dirname(resolve("@playwright/mcp/package.json")), "cli.js");
  // The sandbox needs rights that root in a container does not have; the page is our own.
  const args = ["--headless", "--isolated", "--no-sandbox", "--executable-path", EXECUTABLE, "--output-dir", folder];
  const page = { command: process.execPath, args: [program, ...args], cwd: folder, stderr: "ignore" } as const;
  const client = await clientOf({ page }, revision);
  const { tools } = await client.listTools({}, PATIENT);
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["page__browser_navigate", "page__browser_evaluate"]));
  const url = "data:text/html,<title>Hello</title><button onclick='document.title=`Pressed`'>Press</button>";
  const visited = await client.callTool("page__browser_navigate", { url }, PATIENT);
  expect(visited.text).toContain("Page Title: Hello");
  const pressed = "() => { document.querySelector('button').click(); return document.title; }";
  expect((await client.callTool("page__browser_evaluate", { function: pressed }, PATIENT)).text).toContain("Pressed");
  const { content } = await client.callTool("page__browser_take_screenshot", { type: "png" }, PATIENT);
  expect(content).toContainEqual(expect.objectContaining({ type: "image", mimeType: "image/png" }));
  await client.callTool("page__browser_close", {}, PATIENT);
});
