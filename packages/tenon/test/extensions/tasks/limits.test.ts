/** What tasks may cost a server: how many, how large, how long; and input that is invalid. */
import { describe, expect, it } from "vitest";
import { connect, type JsonObject } from "tenon";
import { MemoryTaskStore } from "tenon/ext/tasks";
import { failureOf } from "../../support/failure-of.ts";
import { closing, describeMatrix } from "../../support/matrix.ts";
import { RawClient, STATELESS_META } from "../../support/raw-client.ts";
import { begin, declaring, describeForms, form, get, idOf, reached, TASKS, taskServer } from "./support.ts";
import { gate } from "../../support/gate.ts";

describeForms("Limits of tasks", ({ connect, stateless, transport }) => {
  it("tasks are limited, for all and for each session or principal; the next call's refusal names the limit [F8]", async () => {
    const { server } = taskServer({ maxTasks: 3, maxTasksPerPrincipal: 2 });
    server.tool("job", { task: true }, () => "");
    const first = await connect(server, declaring());
    const second = await connect(server, declaring());
    await begin(first, "job");
    await begin(first, "job");
    const full = { code: -32603, data: { limit: "maxTasksPerPrincipal", max: 2 } };
    if (transport === "socket") {
      // Both clients have one address, and so one share.
      expect(await failureOf(begin(first, "job"))).toMatchObject(full);
      expect(await failureOf(begin(second, "job"))).toMatchObject(full);
      return;
    }
    // Callers without principal, session and address share one limit.
    if (stateless) await begin(first, "job");
    else {
      expect(await failureOf(begin(first, "job"))).toMatchObject(full);
      await begin(second, "job");
    }
    expect(await failureOf(begin(second, "job"))).toMatchObject({ code: -32603, message: 'Limit "maxTasks" of 3 exceeded' });
  });

  it("a result that is too large is a failure that says so [F8]", async () => {
    const { server } = taskServer({ maxResultSize: 100, store: new MemoryTaskStore({ maxSize: 20_000 }) });
    server.tool("job", { task: true, input: form("size", "number") }, ({ size }) => "x".repeat(Number(size)));
    const client = await connect(server, declaring());
    const small = idOf(await begin(client, "job", { size: 10 }));
    await reached(client, small, "completed");
    const large = await reached(client, idOf(await begin(client, "job", { size: 200 })), "failed");
    expect(large["statusMessage"]).toMatch(/Limit "maxResultSize" of 100 exceeded \(\d+\)/);
  });

  it("what a store cannot keep, and what has no JSON, is a failure of the task [F8 F12]", async () => {
    const { server } = taskServer({ store: new MemoryTaskStore({ maxSize: 5_000 }) });
    const loop: JsonObject = { content: [] };
    loop["_meta"] = { loop };
    server.tool("large", { task: true }, () => "x".repeat(20_000));
    server.tool("loop", { task: true }, () => loop);
    const client = await connect(server, declaring());
    const large = await reached(client, idOf(await begin(client, "large")), "failed");
    expect(large["statusMessage"]).toMatch(/Limit "MemoryTaskStore.maxSize" of 5000 exceeded/);
    const looped = await reached(client, idOf(await begin(client, "loop")), "failed");
    expect(looped["statusMessage"]).toBe('Tool "loop" returned something that has no JSON form');
  });

  it("a malformed result is a failure of the task, and is not kept [K1.8]", async () => {
    const { server } = taskServer();
    server.tool("odd", { task: true }, () => ({ content: [{ type: "text" }] }) as object);
    const client = await connect(server, declaring());
    const odd = await reached(client, idOf(await begin(client, "odd")), "failed");
    expect(odd["statusMessage"]).toBe('Tool "odd" returned a malformed result');
  });

  it("params of the wrong kind are refused by name, and change nothing [requirement O10 requirement H7]", async () => {
    const { server } = taskServer();
    server.tool(
      "job",
      { task: true },
      async (_input, ctx) => (await ctx.elicit("a", { message: "A?", schema: form("x", "string") })).action,
    );
    const client = await connect(server, declaring({ onElicit: () => ({ action: "decline" }) }));
    const taskId = idOf(await begin(client, "job"));
    await reached(client, taskId, "input_required");
    for (const wrong of [undefined, 7, null, {}, [taskId]]) {
      expect((await failureOf(client.request("tasks/get", { taskId: wrong } as never))).code).toBe(-32602);
    }
    const keys = ["__proto__", "constructor", "toString"];
    if (stateless) {
      const inputResponses = JSON.parse(`{${keys.map((key) => `"${key}":{"action":"accept"}`).join()}}`) as JsonObject;
      expect(await client.request("tasks/update", { taskId, inputResponses })).toMatchObject({ resultType: "complete" });
      for (const response of [7, null, "accept", [], { action: 7 }]) {
        expect((await failureOf(client.request("tasks/update", { taskId, inputResponses: { a: response } }))).code).toBe(-32602);
      }
    }
    expect(await get(client, taskId)).toMatchObject({ status: "input_required" });
  });
});

