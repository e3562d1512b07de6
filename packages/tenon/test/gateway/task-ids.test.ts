/** Ids of tasks: no client is shown a task under the id of another one, whatever ids the servers give. */
import { expect, it, onTestFinished } from "vitest";
import { connect, McpServer, type Client, type JsonObject, type ProtocolVersion } from "tenon";
import { tasks } from "tenon/ext/tasks";
import { createGateway } from "tenon/gateway";
import { rawTasks } from "./matrix/upstream.ts";
import { testServer } from "../support/test-server.ts";

/** A server that gives each task the id that its first task had. */
function repeating(name: string, firstId?: string): McpServer {
  const server = testServer({ name, extensions: [tasks({ pollInterval: 10 })], onError: () => undefined });
  let given = firstId;
  let runs = 0;
  server.tool("job", { task: true }, () => `${name} ${++runs}`);
  server.tool("strict", { task: { support: "required" } }, () => `${name} ${++runs}`);
  server.use("tools/call", (next) => async (context) => {
    const made = await next(context);
    const result = made as unknown as JsonObject & { task?: { taskId: string }; taskId?: string };
    const id = result.task?.taskId ?? result.taskId;
    if (id === undefined) return made;
    given ??= id;
    const named =
      result.task === undefined ? { ...result, taskId: given } : { ...result, task: { ...result.task, taskId: given } };
    return named as unknown as typeof made;
  });
  return server;
}

async function clientOf(servers: Record<string, McpServer>, behind: ProtocolVersion, revision: ProtocolVersion): Promise<Client> {
  const entries = Object.entries(servers).map(([name, target]) => [name, { target, revision: behind }] as const);
  const gateway = createGateway({
    readyTimeout: 60_000,
    servers: Object.fromEntries(entries),
    share: "principal",
    onError: () => undefined,
  });
  const client = await connect(gateway, { revision, extensions: [rawTasks] });
  onTestFinished(async () => {
    await client.close();
    await gateway.close();
  });
  return client;
}

async function begin(client: Client, name: string): Promise<string> {
  const { protocolVersion } = client;
  const params = { name, arguments: {}, ...(protocolVersion === "2025-11-25" && { task: {} }) };
  const created = (await client.request("tools/call", params)) as unknown as { taskId?: string; task?: { taskId: string } };
  return created.taskId ?? created.task!.taskId;
}

const PAIRS = [
  ["2026-07-28", "2026-07-28"],
  ["2025-11-25", "2025-11-25"],
  ["2026-07-28", "2025-11-25"],
] as const;

it.each(PAIRS)(
  "a second task with the id of a first one is refused by name, and the first stays: client %s, server %s",
  async (revision, behind) => {
    const client = await clientOf({ up: repeating("up") }, behind, revision);
    const first = await begin(client, "up__job");
    await expect
      .poll(async () => client.request("tasks/get", { taskId: first }), { timeout: 60_000 })
      .toMatchObject({ status: "completed" });
    await expect(begin(client, "up__job")).rejects.toMatchObject({
      code: -32603,
      message: 'Server "up" has given a new task the id of another one. The call may have had its effect',
      data: { server: "up", reason: "duplicate" },
    });
    expect(await client.request("tasks/get", { taskId: first })).toMatchObject({ taskId: first, status: "completed" });
  },
);

it.each(PAIRS)("two servers that give the same id have two tasks: client %s, server %s", async (revision, behind) => {
  const client = await clientOf({ one: repeating("one", "job-1"), two: repeating("two", "job-1") }, behind, revision);
  const ids = [await begin(client, "one__job"), await begin(client, "two__job")];
  expect(new Set(ids).size).toBe(2);
});

it("a caller without tasks does not get the result of another call whose task has the same id", async () => {
  const client = await clientOf({ up: repeating("up") }, "2025-11-25", "2025-06-18");
  expect((await client.callTool("up__strict")).text).toBe("up 1");
  await expect(client.callTool("up__strict")).rejects.toMatchObject({ data: { server: "up", reason: "duplicate" } });
});
