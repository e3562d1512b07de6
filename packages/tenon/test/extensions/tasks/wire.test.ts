/** Tasks on the wire, in both forms: the results of a server, to any client, in any order. */
import { describe, expect, it } from "vitest";
import { connect, McpError, type JsonObject } from "tenon";
import type { Fetch } from "tenon/client";
import { tasks } from "tenon/ext/tasks";
import type { Extension } from "tenon/ext";
import { createFetchHandler, ToolError } from "tenon/server";
import { serve } from "../../http/support.ts";
import { failureOf } from "../../support/failure-of.ts";
import { closing, describeMatrix } from "../../support/matrix.ts";
import { begin, declaring, describeForms, form, get, idOf, reached, RELATED, TASKS, taskServer } from "./support.ts";
import { gate } from "../../support/gate.ts";
import { testServer } from "../../support/test-server.ts";

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describeForms("Tasks", ({ connect, stateless }) => {
  it("are declared: in the core where it has them, else as an extension and nowhere else [A6.7 N1 requirement O1]", async () => {
    const { server } = taskServer();
    server.tool("job", { task: true }, () => "done");
    const { serverCapabilities } = await connect(server, declaring());
    const core = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
    expect(serverCapabilities.tasks).toEqual(stateless ? undefined : core);
    expect(serverCapabilities.extensions?.[TASKS]).toEqual(stateless ? {} : undefined);
  });

  it("a request of a type that is not declared is served as usual, and its task is ignored [N1]", async () => {
    const { server } = taskServer();
    server.prompt("letter", {}, () => "Dear Ada");
    server.resource("note://a", {}, () => "Buy milk");
    const client = await connect(server, declaring());
    const task = { ttl: 60_000 };
    expect(await client.request("prompts/get", { name: "letter", task })).toMatchObject({ messages: [{ role: "user" }] });
    expect(await client.request("resources/read", { uri: "note://a", task })).toMatchObject({ contents: [{ text: "Buy milk" }] });
    const plain = testServer();
    plain.tool("job", {}, (_input, ctx) => `task: ${ctx.task?.id}`);
    const other = await connect(plain, declaring());
    const called = await other.request("tools/call", { name: "job", arguments: {}, task });
    expect(called).toMatchObject({ content: [{ text: "task: undefined" }] });
  });

  it("tools say in lists whether they become tasks, where the revision has a place for it [N3]", async () => {
    const { server } = taskServer();
    server.tool("plain", {}, () => "");
    server.tool("may", { task: true }, () => "");
    server.tool("must", { task: { support: "required" } }, () => "");
    const { tools } = await (await connect(server)).listTools();
    const supports = stateless ? [undefined, undefined, undefined] : [undefined, "optional", "required"];
    expect(tools.map(({ execution }) => execution?.taskSupport)).toEqual(supports);
  });

  it("a call becomes a task, found at once, for a set time [N2 N4 N5 requirement O3 requirement O4 requirement O5]", async () => {
    const { server } = taskServer();
    const { opened, open } = gate();
    server.tool("job", { task: { ttl: 60_000, pollInterval: 500 } }, async () => {
      await opened;
      return "done";
    });
    const client = await connect(server, declaring());
    const created = await begin(client, "job");
    const lifetimes = stateless ? { ttlMs: 60_000, pollIntervalMs: 500 } : { ttl: 60_000, pollInterval: 500 };
    const state = {
      taskId: expect.stringMatching(/^[\w-]{22}$/),
      status: "working",
      createdAt: expect.stringMatching(ISO),
      lastUpdatedAt: expect.stringMatching(ISO),
      ...lifetimes,
    };
    expect(created).toEqual({ ...state, ...(stateless && { resultType: "task", _meta: expect.anything() }) });
    expect(await get(client, idOf(created))).toEqual({
      ...state,
      ...(stateless && { resultType: "complete", _meta: expect.anything() }),
    });
    open();
    await reached(client, idOf(created), "completed");
  });

  it("the result is what the call would have returned [N6 N8 requirement O7 O12]", async () => {
    const { server } = taskServer();
    server.tool("job", { task: true, input: form("n", "number"), output: form("twice", "number") }, ({ n }) => ({
      twice: Number(n) * 2,
    }));
    server.tool("fails", { task: true }, () => {
      throw new ToolError("It failed");
    });
    const client = await connect(server, declaring());
    const done = await begin(client, "job", { n: 21 });
    const failed = await begin(client, "fails");
    const whole = { content: [{ type: "text", text: '{"twice":42}' }], structuredContent: { twice: 42 } };
    const broken = { content: [{ type: "text", text: "It failed" }], isError: true };
    if (stateless) {
      expect(await reached(client, idOf(done), "completed")).toMatchObject({ result: { ...whole, resultType: "complete" } });
      const { result } = (await reached(client, idOf(failed), "completed")) as { result: JsonObject };
      expect(result).toEqual({ ...broken, resultType: "complete" });
    } else {
      const relatedTo = (task: JsonObject): JsonObject => ({ _meta: { [RELATED]: { taskId: idOf(task) } } });
      expect(await client.request("tasks/result", { taskId: idOf(done) })).toEqual({ ...whole, ...relatedTo(done) });
      expect(await client.request("tasks/result", { taskId: idOf(failed) })).toEqual({ ...broken, ...relatedTo(failed) });
      expect((await get(client, idOf(failed)))["status"]).toBe("failed");
    }
  });

  it("an error of the protocol is the task's, word for word; one that must not be seen is hidden [N10 O12]", async () => {
    const { server } = taskServer();
    server.tool("refuses", { task: true }, () => {
      throw new McpError(-32602, "No such city", { city: "Atlantis" });
    });
    server.tool("breaks", { task: true }, () => {
      throw new Error("password: 1234");
    });
    const client = await connect(server, declaring());
    const refused = idOf(await begin(client, "refuses"));
    const error = { code: -32602, message: "No such city", data: { city: "Atlantis" } };
    const task = await reached(client, refused, "failed");
    expect(task["statusMessage"]).toBe("No such city");
    if (stateless) expect(task).toMatchObject({ error });
    else expect(await failureOf(client.request("tasks/result", { taskId: refused }))).toMatchObject(error);
    const broken = await reached(client, idOf(await begin(client, "breaks")), stateless ? "completed" : "failed");
    const shown = stateless ? broken : await client.request("tasks/result", { taskId: idOf(broken) });
    expect(JSON.stringify(shown)).toMatch(/Tool \\"breaks\\" failed \(error \w{8}\)/);
    expect(JSON.stringify(shown)).not.toContain("1234");
  });

  it("a client without tasks waits for the result, or gets an error naming the extension [N1 N3 requirement O2]", async () => {
    const { server } = taskServer();
    server.tool("may", { task: true }, (_input, ctx) => `task: ${ctx.task?.id}`);
    server.tool("must", { task: { support: "required" } }, () => "");
    const client = await connect(server);
    expect((await client.callTool("may")).text).toBe("task: undefined");
    const refused = await failureOf(client.callTool("must"));
    if (stateless)
      expect(refused).toMatchObject({
        code: -32021,
        message: expect.stringContaining('Tool "must" runs as a task: the client must declare the extension') as string,
        data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
      });
    else expect(refused).toMatchObject({ code: -32601, message: 'Tool "must" runs as a task only: the call must ask for one' });
  });

  it("a tool without the option task never becomes a task, even if the client requests one [N3 requirement O3]", async () => {
    const { server } = taskServer();
    server.tool("plain", {}, () => "plain");
    const client = await connect(server, declaring());
    const call = client.request("tools/call", { name: "plain", task: { ttl: 1 } });
    if (stateless) expect(await call).toMatchObject({ content: [{ type: "text", text: "plain" }], resultType: "complete" });
    else expect(await failureOf(call)).toMatchObject({ code: -32601, message: 'Tool "plain" does not run as a task' });
  });

  it("cancelling ends the task and aborts its handler; a later result is ignored [N5 N6 requirement O9]", async () => {
    const { server } = taskServer();
    const { opened, open } = gate();
    let aborted: unknown;
    server.tool("job", { task: true }, async (_input, ctx) => {
      ctx.signal.addEventListener("abort", () => (aborted = ctx.signal.reason));
      await opened;
      return "too late";
    });
    const client = await connect(server, declaring());
    const taskId = idOf(await begin(client, "job"));
    const answer = await client.request("tasks/cancel", { taskId });
    if (stateless) expect(answer).toEqual({ resultType: "complete", _meta: expect.anything() });
    else expect(answer).toMatchObject({ taskId, status: "cancelled" });
    expect(aborted).toMatchObject({ message: "The task was cancelled" });
    open();
    expect(await get(client, taskId)).toMatchObject({ status: "cancelled" });
    const again = client.request("tasks/cancel", { taskId });
    if (stateless) expect(await again).toMatchObject({ resultType: "complete" });
    else expect(await failureOf(again)).toMatchObject({ code: -32602, message: "Cannot cancel a task that is cancelled" });
    expect(await get(client, taskId)).toMatchObject({ status: "cancelled" });
  });

  it("an unknown task is -32602 for every method [N10 requirement O10]", async () => {
    const { server } = taskServer();
    server.tool("job", { task: true }, () => "");
    const client = await connect(server, declaring());
    const methods = stateless ? ["tasks/get", "tasks/update", "tasks/cancel"] : ["tasks/get", "tasks/result", "tasks/cancel"];
    for (const method of methods) {
      const failure = await failureOf(client.request(method, { taskId: "none", inputResponses: {} }));
      expect(failure).toMatchObject({ code: -32602, message: "Task not found: none" });
    }
    const long = await failureOf(client.request("tasks/get", { taskId: "x".repeat(5_000) }));
    expect(long.message).toBe(`Task not found: ${"x".repeat(64)}`);
    expect((await failureOf(client.request("tasks/get", {}))).code).toBe(-32602);
  });
});

