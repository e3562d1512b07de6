/** Task tools of the SDK 1.x: as on the original with a handshake, and as the extension for tasks on 2026-07-28. */
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from "mcp-sdk-v1/experimental/tasks/stores/in-memory.js";
import { Client } from "mcp-sdk-v1/client/index.js";
import { InMemoryTransport } from "mcp-sdk-v1/inMemory.js";
import { ElicitRequestSchema, type ElicitResult } from "mcp-sdk-v1/types.js";
import { type Client as TenonClient, connect } from "tenon/client";
import { tasks } from "tenon/ext/tasks";
import { createFetchHandler, McpServer as TenonServer } from "tenon/server";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { Client as LayerClient } from "../src/client/index.ts";
import { StreamableHTTPClientTransport } from "../src/client/streamableHttp.ts";
import { McpServer } from "../src/server/mcp.ts";
import { WebStandardStreamableHTTPServerTransport } from "../src/server/webStandardStreamableHttp.ts";

interface Jobs {
  readonly server: McpServer;
  readonly store: InMemoryTaskStore;
  /** The ids of the tasks of 1.x, in the order in which they began. */
  readonly begun: string[];
}

function jobServer(): Jobs {
  const store = new InMemoryTaskStore();
  const begun: string[] = [];
  const server = new McpServer(
    { name: "jobs", version: "1" },
    {
      capabilities: { tasks: { requests: { tools: { call: {} } }, list: {}, cancel: {} } },
      taskStore: store,
      taskMessageQueue: new InMemoryTaskMessageQueue(),
      defaultTaskPollInterval: 10,
    },
  );
  for (const taskSupport of ["optional", "required"] as const)
    server.experimental.tasks.registerToolTask(
      taskSupport,
      { inputSchema: { n: z.number() }, execution: { taskSupport } },
      {
        createTask: async ({ n }, { taskStore }) => {
          const task = await taskStore.createTask({ pollInterval: 10 });
          begun.push(task.taskId);
          const result = { content: [{ type: "text" as const, text: String(n * 2) }], ...(n < 0 && { isError: true }) };
          if (n !== 0) setImmediate(() => void taskStore.storeTaskResult(task.taskId, n < 0 ? "failed" : "completed", result));
          return { task };
        },
        getTask: (_args, { taskId, taskStore }) => taskStore.getTask(taskId),
        getTaskResult: async (_args, { taskId, taskStore }) => (await taskStore.getTaskResult(taskId)) as { content: [] },
      },
    );
  server.tool("plain", () => ({ content: [{ type: "text", text: "plain" }] }));
  onTestFinished(() => store.cleanup());
  return { server, store, begun };
}

test("with a handshake tasks are the original's, streams of calls too", async () => {
  const { server } = jobServer();
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([server.connect(far), client.connect(near)]);
  expect(client.getServerCapabilities()).toEqual({
    tasks: { requests: { tools: { call: {} } }, list: {}, cancel: {} },
    tools: { listChanged: true },
  });
  const types: string[] = [];
  await client.listTools();
  for await (const message of client.experimental.tasks.callToolStream({ name: "required", arguments: { n: 2 } })) {
    if (types.at(-1) !== message.type) types.push(message.type);
    if (message.type === "result") expect(message.result).toMatchObject({ content: [{ text: "4" }] });
  }
  expect(types).toEqual(["taskCreated", "taskStatus", "result"]);
  expect(await client.callTool({ name: "optional", arguments: { n: 3 } })).toMatchObject({ content: [{ text: "6" }] });
});

test.each(["optional", "required"])(
  "on 2026-07-28 a tool with task support %s is a task for clients with the extension",
  async (name) => {
    const { server, begun } = jobServer();
    await using client = await connect(server.tenon, { revision: "2026-07-28", extensions: [tasks()] });
    const seen: string[] = [];
    const result = await client.callTool(name, { n: 2 }, { onTask: ({ status }) => void seen.push(status) });
    expect(result.text).toBe("4");
    expect(seen[0]).toBe("working");
    expect(seen.at(-1)).toBe("completed");
    expect(begun).toHaveLength(1);
    expect((await client.callTool(name, { n: -1 })).isError).toBe(true);
    expect((await client.callTool("plain")).text).toBe("plain");
  },
);

test("on 2026-07-28 a client without the extension waits for an optional task, and gets an error of a required one", async () => {
  const { server } = jobServer();
  await using client = await connect(server.tenon, { revision: "2026-07-28" });
  expect((await client.callTool("optional", { n: 5 })).text).toBe("10");
  await expect(client.callTool("required", { n: 5 })).rejects.toThrow("runs as a task");
});

test("a task of 2026-07-28 is stored as of a session of its own: sessions of 1.x neither list nor read it", async () => {
  const { server, store, begun } = jobServer();
  await using client = await connect(server.tenon, { revision: "2026-07-28", extensions: [tasks()] });
  expect((await client.callTool("required", { n: 2 })).text).toBe("4");
  expect((await client.callTool("required", { n: 3 })).text).toBe("6");
  expect((await store.listTasks(undefined, "a session of 1.x")).tasks).toEqual([]);
  for (const taskId of begun) {
    expect(await store.getTask(taskId)).toMatchObject({ taskId });
    expect(await store.getTask(taskId, "a session of 1.x")).toBeNull();
  }
});

test("a task that its client cancels on 2026-07-28 is cancelled in the owner's store", async () => {
  const { server, store, begun } = jobServer();
  await using client = await connect(server.tenon, { revision: "2026-07-28", extensions: [tasks()] });
  const called = client.callTool(
    "required",
    { n: 0 },
    { onTask: ({ taskId, status }) => status === "working" && void client.task(taskId).cancel() },
  );
  await expect(called).rejects.toThrow("cancelled");
  await expect.poll(async () => (await store.getTask(begun[0]!))?.status).toBe("cancelled");
});

