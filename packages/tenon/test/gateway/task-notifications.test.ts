/** States of tasks that a server announces: what reaches the client of a gateway, in the form of its revision. */
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, McpServer, type Client, type ConnectOptions, type JsonObject } from "tenon";
import { tasks } from "tenon/ext/tasks";
import { createGateway } from "tenon/gateway";
import { serveHttp } from "tenon/node";
import * as z from "zod";
import { result, scriptedServer } from "../support/scripted-server.ts";
import { rawTasks } from "./matrix/upstream.ts";
import { testServer } from "../support/test-server.ts";

const PATIENT = { timeout: 60_000 };

interface Heard {
  readonly method: string;
  readonly params: JsonObject;
}

interface Behind {
  /** How many `subscriptions/listen` requests the server has, and how many had ended. */
  readonly streams: { opened: number; ended: number };
  readonly client: (heard: Heard[], options?: ConnectOptions) => Promise<Client>;
}

function serverOfTasks(): McpServer {
  const server = testServer({ name: "jobs", extensions: [tasks({ pollInterval: 10 })], onError: () => undefined });
  server.tool("booking", { task: true }, async (_input, ctx) => {
    const seat = await ctx.elicit("seat", { message: "Which seat?", schema: z.object({ seat: z.string() }) });
    return `Seat ${seat.content?.seat ?? seat.action}`;
  });
  server.tool(
    "endless",
    { task: true },
    (_input, ctx) =>
      new Promise((_resolve, reject) => ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason as Error))),
  );
  return server;
}

/** A server of that revision with tasks, behind a gateway, over HTTP on both sides. */
async function behind(revision: "2025-11-25" | "2026-07-28"): Promise<Behind> {
  const streams = { opened: 0, ended: 0 };
  const server = serverOfTasks();
  server.use("subscriptions/listen", (next) => async (context) => {
    if (!JSON.stringify(context.params).includes("taskIds")) return next(context);
    streams.opened++;
    try {
      return await next(context);
    } finally {
      streams.ended++;
    }
  });
  const up = await serveHttp(server, { port: 0 });
  const gateway = createGateway({
    readyTimeout: 60_000,
    servers: { up: { url: up.url, revision } },
    share: "principal",
    onError: () => undefined,
  });
  const http = await serveHttp(gateway, { port: 0 });
  onTestFinished(async () => {
    await http.close();
    await gateway.close();
    await up.close();
  });
  const client: Behind["client"] = async (heard, options) => {
    const onMessage = ({ method, params }: Heard): void => void (method.includes("tasks") && heard.push({ method, params }));
    const connected = await connect({ url: http.url }, { onMessage, extensions: [rawTasks], ...options });
    onTestFinished(() => connected.close());
    return connected;
  };
  return { streams, client };
}

async function begin(client: Client, name: string): Promise<string> {
  return ((await client.request("tools/call", { name: `up__${name}`, arguments: {} })) as unknown as { taskId: string }).taskId;
}

/** Opens a stream of tasks. Resolves with what it is acknowledged with, and a function that ends it. */
async function listen(client: Client, taskIds: readonly string[]): Promise<{ honoured: unknown; end: () => void }> {
  const abort = new AbortController();
  const acknowledged = new Promise<JsonObject>((resolve) => {
    const stop = client.onNotification("notifications/subscriptions/acknowledged", (params) => {
      stop();
      resolve(params as JsonObject);
    });
  });
  client
    .request("subscriptions/listen", { notifications: { taskIds } }, { signal: abort.signal, timeout: Infinity })
    .catch(() => undefined);
  const { notifications } = (await acknowledged) as { notifications: { taskIds?: unknown } };
  return { honoured: notifications.taskIds, end: () => abort.abort() };
}

