/** A client listens to a task of a server whose connection is lost: it hears what it missed, and what comes later. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectSocket, createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { connect, type Client, type JsonObject } from "tenon";
import { tasks } from "tenon/ext/tasks";
import { createGateway, type GatewayEntry } from "tenon/gateway";
import { serveHttp } from "tenon/node";
import { rawTasks } from "./matrix/upstream.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

const PATIENT = { timeout: 60_000 };
const MORTAL = fileURLToPath(new URL("./fixtures/mortal-tasks.mjs", import.meta.url));

/** A client of a gateway in front of that server, and the states of tasks that it hears. */
async function clientOf(up: GatewayEntry): Promise<{ client: Client; heard: JsonObject[] }> {
  const gateway = createGateway({ readyTimeout: 60_000, servers: { up }, share: "principal", onError: () => undefined });
  const heard: JsonObject[] = [];
  const client = await connect(gateway, {
    extensions: [rawTasks],
    onMessage: ({ method, params }) => void (method === "notifications/tasks" && heard.push(params)),
  });
  onTestFinished(async () => {
    await client.close();
    await gateway.close();
  });
  return { client, heard };
}

/** Begins a task, and listens to it. */
async function listenTo(client: Client, tool: string): Promise<string> {
  const { taskId } = (await client.request("tools/call", { name: tool, arguments: {} })) as unknown as { taskId: string };
  const acknowledged = new Promise<void>((resolve) => {
    const stop = client.onNotification("notifications/subscriptions/acknowledged", () => {
      stop();
      resolve();
    });
  });
  client.request("subscriptions/listen", { notifications: { taskIds: [taskId] } }, { timeout: Infinity }).catch(() => undefined);
  await acknowledged;
  return taskId;
}

it.each([
  ["stateful", "2025-11-25"],
  ["stateless", "2026-07-28"],
] as const)(
  "a client hears what a %s program has done with its task while it was lost, and what it does later",
  async (family, revision) => {
    const folder = mkdtempSync(join(tmpdir(), "tenon-tasks-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "state.json");
    writeFileSync(file, JSON.stringify({ status: "working" }));
    const { client, heard } = await clientOf({ target: { command: process.execPath, args: [MORTAL, family, file] }, revision });
    const taskId = await listenTo(client, "up__work");
    await expect.poll(() => heard, PATIENT).toMatchObject([{ taskId, status: "working" }]);
    writeFileSync(file, JSON.stringify({ status: "working", statusMessage: "half" }));
    await expect(client.callTool("up__die")).rejects.toMatchObject({ code: expect.any(Number) as number });
    await expect.poll(() => heard.at(-1), PATIENT).toMatchObject({ taskId, status: "working", statusMessage: "half" });
    await client.callTool("up__finish");
    await expect
      .poll(() => heard.at(-1), PATIENT)
      .toMatchObject({ taskId, status: "completed", result: { content: [{ text: "done" }] } });
  },
);

/** Passes connections on, until they are cut. */
async function proxyOf(url: string): Promise<{ url: string; cut: () => void }> {
  const { hostname, port, pathname } = new URL(url);
  const sockets = new Set<Socket>();
  const proxy = createServer((socket) => {
    const behind = connectSocket(Number(port), hostname);
    for (const one of [socket, behind]) {
      sockets.add(one);
      one.on("error", () => undefined).on("close", () => sockets.delete(one));
    }
    socket.pipe(behind).pipe(socket);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const cut = (): void => sockets.forEach((socket) => void socket.destroy());
  onTestFinished(() => {
    cut();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${pathname}`, cut };
}

it("a stream of task states that a broken network has cut is opened again, and the outcome is heard", async () => {
  const server = testServer({ name: "jobs", extensions: [tasks({ pollInterval: 10 })], onError: () => undefined });
  const { opened: done, open: finish } = gate();
  let opened = 0;
  server.tool("wait", { task: true }, async () => {
    await done;
    return "done";
  });
  server.use("subscriptions/listen", (next) => (context) => {
    if (JSON.stringify(context.params).includes("taskIds")) opened++;
    return next(context);
  });
  const http = await serveHttp(server, { port: 0 });
  onTestFinished(() => http.close());
  const proxy = await proxyOf(http.url);
  const { client, heard } = await clientOf({ url: proxy.url, revision: "2026-07-28" });
  const taskId = await listenTo(client, "up__wait");
  await expect.poll(() => opened, PATIENT).toBe(1);
  proxy.cut();
  await expect.poll(() => opened, PATIENT).toBe(2);
  finish();
  await expect
    .poll(() => heard.at(-1), PATIENT)
    .toMatchObject({ taskId, status: "completed", result: { content: [{ text: "done" }] } });
});
