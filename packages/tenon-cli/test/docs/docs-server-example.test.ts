// `examples/docs-server`: the documentation over HTTP, called by the official client and by
// Tenon's, on both families of revisions. Needs a build.
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { connect } from "tenon/client";
import type { docsServer as declared } from "tenon-cli/docs-server";
import { expect, expectTypeOf, onTestFinished, test } from "vitest";
import type { docsServer as source } from "../../src/docs/serve-docs.ts";
import { startProgram } from "../../../tenon/test/examples/start-program.ts";
import { freePort } from "../../../../scripts/free-port.mjs";

// The declaration is written by hand, because the command has none: it must say what the source says.
expectTypeOf<typeof declared>().toEqualTypeOf<typeof source>();

const root = fileURLToPath(new URL("../../../..", import.meta.url));

async function served(): Promise<string> {
  const port = await freePort();
  await startProgram([process.execPath, "--import", "jiti/register", "examples/docs-server/server.ts"], { cwd: root, port });
  return `http://127.0.0.1:${port}/mcp`;
}

test("Tenon's client and the official client search the pages, and get one; a browser shows how to add it", async () => {
  const url = await served();
  for (const revision of ["2025-11-25", "2026-07-28"] as const) {
    await using client = await connect(url, { revision });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["search_docs", "get_page"]);
    expect((await client.callTool("search_docs", { query: "ask the user" })).text).toContain("page: servers/asking.md");
    expect((await client.readResource("tenon-docs:///servers/tools.md")).contents).toHaveLength(1);
  }
  const official = new Client({ name: "official", version: "1.0.0" });
  await official.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => official.close());
  const { content } = await official.callTool({ name: "get_page", arguments: { path: "servers/tools.md" } });
  expect(content).toMatchObject([{ type: "text", text: expect.stringContaining("server.tool(") as string }]);
  const page = await (await fetch(url, { headers: { accept: "text/html" } })).text();
  expect(page).toContain("Tenon documentation");
});
