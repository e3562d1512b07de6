/** Task tools of the SDK 1.x: as on the original with a handshake, and as the extension for tasks on 2026-07-28. */
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from "mcp-sdk-v1/experimental/tasks/stores/in-memory.js";
import { Client } from "mcp-sdk-v1/client/index.js";
import { InMemoryTransport } from "mcp-sdk-v1/inMemory.js";
import { connect } from "tenon/client";
import { tasks } from "tenon/ext/tasks";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { McpServer } from "../src/server/mcp.ts";

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

test("on 2026-07-28 a client without the extension waits for an optional task, and gets an error from a required one", async () => {
  const { server } = jobServer();
  await using client = await connect(server.tenon, { revision: "2026-07-28" });
  expect((await client.callTool("optional", { n: 5 })).text).toBe("10");
  await expect(client.callTool("required", { n: 5 })).rejects.toThrow("runs as a task");
});

test("a task of 2026-07-28 is in the owner's store as of a session of its own: sessions of 1.x neither list nor read it", async () => {
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
