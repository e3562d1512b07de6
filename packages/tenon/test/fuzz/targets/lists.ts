/** What a stranger's server lists, through a gateway that has another server beside it. */
import { connect } from "../../../src/client/connect.ts";
import type { Client } from "../../../src/client/client.ts";
import { createGateway } from "../../../src/gateway/gateway.ts";
import { McpServer } from "../../../src/server/mcp-server.ts";
import type { JsonObject } from "../../../src/jsonrpc/message.ts";
import { isJsonObject } from "../../../src/jsonrpc/message.ts";
import { assert, assertSame, type Target } from "./target.ts";

const GOOD = "file:///good.txt";
const TOOL_NAME = /^bad__[A-Za-z0-9_.-]{1,128}$/;

function goodServer(): McpServer {
  const server = new McpServer({ name: "good", version: "1" }, { instructions: "Be good" });
  server.tool("fine", {}, () => "fine");
  server.prompt("greet", {}, () => "hello");
  server.resource(GOOD, {}, () => "good");
  return server;
}

const good = goodServer();

/** A server that answers each method with the member of that name, whatever is in it. */
function strangerOf(said: JsonObject): typeof fetch {
  const results: Readonly<Record<string, string>> = {
    "server/discover": "discover",
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "templates",
  };
  const known = {
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {}, prompts: {}, resources: {} },
    serverInfo: { name: "bad", version: "1" },
  };
  return async (_url, init) => {
    const { id, method } = JSON.parse(init?.body as string) as { id?: number; method: string }; // the client wrote it
    if (id === undefined) return new Response(null, { status: 202 });
    const member = said[results[method] ?? method] ?? {};
    const result = {
      resultType: "complete",
      ...(method === "server/discover" && known),
      ...(isJsonObject(member) ? member : { is: member }),
    };
    const text = JSON.stringify({ jsonrpc: "2.0", id, result: isJsonObject(member) ? result : member });
    return new Response(text, { headers: { "content-type": "application/json" } });
  };
}

async function namesOf(entries: AsyncIterable<object>, member: "name" | "uri" | "uriTemplate"): Promise<unknown[]> {
  const names: unknown[] = [];
  for await (const entry of entries) names.push((entry as JsonObject)[member]);
  return names;
}

/** The other server is listed and used as ever, and all names of the stranger are its own. */
async function assertServed(client: Client): Promise<void> {
  const tools = await namesOf(client.tools(), "name");
  assertSame(
    "tools of the other server",
    tools.filter((name) => !TOOL_NAME.test(String(name))),
    ["good__fine"],
  );
  const prompts = await namesOf(client.prompts(), "name");
  assertSame(
    "prompts of the other server",
    prompts.filter((name) => !String(name).startsWith("bad__")),
    ["good__greet"],
  );
  const uris = await namesOf(client.resources(), "uri");
  const templates = await namesOf(client.resourceTemplates(), "uriTemplate");
  for (const [what, list] of Object.entries({ tools, prompts, uris, templates }))
    assert(new Set(list).size === list.length, `two ${what} of one name`);
  assert(uris.includes(GOOD), "the resource of the other server is gone");
  assertSame("what the other server says", (await client.callTool("good__fine")).text, "fine");
  const { contents } = await client.readResource(GOOD);
  assertSame(
    "what is read of the other server",
    contents.map((part) => ("text" in part ? part.text : "")),
    ["good"],
  );
}

/** Lists of a server are served under its own names, or left out; no other server suffers. Pins and digests are made of all. */
export const lists: Target = {
  name: "lists",
  kind: "json",
  share: 0.02,
  async run(text) {
    let said: unknown;
    try {
      said = JSON.parse(text);
    } catch {
      return; // no answer of a server
    }
    if (!isJsonObject(said)) return;
    const bad = { url: "http://localhost:9/mcp", fetch: strangerOf(said), revision: "2026-07-28" } as const;
    const gateway = createGateway({ servers: { good, bad }, pins: {}, onError: () => undefined });
    try {
      await gateway.start();
      const client = await connect(gateway, { revision: "2026-07-28" });
      await assertServed(client);
      await client.close();
    } finally {
      await gateway.close();
    }
  },
};
