/**
 * Tasks between the two wire forms: a client of the extension (2026-07-28), and a server that has the tasks of the core
 * (2025-11-25).
 */
import { expect, it, onTestFinished } from "vitest";
import { connect, McpServer, type Client, type ConnectOptions } from "tenon";
import { defineExtension } from "tenon/ext";
import { tasks } from "tenon/ext/tasks";
import { createGateway, type GatewayOptions } from "tenon/gateway";
import { VirtualClock } from "tenon/testing";
import * as z from "zod";

/** Reads tasks as they are on the wire, and waits for none. */
const rawTasks = defineExtension({
  id: "io.modelcontextprotocol/tasks",
  resultTypes: { task: ["tools/call", "tasks/get"] },
  headerNames: { "tasks/get": "taskId", "tasks/cancel": "taskId", "tasks/update": "taskId" },
});

interface Behind {
  readonly runs: string[];
  readonly client: (options?: ConnectOptions) => Promise<Client>;
}

/** A server with the tasks of the core, behind a gateway. */
function behind(options: Partial<GatewayOptions> = {}): Behind {
  const runs: string[] = [];
  const server = new McpServer(
    { name: "reports", version: "1.0.0" },
    { extensions: [tasks({ pollInterval: 10 })], onError: () => undefined },
  );
  server.tool("report", { task: true }, (_input, ctx) => {
    runs.push(ctx.task?.id === undefined ? "call" : "task");
    return "The report";
  });
  server.tool("strict", { task: { support: "required" } }, () => "Strict");
  server.tool("plain", {}, (_input, ctx) => {
    runs.push(ctx.task?.id === undefined ? "call" : "task");
    return "Plain";
  });
  server.tool("broken", { task: true }, (_input, ctx) => ctx.fail("The disk is full"));
  server.tool("booking", { task: true }, async (_input, ctx) => {
    const seat = await ctx.elicit("seat", { message: "Which seat?", schema: z.object({ seat: z.string() }) });
    runs.push(seat.action);
    const meal = await ctx.elicit("meal", { message: "Which meal?", schema: z.object({ meal: z.string() }) });
    return `${seat.content?.seat ?? seat.action} with ${meal.content?.meal ?? meal.action}`;
  });
  server.tool(
    "endless",
    { task: true },
    (_input, ctx) =>
      new Promise((_resolve, reject) =>
        ctx.signal.addEventListener("abort", () => {
          runs.push("cancelled");
          reject(ctx.signal.reason as Error);
        }),
      ),
  );
  const gateway = createGateway({
    readyTimeout: 60_000,
    servers: { up: { target: server, revision: "2025-11-25" } },
    share: "principal",
    onError: () => undefined,
    ...options,
  });
  onTestFinished(async () => {
    await gateway.close();
    await server.close();
  });
  const client = async (given: ConnectOptions = {}): Promise<Client> => {
    const connected = await connect(gateway, { revision: "2026-07-28", extensions: [tasks()], ...given });
    onTestFinished(() => connected.close());
    return connected;
  };
  return { runs, client };
}

async function begin(client: Client, name: string): Promise<string> {
  const { resultType, taskId } = (await client.request("tools/call", { name: `up__${name}`, arguments: {} })) as Record<
    string,
    unknown
  >;
  expect(resultType).toBe("task");
  return taskId as string;
}

it("calls of tools that can be tasks are tasks, and are waited for by the client", async () => {
  const { client, runs } = behind();
  const one = await client();
  const seen: string[] = [];
  expect((await one.callTool("up__report", {}, { onTask: ({ status }) => void seen.push(status) })).text).toBe("The report");
  expect(seen.at(-1)).toBe("completed");
  expect((await one.callTool("up__strict")).text).toBe("Strict");
  expect((await one.callTool("up__plain")).text).toBe("Plain");
  expect(runs).toEqual(["task", "call"]);
});

it("a client without tasks waits for the call", async () => {
  const { client, runs } = behind();
  const one = await client({ extensions: [] });
  expect((await one.callTool("up__report")).text).toBe("The report");
  expect((await one.callTool("up__strict")).text).toBe("Strict");
  expect(runs).toEqual(["call"]);
});

