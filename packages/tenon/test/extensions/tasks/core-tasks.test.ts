/**
 * Calls that ask for a task (2025-11-25), as they are on the wire: how they are given up, and how long their progress goes on.
 */
import { describe, expect, it, onTestFinished } from "vitest";
import {
  acceptorOf,
  connect,
  createMemoryPair,
  JsonRpcDispatcher,
  type Client,
  type ConnectOptions,
  type JsonObject,
  type RequestContext,
} from "tenon";
import { tasks } from "tenon/ext/tasks";
import { Recorder } from "tenon/testing";
import { closing } from "../../support/matrix.ts";
import { methodsOf, result, scriptedServer, type Reply } from "../../support/scripted-server.ts";
import type { ScriptedTransport } from "../../support/scripted-transport.ts";
import { taskServer } from "./support.ts";
import { gate } from "../../support/gate.ts";

const TASK = {
  taskId: "t",
  status: "working",
  createdAt: "2026-01-01T00:00:00.000Z",
  lastUpdatedAt: "2026-01-01T00:00:00.000Z",
  ttl: null,
};

/** A client of a server whose tool `job` becomes a task, and which responds to the rest as the test says. */
async function scripted(
  replies: { [method: string]: Reply },
  options: ConnectOptions = {},
): Promise<{ client: Client; server: ScriptedTransport }> {
  const server = scriptedServer({
    initialize: result({
      protocolVersion: "2025-11-25",
      capabilities: { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } },
      serverInfo: { name: "s", version: "1" },
    }),
    "tools/list": result({ tools: [{ name: "job", inputSchema: { type: "object" }, execution: { taskSupport: "optional" } }] }),
    "tasks/cancel": result({ ...TASK, status: "cancelled" }),
    ...replies,
  });
  const client = await connect(server, { revision: "2025-11-25", extensions: [tasks()], ...options });
  onTestFinished(() => client.close());
  return { client, server };
}

const cancels = (server: ScriptedTransport): JsonObject[] =>
  server.sent.filter(({ method }) => String(method).includes("cancel"));
const cancelTask = expect.objectContaining({ method: "tasks/cancel", params: { taskId: "t" } }) as unknown;

describe("A call that asks for a task, 2025-11-25", () => {
  it("is given up by the id of its task, and not by its own [requirement G2 N6]", async () => {
    const { client, server } = await scripted({ "tools/call": result({ task: TASK }) });
    const abort = new AbortController();
    const onTask = (): void => abort.abort(new Error("enough"));
    await expect(client.callTool("job", {}, { signal: abort.signal, onTask })).rejects.toThrow("enough");
    await expect.poll(() => cancels(server)).toEqual([cancelTask]);
  });

  it("is given up before there is a task: its caller is free at once, the later task cancelled [requirement G2 N6]", async () => {
    const { client, server } = await scripted({});
    const abort = new AbortController();
    const call = client.callTool("job", {}, { signal: abort.signal });
    await expect.poll(() => methodsOf(server)).toContain("tools/call");
    abort.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    expect(cancels(server)).toEqual([]);
    const { id } = server.sent.find(({ method }) => method === "tools/call")!;
    server.push({ jsonrpc: "2.0", id, result: { task: TASK } });
    await expect.poll(() => cancels(server)).toEqual([cancelTask]);
  });

  it("hears progress of a task that another connection began, by its id [requirement G8]", async () => {
    const errors: unknown[] = [];
    const { client, server } = await scripted(
      { "tasks/get": result({ ...TASK, pollInterval: 60_000 }) },
      { onError: (error) => void errors.push(error) },
    );
    const steps: unknown[] = [];
    const abort = new AbortController();
    const waiting = client.task("t").result({ signal: abort.signal, onProgress: (step) => void steps.push(step) });
    await expect.poll(() => methodsOf(server)).toContain("tasks/get");
    const tell = (taskId: string): void => {
      const _meta = { "io.modelcontextprotocol/related-task": { taskId } };
      const params = { progressToken: "of another", progress: 1, total: 2, _meta };
      server.push({ jsonrpc: "2.0", method: "notifications/progress", params });
    };
    tell("other");
    tell("t");
    await expect.poll(() => steps).toEqual([{ progress: 1, total: 2 }]);
    expect(errors).toEqual([]);
    abort.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });

  it("is not sent for a caller that has given up already", async () => {
    const { client, server } = await scripted({});
    await expect(client.callTool("job", {}, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
    expect(methodsOf(server)).not.toContain("tools/call");
    expect(cancels(server)).toEqual([]);
  });

  it("its progress goes on under the same token while the task lives, and ends with it [requirement G8 N8]", async () => {
    const { server } = taskServer();
    const { opened, open } = gate();
    let context: RequestContext | undefined;
    server.tool("job", { task: true }, async (_input, ctx) => {
      context = ctx;
      await ctx.progress(1);
      await opened;
      await ctx.progress(2);
      return "done";
    });
    const [near, far] = createMemoryPair();
    const recorder = new Recorder(near);
    void acceptorOf(server).accept(new JsonRpcDispatcher(far));
    const client = await closing(connect(recorder, { revision: "2025-11-25", extensions: [tasks()] }));
    const steps: number[] = [];
    const call = client.callTool("job", {}, { onProgress: ({ progress }) => void steps.push(progress) });
    await expect.poll(() => steps).toEqual([1]);
    open();
    expect((await call).text).toBe("done");
    await context!.progress(3);
    await client.ping();
    const sent = recorder.lines.map((line) => (JSON.parse(line) as { message: JsonObject }).message);
    const asked = sent.find(({ method }) => method === "tools/call")!["params"] as { _meta: { progressToken: unknown } };
    const told = sent.filter(({ method }) => method === "notifications/progress").map(({ params }) => params);
    expect(asked._meta.progressToken).toBeDefined();
    expect(told).toMatchObject([1, 2].map((progress) => ({ progressToken: asked._meta.progressToken, progress })));
  });
});
