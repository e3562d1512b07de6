/** Tasks in both wire forms, and extensions that a gateway does not know: what passes it, and for whom. */
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, McpServer, type Client, type ConnectOptions, type ProtocolVersion } from "tenon";
import { defineExtension } from "tenon/ext";
import { tasks } from "tenon/ext/tasks";
import type { Gateway } from "tenon/gateway";
import { createFetchHandler } from "tenon/server";
import { serveHttp } from "tenon/node";
import { REVISIONS } from "../support/matrix.ts";
import { byName, clientOf, gatewayOf } from "./support.ts";
import { testServer } from "../support/test-server.ts";

/** The revisions that have tasks, each in its own form. */
const FORMS = ["2025-11-25", "2026-07-28"] as const;

/** Reads tasks as they are on the wire, and waits for none. */
const rawTasks = defineExtension({
  id: "io.modelcontextprotocol/tasks",
  resultTypes: { task: ["tools/call", "tasks/get"] },
  headerNames: { "tasks/get": "taskId", "tasks/cancel": "taskId" },
});

/** A client of that name, over HTTP. */
async function namedClient(gateway: Gateway, name: string, options: ConnectOptions): Promise<Client> {
  const handler = createFetchHandler(gateway, { auth: byName });
  const send = (url: string, init?: RequestInit): Promise<Response> => handler(new Request(url, init));
  const client = await connect(
    { url: "http://localhost/mcp", headers: { authorization: name }, fetch: send as typeof fetch },
    options,
  );
  onTestFinished(async () => {
    await client.close();
    await handler.close();
  });
  return client;
}

/** A server whose report is a task, and the ids that it was asked about. */
function reporter(support?: "required"): { server: McpServer; asked: unknown[] } {
  const asked: unknown[] = [];
  const server = testServer({ name: "reports", extensions: [tasks()] });
  server.tool("report", { task: support === undefined ? true : { support } }, () => "The report");
  server.tool(
    "endless",
    { task: true },
    (_input, ctx) => new Promise((_resolve, reject) => ctx.signal.addEventListener("abort", reject)),
  );
  for (const method of ["tasks/get", "tasks/result", "tasks/cancel"])
    server.use(method, (next) => (context) => {
      asked.push(context.params["taskId"]);
      return next(context);
    });
  onTestFinished(() => server.close());
  return { server, asked };
}

/** Begins a task by hand, in the form of the revision. */
async function begin(client: Client, revision: ProtocolVersion, name: string): Promise<string> {
  const params = { name, arguments: {}, ...(revision === "2025-11-25" && { task: {} }) };
  const result = await client.request("tools/call", params);
  const { taskId } = (result["task"] ?? result) as { taskId: string };
  return taskId;
}

describe.each(FORMS)("Tasks on %s", (revision) => {
  const declared: ConnectOptions = revision === "2026-07-28" ? { extensions: [rawTasks] } : {};

  it("are waited for, under ids of the gateway in front and of the server behind", async () => {
    const { server, asked } = reporter();
    const client = await clientOf(gatewayOf({ servers: { up: { target: server, revision } } }), {
      revision,
      extensions: [tasks()],
    });
    expect((await client.callTool("up__report")).text).toBe("The report");
    expect(asked.length).toBeGreaterThan(0);
    for (const id of asked) expect(id).not.toMatch(/^task\./);
  });

  it("pass over HTTP on both sides, whose headers name them", async () => {
    const { server } = reporter();
    const http = await serveHttp(server, { port: 0 });
    onTestFinished(() => http.close());
    const gateway = gatewayOf({ servers: { up: { url: http.url, revision } } });
    const client = await namedClient(gateway, "ada", { revision, extensions: [tasks()] });
    expect((await client.callTool("up__report")).text).toBe("The report");
  });

  it("are cancelled at their server", async () => {
    const { server } = reporter();
    const client = await clientOf(gatewayOf({ servers: { up: { target: server, revision } } }), { revision, ...declared });
    const taskId = await begin(client, revision, "up__endless");
    await client.request("tasks/cancel", { taskId });
    expect(await client.request("tasks/get", { taskId })).toMatchObject({ taskId, status: "cancelled" });
  });

  it("are for their caller only, and their ids cannot be made up", async () => {
    const { server, asked } = reporter();
    const gateway = gatewayOf({ servers: { up: { target: server, revision } } });
    const ada = await namedClient(gateway, "ada", { revision, ...declared });
    const bob = await namedClient(gateway, "bob", { revision, ...declared });
    const taskId = await begin(ada, revision, "up__report");
    expect(await ada.request("tasks/get", { taskId })).toMatchObject({ taskId });
    const before = asked.length;
    const refusal = { code: -32602, message: "Unknown task" };
    await expect(bob.request("tasks/get", { taskId })).rejects.toMatchObject(refusal);
    for (const wrong of [`${taskId}A`, `task.${btoa('["up","x"]')}.AAAA`, String(asked[0]), "task", ""])
      await expect(ada.request("tasks/get", { taskId: wrong })).rejects.toMatchObject(refusal);
    expect(asked.length).toBe(before);
  });
});