it("questions stand in the state of the task, and are answered with tasks/update, one after the other", async () => {
  const { client } = behind();
  const asked: string[] = [];
  const one = await client({
    onElicit: ({ message }) => {
      asked.push(message);
      return { action: "accept", content: message === "Which seat?" ? { seat: "12A" } : { meal: "soup" } };
    },
  });
  expect((await one.callTool("up__booking")).text).toBe("12A with soup");
  expect(asked).toEqual(["Which seat?", "Which meal?"]);
});

it("an answer that does not fit is refused, and the question stays open", async () => {
  const { client } = behind();
  const one = await client({ extensions: [rawTasks], onElicit: () => ({ action: "decline" }) });
  const taskId = await begin(one, "booking");
  const questions = async (): Promise<Record<string, unknown>> =>
    ((await one.request("tasks/get", { taskId })) as { inputRequests?: Record<string, unknown> }).inputRequests ?? {};
  await expect.poll(async () => Object.keys(await questions()).length).toBe(1);
  const [key] = Object.keys(await questions());
  const answer = (response: unknown): Promise<unknown> =>
    one.request("tasks/update", { taskId, inputResponses: { [key!]: response } });
  await expect(answer({ action: "perhaps" })).rejects.toMatchObject({ code: -32602 });
  expect(Object.keys(await questions())).toEqual([key]);
  await one.request("tasks/update", { taskId, inputResponses: { other: { action: "accept" } } });
  expect(Object.keys(await questions())).toEqual([key]);
  await answer({ action: "accept", content: { seat: "1A" } });
  await expect.poll(async () => Object.keys(await questions()).filter((next) => next !== key).length).toBe(1);
});

it("a tool that fails is completed with a failed result, as the extension has it", async () => {
  const { client } = behind();
  const one = await client({ extensions: [rawTasks] });
  const taskId = await begin(one, "broken");
  const get = (): Promise<Record<string, unknown>> => one.request("tasks/get", { taskId });
  await expect.poll(async () => (await get())["status"]).toBe("completed");
  expect(await get()).toMatchObject({
    taskId,
    ttlMs: 3_600_000,
    result: { isError: true, content: [{ text: "The disk is full" }] },
  });
});

it("is cancelled at its server; one that has ended stays as it is", async () => {
  const { client, runs } = behind();
  const one = await client({ extensions: [rawTasks] });
  const taskId = await begin(one, "endless");
  expect(await one.request("tasks/get", { taskId })).toMatchObject({ taskId, status: "working" });
  await one.request("tasks/cancel", { taskId });
  await expect.poll(() => runs).toEqual(["cancelled"]);
  expect(await one.request("tasks/get", { taskId })).toMatchObject({ status: "cancelled" });
  await one.request("tasks/cancel", { taskId });
  await expect(one.request("tasks/cancel", { taskId: `${taskId}A` })).rejects.toMatchObject({ code: -32602 });
});

it("refuses to follow more tasks than the limit, before anything is called", async () => {
  const { client, runs } = behind({ limits: { maxHeld: 3 * 131_072 } });
  const one = await client({ extensions: [rawTasks] });
  await begin(one, "endless");
  await expect(begin(one, "report")).rejects.toMatchObject({ code: -32603, data: { limit: "maxHeld", reason: "limit" } });
  expect(runs).toEqual([]);
});

it("refuses the questions of a task whose client does not come back", async () => {
  const clock = new VirtualClock();
  const { client, runs } = behind({ clock, requestState: { ttl: 60_000 } });
  const one = await client({ extensions: [rawTasks], onElicit: () => ({ action: "decline" }) });
  const taskId = await begin(one, "booking");
  await expect
    .poll(async () => ((await one.request("tasks/get", { taskId })) as Record<string, unknown>)["inputRequests"])
    .toBeDefined();
  expect(runs).toEqual([]);
  await clock.advance(60_000);
  await expect.poll(() => runs).toEqual(["cancel"]);
});

