/** `checkClientCapability`, row by row, as a handler uses it: XT-14. */
import { describe, expect, it } from "vitest";
import type { McpServer, ClientCapabilities, JsonObject } from "tenon";
import { RawClient } from "../support/raw-client.ts";
import { testServer } from "../support/test-server.ts";

function createServer(): McpServer {
  const server = testServer();
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
  ["nothing asked [SS-41]", {}, {}, true],
  ["roots declared [SS-42]", { roots: {} }, { roots: {} }, true],
  ["roots not declared [SS-42]", { sampling: {} }, { roots: {} }, false],
  ["changes of roots, declared [SS-43]", { roots: { listChanged: true } }, { roots: { listChanged: true } }, true],
  ["changes of roots, not declared [SS-43]", { roots: {} }, { roots: { listChanged: true } }, false],
  ["changes of roots, denied [SS-43]", { roots: { listChanged: false } }, { roots: { listChanged: true } }, false],
  ["roots without changes asked [SS-43]", { roots: { listChanged: true } }, { roots: { listChanged: false } }, true],
  ["sampling declared [SS-44]", { sampling: {} }, { sampling: {} }, true],
  ["sampling not declared [SS-44]", {}, { sampling: {} }, false],
  ["tools for the model, whatever is in it [SS-45]", { sampling: { tools: { a: 1 } } }, { sampling: { tools: {} } }, true],
  ["tools for the model, not declared [SS-45]", { sampling: { context: {} } }, { sampling: { tools: {} } }, false],
  ["context for the model [SS-45]", { sampling: { context: {} } }, { sampling: { context: { b: 2 } } }, true],
  ["elicitation of any kind [SS-46]", { elicitation: { url: {} } }, { elicitation: {} }, true],
  ["an empty declaration means forms [SS-46]", { elicitation: {} }, { elicitation: { form: {} } }, true],
  ["an empty declaration means no pages [SS-46]", { elicitation: {} }, { elicitation: { url: {} } }, false],
  ["pages have to be declared [SS-46]", { elicitation: { form: {} } }, { elicitation: { url: {} } }, false],
  ["pages declared [SS-46]", { elicitation: { form: {}, url: {} } }, { elicitation: { url: {} } }, true],
  ["an equal experiment [SS-47 SS-02]", { experimental: { advanced_tools: {} } }, { experimental: { advanced_tools: {} } }, true],
  [
    "an experiment equal in depth [SS-47]",
    { experimental: { x: { a: [1, { b: null }] } } },
    { experimental: { x: { a: [1, { b: null }] } } },
    true,
  ],
  ["an experiment with another value [SS-47]", { experimental: { x: { a: 1 } } }, { experimental: { x: { a: 2 } } }, false],
  ["an experiment with more in it [SS-47]", { experimental: { x: { a: 1 } } }, { experimental: { x: {} } }, false],
  ["an experiment that is not there [SS-47]", { experimental: { y: {} } }, { experimental: { x: {} } }, false],
  ["no experiments at all [SS-47]", {}, { experimental: { x: {} } }, false],
  ["a task of that kind [SS-48]", { tasks }, { tasks: { requests: { elicitation: { create: {} } } } }, true],
  ["tasks, of no kind in particular [SS-48]", { tasks: {} }, { tasks: {} }, true],
  ["a task of another kind [SS-48]", { tasks }, { tasks: { requests: { sampling: { createMessage: {} } } } }, false],
  ["listing is not looked at [SS-48]", { tasks }, { tasks: { list: {}, cancel: {} } }, true],
  ["no tasks [SS-48]", {}, { tasks: {} }, false],
  [
    "an extension, whatever its settings [SS-49]",
    { extensions: { "a.b/c": { v: 1 } } },
    { extensions: { "a.b/c": { v: 2 } } },
    true,
  ],
  ["another extension [SS-49]", { extensions: { "a.b/c": {} } }, { extensions: { "a.b/d": {} } }, false],
  ["several that all hold [SS-50]", { roots: {}, sampling: {} }, { roots: {}, sampling: {} }, true],
  ["several of which one does not [SS-50]", { roots: {} }, { roots: {}, sampling: {} }, false],
];

describe("What a client can do [XT-14]", () => {
  it.each(TABLE)("%s", async (_title, have, required, expected) => {
    expect(await can(have, required)).toBe(expected);
  });

  it("a client that has not introduced itself can do nothing [SS-40]", async () => {
    const seen: boolean[] = [];
    const server = createServer();
    server.use("ping", (next) => (context) => {
      for (const required of [{}, { sampling: {} }]) seen.push(context.session.checkClientCapability(required));
      return next(context);
    });
    await new RawClient(server).request("ping", {});
    expect(seen).toEqual([false, false]);
  });

  it("on a stateless revision each request says so itself [SS-41 SS-44 SS-51]", async () => {
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
