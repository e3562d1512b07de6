/**
 * Stores that their owner closes while there is work: nothing waits for them without end, and what is reported says that they are
 * closed.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import { connect } from "tenon/client";
import { tasks } from "tenon/ext/tasks";
import type { McpServer } from "tenon/server";
import { StoreUnavailableError } from "tenon/stores/redis";
import { Nodes, SHARED } from "../cluster/nodes.ts";
import { assertStarted, startEngine, type Engine } from "./engines.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

describe.each(["redis", "postgres", "nats"] as const)("%s", (name) => {
  let engine: Engine | undefined;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  test("closed while a task runs, a stream is open and a question waits", async (context: TestContext) => {
    const [ofStores, ofServer]: [unknown[], unknown[]] = [[], []];
    const stores = assertStarted(engine, name, context).stores("closing", { onError: (error) => void ofStores.push(error) });
    onTestFinished(() => stores.close());
    const { opened, open: goOn } = gate();
    const makeServer = (): McpServer => {
      const onError = (error: unknown): undefined => void ofServer.push(error);
      const requestState = { ...SHARED.requestState!, store: stores.states };
      const server = testServer({ requestState, extensions: [tasks({ store: stores.tasks })], onError });
      server.tool("hang", {}, async (_input, ctx) => {
        await ctx.progress(1);
        await opened;
        return "late";
      });
      server.tool("roots", {}, async (_input, ctx) => String((await ctx.session.standalone.listRoots()).roots.length));
      server.tool("build", { task: { restart: true } }, async (_input, ctx) => {
        await ctx.step("begin", () => 1);
        await opened;
        await ctx.step("end", () => 1);
        return "built";
      });
      return server;
    };
    const nodes = new Nodes(makeServer, { stores }, 1);
    const session = await nodes.open("2025-11-25", 0, { roots: {} });
    const call = (id: number, tool: string): { body: object } => ({
      body: { jsonrpc: "2.0", id, method: "tools/call", params: { name: tool, _meta: { progressToken: "p" } } },
    });
    const stream = await session.send(0, { method: "GET" });
    const hanging = await session.send(0, call(2, "hang"));
    await hanging.next();
    const asking = session.send(0, call(3, "roots"));
    await stream.next();
    const client = await connect(
      { url: "http://localhost/mcp", fetch: nodes.fetch },
      { revision: "2026-07-28", extensions: [tasks()] },
    );
    onTestFinished(() => client.close());
    const { opened: begun, open: began } = gate();
    const building = client.callTool("build", {}, { onTask: () => began() });
    building.catch(() => undefined);
    await begun;

    await stores.close();
    goOn();
    await expect(building).rejects.toMatchObject({ code: -32603, data: { reason: "storeUnavailable" } });
    const refused = async (): Promise<number> =>
      (await session.send(0, { body: { jsonrpc: "2.0", id: 4, method: "ping" } })).status;
    await expect.poll(refused).toBe(503); // what the node has read within the last second is served
    await nodes.nodes[0]!.handler.close();
    await Promise.all([stream.rest(), hanging.rest().catch(() => "cut"), asking.then((response) => response.text())]);

    expect(ofStores).toEqual([]);
    expect(ofServer).not.toEqual([]);
    for (const error of ofServer) {
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect((error as StoreUnavailableError).cause).toMatchObject({ message: "The stores are closed" });
    }
  });
});