it("requests about a task count for the quota of its server", async () => {
  const { client } = behind({ quotas: { up: { requests: 3, per: 3_600_000 } } });
  const one = await client({ extensions: [rawTasks] });
  const taskId = await begin(one, "endless");
  for (const method of ["tasks/get", "tasks/cancel"]) await one.request(method, { taskId });
  await expect(one.request("tasks/get", { taskId })).rejects.toMatchObject({
    code: -32603,
    data: { limit: "quotas.requests", server: "up" },
  });
});

it("tasks on a connection of all callers are listed for none of them", async () => {
  const { client } = behind({ share: "all" });
  const [owner, other] = [
    await client({ revision: "2025-11-25", extensions: [] }),
    await client({ revision: "2025-11-25", extensions: [] }),
  ];
  const { task } = (await owner.request("tools/call", { name: "up__endless", arguments: {}, task: {} })) as {
    task: { taskId: string };
  };
  for (const one of [owner, other]) expect(await one.request("tasks/list", {})).toMatchObject({ tasks: [] });
  expect(await owner.request("tasks/get", { taskId: task.taskId })).toMatchObject({ status: "working" });
  await owner.request("tasks/cancel", { taskId: task.taskId });
});

it.each([
  ["2026-07-28", "2025-11-25"],
  ["2025-11-25", "2025-11-25"],
  ["2026-07-28", "2026-07-28"],
] as const)("the result of a task has the URIs that the caller sees: client %s, server %s", async (revision, behindIt) => {
  const [first, server] = ["first", "up"].map(
    (name) => new McpServer({ name, version: "1.0.0" }, { extensions: [tasks({ pollInterval: 10 })] }),
  ) as [McpServer, McpServer];
  for (const one of [first, server]) one.resource("note://a", {}, () => "a");
  const link = { type: "resource_link", name: "note", uri: "note://a" } as const;
  server.tool("link", { task: true }, () => ({ content: [link] }));
  const { client } = behind({ servers: { first, up: { target: server, revision: behindIt } } });
  const one = await client({ revision, extensions: [rawTasks] });
  const params = { name: "up__link", arguments: {}, ...(revision === "2025-11-25" && { task: {} }) };
  const called = (await one.request("tools/call", params)) as { taskId?: string; task?: { taskId: string } };
  const taskId = called.taskId ?? called.task!.taskId;
  const state = (): Promise<Record<string, unknown>> => one.request("tasks/get", { taskId });
  await expect.poll(async () => (await state())["status"], { timeout: 60_000 }).toBe("completed");
  const result = revision === "2025-11-25" ? await one.request("tasks/result", { taskId }) : (await state())["result"];
  expect(result).toMatchObject({ content: [{ ...link, uri: "up+note://a" }] });
});

it("a new task with the id of one that still runs is refused, and the first goes on", async () => {
  const server = new McpServer(
    { name: "odd", version: "1.0.0" },
    { extensions: [tasks({ pollInterval: 10 })], onError: () => undefined },
  );
  let id: string | undefined;
  server.tool(
    "ask",
    { task: true },
    async (_input, ctx) => (await ctx.elicit("go", { message: "Go?", schema: z.object({}) })).action,
  );
  server.use("tools/call", (next) => async (context) => {
    const result = await next(context);
    const task = (result as { task?: { taskId: string } }).task;
    return task === undefined
      ? result
      : ({ ...result, task: { ...task, taskId: (id ??= task.taskId) } } as unknown as typeof result);
  });
  const { client } = behind({ servers: { up: { target: server, revision: "2025-11-25" } } });
  const one = await client({ extensions: [rawTasks], onElicit: () => ({ action: "decline" }) });
  const taskId = await begin(one, "ask");
  const again = one.request("tools/call", { name: "up__ask", arguments: {} });
  await expect(again).rejects.toMatchObject({ code: -32603, data: { server: "up", reason: "duplicate" } });
  const state = (): Promise<Record<string, unknown>> => one.request("tasks/get", { taskId });
  await expect.poll(async () => (await state())["status"], { timeout: 60_000 }).toBe("input_required");
  const [key] = Object.keys((await state())["inputRequests"] as object);
  await one.request("tasks/update", { taskId, inputResponses: { [key!]: { action: "decline" } } });
  await expect.poll(async () => (await state())["status"], { timeout: 60_000 }).toBe("completed");
});
