/** `_meta`: its keys, unknown keys, and that no decision depends on what a peer says of itself. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  acceptorOf,
  connect,
  createMemoryPair,
  JsonRpcDispatcher,
  type McpServer,
  type Implementation,
  type JsonObject,
  type Outgoing,
  type Transport,
} from "tenon";
import { Recorder } from "tenon/testing";
import * as keys from "../../src/protocol/meta-keys.ts";
import { closing, describeMatrix, REVISIONS } from "../support/matrix.ts";
import { RawClient } from "../support/raw-client.ts";
import { testServer } from "../support/test-server.ts";

/** Optional prefix of labels, then a name; the grammar of requirement A3.1. */
const KEY =
  /^(?:[a-zA-Z](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*\/)?(?:[a-zA-Z0-9](?:[\w.-]*[a-zA-Z0-9])?)?$/;
/** What the specification has without a prefix. */
const PLAIN = new Set(["progressToken", "traceparent", "tracestate", "baggage"]);

function server(): McpServer {
  const made = testServer();
  made.tool("meta", {}, async (_input, ctx) => {
    await ctx.log.info("x");
    return JSON.stringify(ctx.meta);
  });
  made.tool("t", { description: "T" }, () => "x");
  made.resource("file:///a", {}, () => "text");
  made.prompt("p", {}, () => "hello");
  return made;
}

describe("The names in _meta", () => {
  it.each(REVISIONS)(
    "that are written on %s are well-formed, and reserved ones are the specification's [A3.1 A3.2 A3.3]",
    async (revision) => {
      const [near, far] = createMemoryPair();
      const recorder = new Recorder(near);
      const dispatcher = new JsonRpcDispatcher(far);
      acceptorOf(server())
        .accept(dispatcher)
        .catch((error: unknown) => dispatcher.close(error));
      const client = await closing(connect(recorder, { revision, logLevel: "info", onSample: () => ({}) as never, roots: [] }));
      await client.callTool("meta", {}, { onProgress: () => undefined });
      const stream = await client.listen({ tools: true });
      await stream.close();
      const written: string[] = [];
      JSON.parse(`[${recorder.lines.join(",")}]`, (key, value: unknown) => {
        if (key === "_meta") written.push(...Object.keys(value as object));
        return value;
      });
      expect(written.length).toBeGreaterThan(0);
      const reserved = new Set<string>(Object.values(keys));
      for (const key of written) {
        expect(key).toMatch(KEY);
        expect(key.includes("/") ? reserved.has(key) : PLAIN.has(key), key).toBe(true);
      }
      for (const key of reserved) expect(key).toMatch(/^io\.modelcontextprotocol\/[a-zA-Z-]+$/);
    },
  );
});

describeMatrix("What is not known in _meta", ({ connect: open }) => {
  it("reaches the handler as it was sent, reserved or not [A3.3 A1.12]", async () => {
    const client = await open(server(), { validateOutput: false });
    const meta = { "io.modelcontextprotocol/of-tomorrow": { a: null }, "dev.mcp/x": 0, "a.example/b": [1], plain: "yes" };
    expect(JSON.parse((await client.callTool("meta", {}, { meta })).text)).toMatchObject(meta);
  });
});

describe("A transport of the user", () => {
  it.each(REVISIONS)("carries _meta and who asks like any other, %s [A1.11]", async (revision) => {
    const [near, far] = createMemoryPair();
    const own = (inner: Transport): Transport => ({
      kind: "own",
      send: (message, options) => inner.send(JSON.parse(JSON.stringify(message)) as Outgoing, options),
      receive: () => inner.receive(),
      close: (reason) => inner.close(reason),
    });
    const made = server();
    const seen: unknown[] = [];
    made.use("tools/call", (next) => (ctx) => {
      seen.push([ctx.client.info, ctx.transport.kind, ctx.protocolVersion]);
      return next(ctx);
    });
    const dispatcher = new JsonRpcDispatcher(own(far));
    acceptorOf(made)
      .accept(dispatcher)
      .catch((error: unknown) => dispatcher.close(error));
    const client = await closing(
      connect(own(near), { revision, clientInfo: { name: "c", version: "9" }, validateOutput: false }),
    );
    expect(JSON.parse((await client.callTool("meta", {}, { meta: { "a.example/b": 1 } })).text)).toMatchObject({
      "a.example/b": 1,
    });
    expect(seen).toEqual([[{ name: "c", version: "9" }, "own", client.protocolVersion]]);
  });
});

/** Every list and one of everything else, as the server returns it. */
async function everything(made: McpServer, clientInfo: Implementation, revision: (typeof REVISIONS)[number]): Promise<unknown[]> {
  const client = await connect(made, { revision, clientInfo, cacheResponses: false, validateOutput: false });
  try {
    return [
      await client.listTools(),
      await client.listResources(),
      await client.listPrompts(),
      await client.request("tools/call", { name: "t" }),
      await client.readResource("file:///a"),
      await client.getPrompt("p"),
      client.serverCapabilities,
    ];
  } finally {
    await client.close();
  }
}

describe("The identity that a client states", () => {
  it("changes no result, and neither do earlier requests of any client [A3.9 A4.4]", async () => {
    const made = server();
    const info = fc.record({ name: fc.string(), version: fc.string(), title: fc.string() });
    for (const revision of REVISIONS) {
      const expected = await everything(made, { name: "c", version: "1" }, revision);
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(info, fc.constant({ name: "admin", version: "root", title: "modelcontextprotocol" })),
          async (clientInfo) => {
            expect(await everything(made, clientInfo, revision)).toEqual(expected);
          },
        ),
        { numRuns: 20 },
      );
    }
  });

  it("may be absent without any effect (2026-07-28) [A3.9]", async () => {
    const raw = new RawClient(server());
    const answer = await raw.ask("tools/call", { name: "t" });
    expect(answer["result"] as JsonObject).toMatchObject({ content: [{ text: "x" }] });
  });
});
