// The client in a real browser, on a page of another origin than the server.
import { randomUUID } from "node:crypto";
import { McpServer as OfficialServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Browser, Page } from "playwright-core";
import { serveHttp, type ServeHttpOptions } from "tenon/node";
import { afterAll, beforeAll, expect, onTestFinished, test, type TestContext } from "vitest";
import * as z from "zod";
import { bundlePage, launch, listen, pageWith } from "./browser.ts";
import { allWell, type Outcome } from "./running.ts";
import { has, leaveOut } from "../support/needs.ts";
import { createServer } from "./server.mjs";
import { CHECKS, REVISIONS } from "./subset.mjs";

/** What page.mjs puts into the page. */
interface PageFunctions {
  outcomes(url: string, revision: string): Promise<Outcome[]>;
  refusal(url: string): Promise<{ name: string; message: string } | undefined>;
  sum(url: string): Promise<{ protocolVersion: string; text: string }>;
}

let browser: Browser | undefined;
let script: string;

beforeAll(async () => {
  ({ script } = await bundlePage());
  if (has("chromium")) browser = await launch();
}, 30_000);

afterAll(() => browser?.close());

/** A page of its own origin. Skips the test where there is no browser. */
async function openPage({ skip }: TestContext): Promise<{ page: Page; origin: string }> {
  if (browser === undefined) return leaveOut(["chromium"], { skip });
  const origin = await listen(pageWith(script));
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  await page.goto(origin);
  return { page, origin };
}

async function serve(options: ServeHttpOptions): Promise<string> {
  const endpoint = await serveHttp(createServer(), { ...options, port: 0 });
  onTestFinished(() => endpoint.close());
  return endpoint.url;
}

/** Calls a function of page.mjs in the page. */
async function call<K extends keyof PageFunctions>(
  page: Page,
  name: K,
  ...args: Parameters<PageFunctions[K]>
): Promise<Awaited<ReturnType<PageFunctions[K]>>> {
  // Both are what the function takes and returns: JSON, as page.mjs defines it.
  return page.evaluate<Awaited<ReturnType<PageFunctions[K]>>>(`globalThis[${JSON.stringify(name)}](...${JSON.stringify(args)})`);
}

test("the bundle for browsers has no Node built-in in it and nothing left to import [fault Z7]", async () => {
  const { metafile } = await bundlePage();
  expect(Object.keys(metafile.inputs).filter((file) => file.startsWith("src/node/"))).toEqual([]);
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
});

test.for(REVISIONS)("a page of a listed origin does everything in %s [fault Z7 rule R1]", async (revision, context) => {
  const { page, origin } = await openPage(context);
  const url = await serve({ cors: { origins: [origin] } });
  expect(await call(page, "outcomes", url, revision)).toEqual(allWell(CHECKS, [revision]));
});

test("a page of an origin that is not listed gets no response [rule R1]", async (context) => {
  const { page } = await openPage(context);
  const url = await serve({ cors: { origins: ["https://app.example"] } });
  expect(await call(page, "refusal", url)).toMatchObject({ name: "ConnectionLostError" });
});

interface OldServer {
  readonly url: string;
  /** What was asked of it: each method, and the headers a preflight named. */
  readonly asked: string[];
}

/** An official server of 2025-11-25 whose CORS rules know the headers of its time. */
async function oldServer(): Promise<OldServer> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const asked: string[] = [];
  const origin = await listen((request, response) => {
    asked.push(`${request.method} ${request.headers["access-control-request-headers"] ?? ""}`);
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.setHeader("Access-Control-Expose-Headers", "Mcp-Session-Id");
    response.setHeader("Access-Control-Allow-Methods", "GET, POST, DELETE");
    response.setHeader("Access-Control-Allow-Headers", "content-type, mcp-session-id, mcp-protocol-version, last-event-id");
    if (request.method === "OPTIONS") return response.writeHead(204).end();
    const open = transports.get(String(request.headers["mcp-session-id"]));
    if (open !== undefined) return void open.handleRequest(request, response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => void transports.set(session, transport),
    });
    const server = new OfficialServer({ name: "official", version: "1.0.0" });
    server.registerTool("add", { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => ({
      content: [{ type: "text", text: String(a + b) }],
    }));
    void server
      .connect(transport as Parameters<OfficialServer["connect"]>[0])
      .then(() => transport.handleRequest(request, response));
  });
  return { url: `${origin}/mcp`, asked };
}

test("a probe that the browser does not let through falls back to the handshake [B4.6]", async (context) => {
  const { page } = await openPage(context);
  const { url, asked } = await oldServer();
  expect(await call(page, "sum", url)).toEqual({ protocolVersion: "2025-11-25", text: "42" });
  // The probe never left the browser: its preflight was answered, and what was posted is the session's.
  expect(asked[0]).toMatch(/^OPTIONS .*mcp-method/);
  expect(asked.find((request) => !request.startsWith("OPTIONS"))).toBe("POST ");
  const beforePosting = asked.slice(0, asked.indexOf("POST "));
  expect(beforePosting.at(-1)).toBe("OPTIONS content-type");
});