it("finds a task by another gateway with the same keys", async () => {
  const servers = { up: { target: reporter().server, revision: "2026-07-28" as const } };
  const gateways = [1, 2].map(() => gatewayOf({ servers, requestState: { keys: ["k".repeat(32)] } }));
  const options: ConnectOptions = { revision: "2026-07-28", extensions: [rawTasks] };
  const [first, second] = await Promise.all(gateways.map((gateway) => namedClient(gateway, "ada", options)));
  const taskId = await begin(first!, "2026-07-28", "up__report");
  expect(await second!.request("tasks/get", { taskId })).toMatchObject({ taskId });
});

it("lists the tasks of all servers, page by page", async () => {
  const servers = Object.fromEntries(
    ["a", "b"].map((name) => [name, { target: reporter().server, revision: "2025-11-25" as const }]),
  );
  const client = await clientOf(gatewayOf({ servers }), { revision: "2025-11-25" });
  const ids = [await begin(client, "2025-11-25", "a__report"), await begin(client, "2025-11-25", "b__report")];
  const found: string[] = [];
  for (let cursor: unknown, at = 0; at < 5; at++) {
    const page = await client.request("tasks/list", cursor === undefined ? {} : { cursor });
    found.push(...(page["tasks"] as { taskId: string }[]).map(({ taskId }) => taskId));
    cursor = page["nextCursor"];
    if (cursor === undefined) break;
  }
  expect(found.toSorted()).toEqual(ids.toSorted());
  await expect(client.request("tasks/list", { cursor: "bad" })).rejects.toMatchObject({ code: -32602 });
});

it.each(REVISIONS)("waits for a tool that runs as a task only, for a client of %s without tasks", async (revision) => {
  const { server, asked } = reporter("required");
  const client = await clientOf(gatewayOf({ servers: { up: { target: server, revision: "2025-11-25" } } }), { revision });
  expect((await client.callTool("up__report")).text).toBe("The report");
  expect(asked.length).toBe(1);
});

const greeting = defineExtension({
  id: "com.example/greeting",
  settings: { tone: "kind" },
  methods: [{ method: "greeting/say", kind: "request", sender: "client" }],
  server: () => ({
    handlers: {
      "greeting/say": ({ params, client }) => ({
        text: `Hello ${String(params["to"])}`,
        settings: client.capabilities.extensions,
      }),
    },
  }),
});

function greeter(): McpServer {
  return testServer({ name: "greeter", extensions: [greeting] });
}

describe.each(["2025-11-25", "2026-07-28"] as const)("An extension that the gateway does not know, clients of %s", (front) => {
  describe.each(["2025-11-25", "2026-07-28"] as const)("servers of %s", (behind) => {
    it("passes with its settings, params and results", async () => {
      const gateway = gatewayOf({ servers: { up: { target: greeter(), revision: behind } } });
      const client = await clientOf(gateway, { revision: front, extensions: [greeting] });
      expect(client.serverCapabilities.extensions).toEqual({ "com.example/greeting": { tone: "kind" } });
      expect(await client.request("greeting/say", { to: "Ada" })).toMatchObject({
        text: "Hello Ada",
        settings: { "com.example/greeting": { tone: "kind" } },
      });
    });

    it("is refused by name if several servers could be meant, or a policy cannot decide", async () => {
      const up = { target: greeter(), revision: behind };
      for (const options of [{ servers: { up, other: greeter() } }, { servers: { up }, policy: () => true }]) {
        const client = await clientOf(gatewayOf(options), { revision: front, extensions: [greeting] });
        await expect(client.request("greeting/say", { to: "Ada" })).rejects.toMatchObject({ code: -32601 });
      }
    });
  });
});
