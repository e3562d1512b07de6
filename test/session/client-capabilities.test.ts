/** `checkClientCapability`, row by row, as a handler uses it: XT-14. */
import { describe, expect, it } from "vitest";
import { McpServer, type ClientCapabilities, type JsonObject } from "tenon";
import { RawClient } from "../support/raw-client.ts";

function createServer(): McpServer {
  const server = new McpServer({ name: "s", version: "1" });
  server.tool("can", {}, ({ required }, { session }) => String(session.checkClientCapability(required as ClientCapabilities)));
  return server;
}

async function ask(client: RawClient, required: ClientCapabilities): Promise<boolean> {
  const answer = await client.request("tools/call", { name: "can", arguments: { required } });
  return (answer as { result: { content: [{ text: string }] } }).result.content[0].text === "true";
}

/** Whether a client that declared `have` can do `required`. */
async function can(have: JsonObject, required: ClientCapabilities): Promise<boolean> {
  const client = new RawClient(createServer());
  await client.initialize("2025-11-25", have);
  return ask(client, required);
}

const tasks = { requests: { elicitation: { create: {} }, sampling: {} } };

type Row = [title: string, have: JsonObject, required: ClientCapabilities, expected: boolean];
const TABLE: readonly Row[] = [
  ["SS-41 nothing asked", {}, {}, true],
  ["SS-42 roots declared", { roots: {} }, { roots: {} }, true],
  ["SS-42 roots not declared", { sampling: {} }, { roots: {} }, false],
  ["SS-43 changes of roots, declared", { roots: { listChanged: true } }, { roots: { listChanged: true } }, true],
  ["SS-43 changes of roots, not declared", { roots: {} }, { roots: { listChanged: true } }, false],
  ["SS-43 changes of roots, denied", { roots: { listChanged: false } }, { roots: { listChanged: true } }, false],
  ["SS-43 roots without changes asked", { roots: { listChanged: true } }, { roots: { listChanged: false } }, true],
  ["SS-44 sampling declared", { sampling: {} }, { sampling: {} }, true],
  ["SS-44 sampling not declared", {}, { sampling: {} }, false],
  ["SS-45 tools for the model, whatever is in it", { sampling: { tools: { a: 1 } } }, { sampling: { tools: {} } }, true],
  ["SS-45 tools for the model, not declared", { sampling: { context: {} } }, { sampling: { tools: {} } }, false],
  ["SS-45 context for the model", { sampling: { context: {} } }, { sampling: { context: { b: 2 } } }, true],
  ["SS-46 elicitation of any kind", { elicitation: { url: {} } }, { elicitation: {} }, true],
  ["SS-46 an empty declaration means forms", { elicitation: {} }, { elicitation: { form: {} } }, true],
  ["SS-46 an empty declaration means no pages", { elicitation: {} }, { elicitation: { url: {} } }, false],
  ["SS-46 pages have to be declared", { elicitation: { form: {} } }, { elicitation: { url: {} } }, false],
  ["SS-46 pages declared", { elicitation: { form: {}, url: {} } }, { elicitation: { url: {} } }, true],
  ["SS-47 SS-02 an equal experiment", { experimental: { advanced_tools: {} } }, { experimental: { advanced_tools: {} } }, true],
  [
    "SS-47 an experiment equal in depth",
    { experimental: { x: { a: [1, { b: null }] } } },
    { experimental: { x: { a: [1, { b: null }] } } },
    true,
  ],
  ["SS-47 an experiment with another value", { experimental: { x: { a: 1 } } }, { experimental: { x: { a: 2 } } }, false],
  ["SS-47 an experiment with more in it", { experimental: { x: { a: 1 } } }, { experimental: { x: {} } }, false],
  ["SS-47 an experiment that is not there", { experimental: { y: {} } }, { experimental: { x: {} } }, false],
  ["SS-47 no experiments at all", {}, { experimental: { x: {} } }, false],
  ["SS-48 a task of that kind", { tasks }, { tasks: { requests: { elicitation: { create: {} } } } }, true],
  ["SS-48 tasks, of no kind in particular", { tasks: {} }, { tasks: {} }, true],
  ["SS-48 a task of another kind", { tasks }, { tasks: { requests: { sampling: { createMessage: {} } } } }, false],
  ["SS-48 listing is not looked at", { tasks }, { tasks: { list: {}, cancel: {} } }, true],
  ["SS-48 no tasks", {}, { tasks: {} }, false],
  ["SS-49 an extension, whatever its settings", { extensions: { "a.b/c": { v: 1 } } }, { extensions: { "a.b/c": { v: 2 } } }, true],
  ["SS-49 another extension", { extensions: { "a.b/c": {} } }, { extensions: { "a.b/d": {} } }, false],
  ["SS-50 several that all hold", { roots: {}, sampling: {} }, { roots: {}, sampling: {} }, true],
  ["SS-50 several of which one does not", { roots: {} }, { roots: {}, sampling: {} }, false],
];

describe("XT-14 What a client can do", () => {
  it.each(TABLE)("%s", async (_title, have, required, expected) => {
    expect(await can(have, required)).toBe(expected);
  });

  it("SS-40 a client that has not introduced itself can do nothing", async () => {
    const client = new RawClient(createServer());
    await client.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    for (const required of [{}, { sampling: {} }]) expect(await ask(client, required)).toBe(false);
  });

  it("SS-41 SS-44 SS-51 on a stateless revision each request says so itself", async () => {
    const client = new RawClient(createServer());
    const askStateless = async (capabilities: JsonObject): Promise<unknown> => {
      const _meta = { "io.modelcontextprotocol/clientCapabilities": capabilities };
      const answer = await client.ask("tools/call", { name: "can", arguments: { required: { sampling: {} } }, _meta });
      return (answer as { result: { content: [{ text: string }] } }).result.content[0].text;
    };
    expect(await askStateless({ sampling: {} })).toBe("true");
    expect(await askStateless({})).toBe("false");
  });
});