/** A client of 1.x that speaks 2026-07-28 with the server. */
async function newestClient(server: TenonServer, elicit?: () => ElicitResult): Promise<LayerClient> {
  const handle = createFetchHandler(server, { allowedHosts: "any", allowedOrigins: "any" });
  const capabilities = elicit === undefined ? {} : { elicitation: {} };
  const client = new LayerClient({ name: "test", version: "1" }, { newestFirst: true, capabilities });
  if (elicit !== undefined) client.setRequestHandler(ElicitRequestSchema, elicit);
  const fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => handle(new Request(url, init));
  await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch }));
  onTestFinished(() => client.close());
  expect(client.tenon?.protocolVersion).toBe("2026-07-28");
  return client;
}

/** What a stream of a call says: the types of its messages without repetition, and the last one. */
async function streamed(client: LayerClient, name: string, args: object = {}): Promise<{ types: string[]; last: unknown }> {
  const types: string[] = [];
  let last: unknown;
  for await (const message of client.experimental.tasks.callToolStream({ name, arguments: { ...args } })) {
    if (types.at(-1) !== message.type) types.push(message.type);
    last = message;
  }
  return { types, last };
}

test("a stream of a call on 2026-07-28 says when the task begins, its states, and its result", async () => {
  const { server, begun } = jobServer();
  const client = await newestClient(server.tenon);
  expect(client.getServerCapabilities()?.tasks).toEqual({ cancel: {}, requests: { tools: { call: {} } } });
  const { types, last } = await streamed(client, "required", { n: 2 });
  expect(types).toEqual(["taskCreated", "taskStatus", "result"]);
  expect(last).toMatchObject({ type: "result", result: { content: [{ text: "4" }] } });
  expect(begun).toHaveLength(1);
  expect((await streamed(client, "plain")).last).toMatchObject({ type: "result", result: { content: [{ text: "plain" }] } });
  expect(await client.callTool({ name: "required", arguments: { n: 4 } })).toMatchObject({ content: [{ text: "8" }] });
});

test("a stream of a call that the server refuses ends with its error", async () => {
  const server = new TenonServer({ name: "new", version: "1" }, { extensions: [tasks()] });
  server.tool("other", {}, () => "other");
  onTestFinished(() => server.close());
  const client = await newestClient(server);
  const { types, last } = await streamed(client, "none");
  expect(types).toEqual(["error"]);
  expect(last).toMatchObject({ error: { code: -32602 } });
});

test("a program cancels a task of a stream by its id", async () => {
  const { server, store, begun } = jobServer();
  const client = await newestClient(server.tenon);
  let last: unknown;
  for await (const message of client.experimental.tasks.callToolStream({ name: "required", arguments: { n: 0 } })) {
    last = message;
    if (message.type !== "taskCreated") continue;
    const { taskId } = message.task;
    expect(await client.experimental.tasks.cancelTask(taskId)).toMatchObject({ taskId, status: "cancelled" });
    await expect(client.experimental.tasks.getTaskResult(taskId)).rejects.toThrow("cancelled");
  }
  expect(last).toMatchObject({ type: "error", error: { message: expect.stringContaining("was cancelled") } });
  await expect.poll(async () => (await store.getTask(begun[0]!))?.status).toBe("cancelled");
});

test("a task of a Tenon server asks the user of a 1.x client in a stream", async () => {
  const server = new TenonServer({ name: "new", version: "1" }, { extensions: [tasks({ pollInterval: 5 })] });
  server.tool("ask", { task: { support: "required" } }, async (_input, ctx) => {
    const { action } = await ctx.elicit("city", { message: "Which city?", schema: z.object({ city: z.string() }) });
    return action;
  });
  server.tool("fail", { task: { support: "required" } }, (_input, ctx) => ctx.fail("broken"));
  onTestFinished(() => server.close());
  const client = await newestClient(server, () => ({ action: "accept", content: { city: "Rome" } }));
  expect((await streamed(client, "ask")).last).toMatchObject({ type: "result", result: { content: [{ text: "accept" }] } });
  expect((await streamed(client, "fail")).last).toMatchObject({ type: "result", result: { isError: true } });
});

test.each(["a user in extra", "a token alone"])(
  "on 2026-07-28 a task belongs to the user that the owner has found, by %s",
  async (kind) => {
    const { server } = jobServer();
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined } as object);
    await server.connect(transport);
    const open = (name: string | undefined): Promise<TenonClient> =>
      connect(
        {
          url: "http://jobs.example/mcp",
          fetch: (input, init) => {
            const extra = kind === "a token alone" ? {} : { extra: { sub: name } };
            const authInfo = name === undefined ? undefined : { token: `of ${name}`, clientId: "app", scopes: [], ...extra };
            return transport.handleRequest(new Request(input, init), { ...(authInfo && { authInfo }) });
          },
        },
        { revision: "2026-07-28", extensions: [tasks()] },
      );
    await using alice = await open("alice");
    await using again = await open("alice");
    await using bob = await open("bob");
    await using stranger = await open(undefined);
    const task = await new Promise<string>((resolve, reject) => {
      alice.callTool("required", { n: 0 }, { onTask: ({ taskId }) => resolve(taskId) }).catch(reject);
    });
    expect(await again.request("tasks/get", { taskId: task })).toMatchObject({ status: "working" });
    for (const other of [bob, stranger]) {
      await expect(other.request("tasks/get", { taskId: task })).rejects.toThrow("not found");
      await expect(other.request("tasks/cancel", { taskId: task })).rejects.toThrow("not found");
    }
    await again.request("tasks/cancel", { taskId: task });
  },
);
