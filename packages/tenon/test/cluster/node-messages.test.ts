/** What nodes pass on through an engine: answers that are longer than one notification of PostgreSQL, and equal messages. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import { McpServer } from "tenon/server";
import type { JsonObject } from "tenon";
import type { Stores } from "tenon/stores/redis";
import { assertStarted, ENGINES, startEngine, type Engine } from "../stores/engines.ts";
import { Nodes, SHARED } from "./nodes.ts";

const REVISION = "2025-11-25";

describe.each(ENGINES)("%s", (name) => {
  let engine: Engine | undefined;
  let spaces = 0;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  function storesOf(context: TestContext): Stores {
    const stores = assertStarted(engine, name, context).stores(`messages_${spaces}`);
    onTestFinished(() => stores.close());
    return stores;
  }

  test("equal messages that are sent at once are all delivered", async (context) => {
    spaces++;
    const [one, two] = [storesOf(context), storesOf(context)];
    const heard: string[] = [];
    await two.bus.subscribe("topic", (message) => heard.push(message));
    await Promise.all([..."aaabaaa"].map(async (text) => one.bus.publish("topic", text)));
    await expect.poll(() => heard.join("")).toBe("aaabaaa");
  });

  test("an answer of 9 KB to a question of another node reaches the handler whole", async (context) => {
    spaces++;
    const makeServer = (): McpServer => {
      const server = new McpServer({ name: "s", version: "1" }, SHARED);
      server.tool("roots", {}, async (_input, ctx) => {
        const { roots } = await ctx.session.standalone.listRoots();
        return roots.map(({ uri }) => uri).join(" ");
      });
      return server;
    };
    const [here, there] = [0, 1].map(() => new Nodes(makeServer, { stores: storesOf(context) }, 1)) as [Nodes, Nodes];
    const { id } = await here.open(REVISION, 0, { roots: {} });
    const headers = { "mcp-session-id": id, "mcp-protocol-version": REVISION };
    const send = (node: Nodes, body: JsonObject): ReturnType<Nodes["send"]> =>
      node.send(0, { body: { jsonrpc: "2.0", ...body }, headers });
    const stream = await there.send(0, { method: "GET", headers });
    onTestFinished(() => stream.drop());
    for (const length of [7_500, 9_000, 100_000]) {
      const call = send(here, { id: 2, method: "tools/call", params: { name: "roots" } });
      const { message } = (await stream.next())!;
      const uri = `file:///${"x".repeat(length)}`;
      expect((await send(there, { id: message["id"]!, result: { roots: [{ uri }] } } as JsonObject)).status).toBe(202);
      expect(await (await call).message()).toMatchObject({ result: { content: [{ text: uri }] } });
    }
  });
});