describeMatrix(
  "Streams of tasks",
  ({ connect }) => {
    it("a stream watches so many tasks, and each once [F8 O11]", async () => {
      const { server } = taskServer();
      server.tool("job", { task: true }, () => "");
      const heard: JsonObject[] = [];
      const client = await connect(server, declaring({ onMessage: ({ params }) => void heard.push(params) }));
      const taskId = idOf(await begin(client, "job"));
      const listen = (taskIds: unknown): Promise<JsonObject> =>
        client.request("subscriptions/listen", { notifications: { taskIds } } as JsonObject, { timeout: Infinity });
      for (const wrong of ["all", { 0: taskId }, [7], Array.from({ length: 101 }, String)]) {
        expect((await failureOf(listen(wrong))).message).toBe('"taskIds" must be a list of at most 100 strings');
      }
      listen([taskId, taskId, ...Array.from({ length: 98 }, String)]).catch(() => undefined);
      await expect.poll(() => heard).toHaveLength(2);
      expect(heard[0]).toMatchObject({ notifications: { taskIds: [taskId] } });
      expect(heard[1]).toMatchObject({ taskId, status: "completed", result: { resultType: "complete" } });
    });

    it("a change that clients cannot see is not notified [O11]", async () => {
      const { server } = taskServer();
      const { opened, open } = gate();
      server.tool("job", { task: true }, async (_input, ctx) => {
        await opened;
        for (const step of ["a", "b", "c"]) await ctx.step(step, () => step);
        return "";
      });
      const heard: JsonObject[] = [];
      const client = await connect(server, declaring({ onMessage: ({ params }) => void heard.push(params) }));
      const taskId = idOf(await begin(client, "job"));
      const notifications = { taskIds: [taskId] };
      client.request("subscriptions/listen", { notifications } as JsonObject, { timeout: Infinity }).catch(() => undefined);
      await expect.poll(() => heard).toHaveLength(2);
      open();
      await expect.poll(() => heard.at(-1)).toMatchObject({ status: "completed" });
      expect(heard.slice(1).map(({ status }) => status)).toEqual(["working", "completed"]);
    });
  },
  ["2026-07-28"],
);

describe("Tasks on odd wires", () => {
  it("a client of a revision without tasks gets a result or an error, never a task [requirement O2 requirement O3]", async () => {
    for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18"] as const) {
      const { server } = taskServer();
      server.tool("may", { task: true }, (_input, ctx) => `task: ${ctx.task?.id}`);
      server.tool("must", { task: { support: "required" } }, () => "");
      const client = await closing(connect(server, declaring({ revision })));
      expect(client.serverCapabilities).not.toHaveProperty("tasks");
      expect((await client.callTool("may")).text).toBe("task: undefined");
      const call = client.request("tools/call", { name: "may", task: { ttl: 5 } });
      expect(await call).toMatchObject({ content: [{ text: "task: undefined" }] });
      expect((await failureOf(client.callTool("must"))).code).toBe(-32601);
      for (const method of ["tasks/get", "tasks/list", "tasks/result", "tasks/cancel", "tasks/update"]) {
        expect((await failureOf(client.request(method, { taskId: "x" }))).code).toBe(-32601);
      }
    }
  });

  it("the extension declared for one request is enough, but not for the next [requirement O1 requirement O3]", async () => {
    const { server } = taskServer();
    server.tool("job", { task: true }, () => "done");
    const raw = new RawClient(server);
    const declared = { ...STATELESS_META, "io.modelcontextprotocol/clientCapabilities": { extensions: { [TASKS]: {} } } };
    const [created] = await raw.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "job", _meta: declared } });
    expect(created).toMatchObject({ result: { resultType: "task", status: "working" } });
    const [direct] = await raw.send({
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "job", _meta: STATELESS_META },
    });
    expect(direct).toMatchObject({ result: { resultType: "complete", content: [{ text: "done" }] } });
  });
});