describeMatrix(
  "The tasks extension",
  ({ connect }) => {
    it("its methods are refused to who did not declare it, and the old ones are not there [requirement O10]", async () => {
      const { server } = taskServer();
      server.tool("job", { task: true }, () => "");
      const client = await connect(server, declaring());
      const { taskId } = (await begin(client, "job")) as { taskId: string };
      for (const method of ["tasks/list", "tasks/result"]) {
        expect((await failureOf(client.request(method, { taskId }))).code).toBe(-32601);
      }
      // It knows the headers, so that what is looked at first is in order.
      const { extensions, ...options } = declaring();
      const silent = (extensions as readonly Extension[]).map((one): Extension => ({ ...one, declare: (had) => had }));
      const other = await connect(server, { ...options, extensions: silent });
      for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
        const refused = await failureOf(other.request(method, { taskId, inputResponses: {} }));
        expect(refused).toMatchObject({ code: -32021, data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } });
      }
    });

    it("questions wait in the task; they are answered in any order, and once [requirement O7 requirement O8]", async () => {
      const { server } = taskServer();
      server.tool("job", { task: true }, async (_input, ctx) => {
        const [name, age] = await Promise.all([
          ctx.elicit("name", { message: "Name?", schema: form("name", "string") }),
          ctx.elicit("age", { message: "Age?", schema: form("age", "number") }),
        ]);
        return `${JSON.stringify(name.content)} ${JSON.stringify(age.content)}`;
      });
      const client = await connect(server, declaring({ onElicit: () => ({ action: "decline" }) }));
      const taskId = idOf(await begin(client, "job"));
      const question = (message: string, name: string, type: string): JsonObject => ({
        method: "elicitation/create",
        params: { mode: "form", message, requestedSchema: form(name, type) },
      });
      const inputRequests = { name: question("Name?", "name", "string"), age: question("Age?", "age", "number") };
      expect(await reached(client, taskId, "input_required")).toMatchObject({ inputRequests });
      const answer = (content: JsonObject): JsonObject => ({ action: "accept", content });
      const update = (inputResponses: unknown): Promise<JsonObject> =>
        client.request("tasks/update", { taskId, inputResponses } as JsonObject);
      expect(await update({ age: answer({ age: 7 }), nobody: answer({}) })).toEqual({
        resultType: "complete",
        _meta: expect.anything(),
      });
      expect(await get(client, taskId)).toMatchObject({ status: "input_required", inputRequests: { name: inputRequests.name } });
      expect((await get(client, taskId))["inputRequests"]).not.toHaveProperty("age");
      await update({ age: answer({ age: 99 }) });
      expect((await failureOf(update({ name: { action: "shrug" } }))).message).toBe(
        'The response to "name" does not fit what was asked',
      );
      expect((await failureOf(update([]))).message).toBe('"inputResponses" must be an object');
      await update({ name: answer({ name: "Ada" }) });
      const { result } = (await reached(client, taskId, "completed")) as { result: JsonObject };
      expect(result).toMatchObject({ content: [{ text: '{"name":"Ada"} {"age":7}' }] });
      expect(await update({ name: answer({ name: "Bob" }) })).toMatchObject({ resultType: "complete" });
    });

    it("what is asked before the task is asked in rounds of the call, and remembered in it [requirement O6]", async () => {
      const { server } = taskServer();
      const { opened, open } = gate();
      const steps: string[] = [];
      server.tool("job", { task: { start: "handler" } }, async (_input, ctx) => {
        const { action } = await ctx.elicit("first", { message: "First?", schema: form("a", "string") });
        const step = await ctx.step("step", () => steps.push("step"));
        if (action !== "accept") return "No task at all";
        await ctx.task?.start();
        const second = await ctx.elicit("second", { message: "Second?", schema: form("b", "string") });
        await opened;
        return `${step} ${second.action} ${ctx.task?.id}`;
      });
      const asked: string[] = [];
      const client = await connect(
        server,
        declaring({
          onElicit: ({ message }) => {
            asked.push(message);
            return { action: "accept", content: { a: "x" } };
          },
        }),
      );
      const taskId = idOf(await begin(client, "job"));
      expect(asked).toEqual(["First?"]);
      await reached(client, taskId, "input_required");
      await client.request("tasks/update", { taskId, inputResponses: { second: { action: "cancel" } } });
      open();
      const { result } = (await reached(client, taskId, "completed")) as { result: JsonObject };
      expect(result).toMatchObject({ content: [{ text: `1 cancel ${taskId}` }] });
      const declining = await connect(server, declaring({ onElicit: () => ({ action: "decline" }) }));
      expect((await declining.callTool("job")).text).toBe("No task at all");
    });
  },
  ["2026-07-28"],
);

