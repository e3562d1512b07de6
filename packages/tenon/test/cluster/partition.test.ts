/**
 * A node that is cut off from the engine, with real engines: its streams end once, at another node, and what it writes later is
 * refused.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import type { JsonObject } from "tenon";
import { McpServer } from "tenon/server";
import type { Stores } from "tenon/stores/redis";
import { assertStarted, startEngine, type Engine } from "../stores/engines.ts";
import { Nodes, SHARED } from "./nodes.ts";
import { Link } from "../support/link.ts";
import { gate } from "../support/gate.ts";

const REVISION = "2025-11-25";
const call: JsonObject = {
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name: "steps", _meta: { progressToken: "p" } },
};

describe.each(["redis", "postgres", "nats"] as const)("%s", (name) => {
  let engine: Engine | undefined;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  test("a node without its engine loses its stream to another; late writes are ignored [X4]", async (context: TestContext) => {
    const url = new URL(assertStarted(engine, name, context).url);
    const link = await Link.to(Number(url.port));
    onTestFinished(() => link.close());
    url.port = String(link.port);
    const { opened: mended, open: goOn } = gate();
    let aborted = false;
    const makeServer = (): McpServer => {
      const server = new McpServer({ name: "s", version: "1" }, SHARED);
      server.tool("steps", {}, async (_input, ctx) => {
        ctx.signal.addEventListener("abort", () => (aborted = true));
        await ctx.progress(1);
        await mended;
        await ctx.progress(2);
        return "done by the node that was cut off";
      });
      return server;
    };
    const stores = (options: { url?: string }): Stores => {
      const made = engine!.stores("partition", options);
      onTestFinished(() => made.close());
      return made;
    };
    const [cut, other] = [
      new Nodes(makeServer, { stores: stores({ url: url.href }) }, 1),
      new Nodes(makeServer, { stores: stores({}) }, 2),
    ];

    const session = await cut.open(REVISION);
    const headers = { "mcp-session-id": session.id, "mcp-protocol-version": REVISION };
    const stream = await session.send(0, { body: call });
    const first = (await stream.next())!;
    link.cut();
    const resumed = await other.send(0, { method: "GET", headers: { ...headers, "last-event-id": first.id! } });
    const seen = (await resumed.rest()).map(({ message }) => message);
    expect(seen).toMatchObject([{ id: 2, error: { code: -32603, data: { reason: "nodeLost" } } }]);
    goOn();
    link.mend();
    await expect.poll(() => aborted, { timeout: 60_000 }).toBe(true);
    const again = await other.send(1, { method: "GET", headers: { ...headers, "last-event-id": first.id! } });
    expect((await again.rest()).map(({ message }) => message)).toEqual(seen);
    const late = (await stream.rest()).map(({ message }) => message);
    expect(late.filter((message) => "result" in message)).toEqual([]);
  });
});