describe.each(["2025-11-25", "2026-07-28"] as const)("a client of 2026-07-28 and a server of %s", (revision) => {
  it("a stream has the states of a task, with its questions and its result, under the id that the client knows", async () => {
    const { client } = await behind(revision);
    const heard: Heard[] = [];
    const one = await client(heard, { onElicit: () => ({ action: "decline" }) });
    const taskId = await begin(one, "booking");
    const { honoured } = await listen(one, [taskId, "made-up"]);
    expect(honoured).toEqual([taskId]);
    const latest = (): JsonObject => heard.findLast(({ method }) => method === "notifications/tasks")?.params ?? {};
    await expect.poll(latest, PATIENT).toMatchObject({ taskId, status: "input_required" });
    const [key] = Object.keys(latest()["inputRequests"] as JsonObject);
    await one.request("tasks/update", { taskId, inputResponses: { [key!]: { action: "accept", content: { seat: "12A" } } } });
    await expect
      .poll(latest, PATIENT)
      .toMatchObject({ taskId, status: "completed", result: { content: [{ text: "Seat 12A" }] } });
    for (const { params } of heard) if (params["taskId"] !== undefined) expect(params["taskId"]).toBe(taskId);
  });

  it("a stream that the client ends is ended at the server, and a cancelled task is announced as that", async () => {
    const { client, streams } = await behind(revision);
    const heard: Heard[] = [];
    const one = await client(heard);
    const taskId = await begin(one, "endless");
    const { end } = await listen(one, [taskId]);
    await one.request("tasks/cancel", { taskId });
    await expect.poll(() => heard.at(-1)?.params, PATIENT).toMatchObject({ taskId, status: "cancelled" });
    end();
    const opened = revision === "2026-07-28" ? 1 : 0;
    await expect.poll(() => streams, PATIENT).toEqual({ opened, ended: opened });
  });

  it("a stream of many tasks is one stream at the server, which ends with it, and each task is announced", async () => {
    const { client, streams } = await behind(revision);
    const heard: Heard[] = [];
    const one = await client(heard);
    const taskIds = await Promise.all(Array.from({ length: 15 }, () => begin(one, "endless")));
    const { honoured, end } = await listen(one, taskIds);
    expect(honoured).toEqual(taskIds);
    for (const taskId of taskIds) await one.request("tasks/cancel", { taskId });
    const cancelled = (): unknown[] =>
      heard.flatMap(({ params }) => (params["status"] === "cancelled" ? [params["taskId"]] : []));
    await expect.poll(() => cancelled().toSorted(), PATIENT).toEqual(taskIds.toSorted());
    end();
    const opened = revision === "2026-07-28" ? 1 : 0;
    await expect.poll(() => streams, PATIENT).toEqual({ opened, ended: opened });
  });

  it("refuses a list of other things than ids, and honours none for a client that does not have the extension", async () => {
    const { client } = await behind(revision);
    const one = await client([]);
    const wrong = one.request("subscriptions/listen", { notifications: { taskIds: [7] } } as JsonObject);
    await expect(wrong).rejects.toMatchObject({ code: -32602, message: '"taskIds" must be a list of at most 100 strings' });
    const taskId = await begin(one, "endless");
    const other = await client([], { extensions: [] });
    expect((await listen(other, [taskId])).honoured).toEqual([]);
  });
});

it("a client of 2025-11-25 hears of the states that a server of 2025-11-25 announces", async () => {
  const server = serverOfTasks();
  const gateway = createGateway({
    readyTimeout: 60_000,
    servers: { up: { target: server, revision: "2025-11-25" } },
    onError: () => undefined,
  });
  onTestFinished(() => gateway.close());
  const heard: JsonObject[] = [];
  const client = await connect(gateway, {
    revision: "2025-11-25",
    extensions: [tasks({ pollInterval: 10 })],
    onElicit: () => ({ action: "accept", content: { seat: "12A" } }),
    onMessage: ({ method, params }) => void (method === "notifications/tasks/status" && heard.push(params)),
  });
  onTestFinished(() => client.close());
  expect((await client.callTool("up__booking")).text).toBe("Seat 12A");
  await expect.poll(() => heard.map(({ status }) => status), PATIENT).toContain("completed");
  const { tasks: listed } = await client.request("tasks/list", {});
  expect(listed).toHaveLength(1);
  for (const { taskId } of heard) expect(taskId).toBe(listed[0]?.taskId);
});

it("states that a server announces faster than they are sent cost a session each task's newest, up to 1000", async () => {
  const initialize = {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {}, tasks: {} },
    serverInfo: { name: "flood", version: "1" },
  };
  const target = scriptedServer({ initialize: result(initialize), "tools/list": result({ tools: [] }) });
  const gateway = createGateway({
    readyTimeout: 60_000,
    servers: { up: { target, revision: "2025-11-25" } },
    onError: () => undefined,
  });
  onTestFinished(() => gateway.close());
  const heard: JsonObject[] = [];
  const client = await connect(gateway, {
    revision: "2025-11-25",
    extensions: [tasks()],
    onMessage: ({ method, params }) => void (method === "notifications/tasks/status" && heard.push(params)),
  });
  onTestFinished(() => client.close());
  await client.listTools();
  const announce = (taskId: string, statusMessage: string): void => {
    const at = "2026-01-01T00:00:00Z";
    const params = { taskId, status: "working", statusMessage, ttl: 60_000, createdAt: at, lastUpdatedAt: at };
    target.push({ jsonrpc: "2.0", method: "notifications/tasks/status", params });
  };
  for (let state = 1; state <= 5_000; state++) announce("one", `${state}`);
  await expect.poll(() => heard.at(-1), PATIENT).toMatchObject({ statusMessage: "5000" });
  expect(heard.length).toBeLessThan(5_000);
  expect(new Set(heard.map(({ taskId }) => taskId)).size).toBe(1);
  const before = heard.length;
  for (let task = 1; task <= 5_000; task++) announce(`invented ${task}`, "");
  announce("one", "last");
  await client.listTools();
  await expect.poll(() => heard.length, PATIENT).toBeGreaterThan(before);
  announce("one", "after");
  await expect.poll(() => heard.at(-1), PATIENT).toMatchObject({ statusMessage: "after" });
  expect(heard.length - before).toBeLessThan(5_000);
});