describe("Tasks over HTTP", () => {
  const capabilities = { extensions: { [TASKS]: {} } };
  const meta = { _meta: { "io.modelcontextprotocol/clientCapabilities": capabilities } };

  it("Mcp-Name repeats the task's id; another one, or none, is refused before anything else [O13 requirement Z4]", async () => {
    const { server } = taskServer();
    const { opened } = gate();
    server.tool("job", { task: true }, async () => opened);
    const http = await serve(server);
    const created = await http.post("tools/call", { name: "job", ...meta });
    const { taskId } = created.json["result"] as { taskId: string };
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const params = { taskId, inputResponses: {}, ...meta };
      for (const name of [undefined, "other", `${taskId}x`]) {
        const refused = await http.post(method, params, { "mcp-name": name });
        expect(refused).toMatchObject({ status: 400, json: { error: { code: -32020, data: { header: "Mcp-Name" } } } });
      }
      expect(await http.post(method, params, { "mcp-name": taskId })).toMatchObject({
        status: 200,
        json: { result: { resultType: "complete" } },
      });
    }
    // What is not there has no name to be held to.
    expect(await http.post("tasks/result", { taskId, ...meta })).toMatchObject({
      status: 404,
      json: { error: { code: -32601 } },
    });
    const undeclared = await http.post("tasks/get", { taskId }, { "mcp-name": taskId });
    expect(undeclared).toMatchObject({ status: 400, json: { error: { code: -32021 } } });
  });

  it("a client sends it by itself, encoded where it has to be [O13]", async () => {
    const { server } = taskServer();
    const handler = createFetchHandler(server);
    const sent: (string | null)[] = [];
    const fetch: Fetch = (url, init) => {
      const request = new Request(url, init);
      if (request.headers.get("mcp-method")?.startsWith("tasks/")) sent.push(request.headers.get("mcp-name"));
      return handler(request);
    };
    const client = await closing(
      connect({ url: "http://localhost/mcp", fetch }, { revision: "2026-07-28", extensions: [tasks()] }),
    );
    for (const taskId of ["plain-id", "Łódź"]) await failureOf(client.task(taskId).get());
    expect(sent).toEqual(["plain-id", `=?base64?${Buffer.from("Łódź").toString("base64")}?=`]);
  });
});

describe("Tasks", () => {
  it("invalid options throw at once", () => {
    expect(() => taskServer({ ttl: -1 })).toThrow('Option "ttl" must be a number of milliseconds >= 0');
    expect(() => taskServer({ lease: 0 })).toThrow('Option "lease" must be a number of milliseconds > 0');
    expect(() => taskServer({ maxTasks: 0 })).toThrow('Option "maxTasks" must be a number >= 1');
    const { server } = taskServer();
    expect(() => server.tool("job", { task: { ttl: Infinity } }, () => "")).toThrow('"task.ttl" of tool "job" must be');
  });
});
