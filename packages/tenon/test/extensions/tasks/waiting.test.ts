/** How a client waits: how often it looks, what it survives, and what it does not believe. */
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, ConnectionClosedError, type Client, type ConnectOptions, type JsonObject } from "tenon";
import type { Fetch } from "tenon/client";
import { tasks } from "tenon/ext/tasks";
import { createFetchHandler } from "tenon/server";
import { VirtualClock } from "tenon/testing";
import { failureOf } from "../../support/failure-of.ts";
import { closing, describeMatrix } from "../../support/matrix.ts";
import { failure, result, scriptedServer, type Reply } from "../../support/scripted-server.ts";
import type { ScriptedTransport } from "../../support/scripted-transport.ts";
import { turn } from "../../support/virtual-clock.ts";
import { form, TASKS, taskServer } from "./support.ts";
import { gate } from "../../support/gate.ts";
import { testServer } from "../../support/test-server.ts";

const TIMES = { createdAt: "2026-01-01T00:00:00.000Z", lastUpdatedAt: "2026-01-01T00:00:00.000Z" };
const state = (rest: JsonObject = {}): JsonObject => ({ taskId: "t", status: "working", ...TIMES, ttlMs: null, ...rest });
const FORM = { method: "elicitation/create", params: { mode: "form", message: "A?", requestedSchema: form("x", "string") } };
const done = state({ status: "completed", result: { content: [{ type: "text", text: "done" }] } });

/** A client of a stateless server that has these answers. */
async function scripted(
  replies: { [method: string]: Reply },
  options: ConnectOptions = {},
): Promise<{ client: Client; server: ScriptedTransport }> {
  const server = scriptedServer({
    "server/discover": result({
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: "private",
    }),
    "tools/call": result({ resultType: "task", ...state() }),
    "subscriptions/listen": failure(-32601),
    ...replies,
  });
  const client = await connect(server, { revision: "2026-07-28", extensions: [tasks()], validateOutput: false, ...options });
  onTestFinished(() => client.close());
  return { client, server };
}

const looks = (server: ScriptedTransport): number => server.sent.filter(({ method }) => method === "tasks/get").length;

describe("How often a client looks", () => {
  it.each([
    ["as often as the server says", 2_000, 2_000],
    ["every second where it does not", undefined, 1_000],
    ["not without pause, whatever it says", 0, 100],
    ["not never, whatever it says", 1e12, 60_000],
    ["not at all wrong, whatever it says", -5, 100],
  ])("%s [O11 N6]", async (_title, pollIntervalMs, every) => {
    const clock = new VirtualClock();
    const hint = pollIntervalMs === undefined ? {} : { pollIntervalMs };
    const replies = {
      "tools/call": result({ resultType: "task", ...state(hint) }),
      "tasks/get": result({ resultType: "complete", ...state(hint) }),
    };
    const { client, server } = await scripted(replies, { clock, timeout: Infinity });
    client.callTool("job").catch(() => undefined);
    await turn();
    for (let times = 1; times <= 5; times++) {
      await clock.advance(every - 1);
      expect(looks(server)).toBe(times - 1);
      await clock.advance(1);
      expect(looks(server)).toBe(times);
    }
  });

  it("what the server tells by itself ends the wait at once [O11]", async () => {
    const clock = new VirtualClock();
    const { client, server } = await scripted(
      { "subscriptions/listen": () => undefined, "tasks/get": failure(-32603) },
      { clock, timeout: Infinity },
    );
    const call = client.callTool("job");
    await turn();
    expect(server.sent.find(({ method }) => method === "subscriptions/listen")).toMatchObject({
      params: { notifications: { taskIds: ["t"] } },
    });
    server.push({ jsonrpc: "2.0", method: "notifications/tasks", params: done });
    expect((await call).text).toBe("done");
    expect(looks(server)).toBe(0);
    await turn();
    // The stream is let go of.
    expect(server.sent.at(-1)).toMatchObject({ method: "notifications/cancelled" });
  });

  it("an answer that the server has taken ends the wait at once [O11]", async () => {
    const clock = new VirtualClock();
    const inputRequests = { a: FORM };
    const { client } = await scripted(
      {
        "tools/call": result({
          resultType: "task",
          ...state({ status: "input_required", inputRequests, pollIntervalMs: 60_000 }),
        }),
        "tasks/update": result({ resultType: "complete" }),
        "tasks/get": result({ resultType: "complete", ...done }),
      },
      { clock, timeout: Infinity, onElicit: () => ({ action: "decline" }) },
    );
    expect((await client.callTool("job")).text).toBe("done");
    expect(clock.now()).toBe(0);
  });

  it("what it tells of other tasks, or nothing that can be read, changes nothing [O11]", async () => {
    const clock = new VirtualClock();
    const errors: Error[] = [];
    const { client, server } = await scripted(
      { "tasks/get": result({ resultType: "complete", ...done }) },
      { clock, timeout: Infinity, onError: (error) => void errors.push(error) },
    );
    const call = client.callTool("job");
    await turn();
    for (const params of [{ ...done, taskId: "other" }, { taskId: "t", status: "paused" }, { ...done, result: 7 }, {}]) {
      server.push({ jsonrpc: "2.0", method: "notifications/tasks", params });
    }
    await turn();
    expect(errors.map(({ message }) => message)).toContain('The state of task "t" has an unknown status');
    expect((await call).text).toBe("done");
  });
});

describe("What a client does not believe", () => {
  it("a call of something else becomes a task; it takes states that say so [requirement O3 requirement Z7 A2.3]", async () => {
    const { client } = await scripted({
      "prompts/get": result({ resultType: "task", ...state() }),
      "tasks/get": result({ resultType: "task", ...done }),
    });
    await expect(client.getPrompt("p")).rejects.toThrow('resultType "task" is not one this request can have');
    expect((await client.callTool("job")).text).toBe("done");
  });

  it.each([
    ["a task without an id", { "tools/call": result({ resultType: "task", ...state({ taskId: 7 }) }) }, "is another task's"],
    ["a state of another task", { "tasks/get": result(state({ taskId: "u" })) }, "is another task's"],
    ["an end without a result", { "tasks/get": result(state({ status: "completed" })) }, "is completed without a result"],
    [
      "an invalid question",
      { "tasks/get": result(state({ status: "input_required", inputRequests: { a: {} } })) },
      "Malformed result",
    ],
  ])("%s [requirement O7]", async (_title, replies, message) => {
    const clock = new VirtualClock();
    const { client } = await scripted(replies, { clock, timeout: Infinity });
    const call = client.callTool("job");
    call.catch(() => undefined);
    await turn();
    await clock.advance(1_000);
    await expect(call).rejects.toThrow(message);
  });

  it("a question it has answered already, however often it is asked [requirement O8]", async () => {
    const clock = new VirtualClock();
    const inputRequests = {
      a: { method: "elicitation/create", params: { mode: "form", message: "A?", requestedSchema: form("x", "string") } },
    };
    const asked: string[] = [];
    const { client, server } = await scripted(
      {
        "tasks/get": result(state({ status: "input_required", inputRequests })),
        "tasks/update": result({ resultType: "complete" }),
      },
      { clock, timeout: Infinity, onElicit: ({ message }) => (asked.push(message), { action: "decline" }) },
    );
    client.callTool("job").catch(() => undefined);
    await turn();
    await clock.advance(1_000);
    await expect.poll(() => asked).toEqual(["A?"]); // what answers is loaded with the first question
    for (let looks = 0; looks < 5; looks++) {
      await turn();
      await clock.advance(1_000);
    }
    expect(asked).toEqual(["A?"]);
    expect(server.sent.filter(({ method }) => method === "tasks/update")).toMatchObject([
      { params: { taskId: "t", inputResponses: { a: { action: "decline" } } } },
    ]);
  });

  it("a question that the task no longer asks: its callback aborts with that reason, none is sent [requirement O8]", async () => {
    const clock = new VirtualClock();
    const reasons: unknown[] = [];
    const asking = (key: string): JsonObject => state({ status: "input_required", inputRequests: { [key]: FORM } });
    const { client, server } = await scripted(
      {
        "tools/call": result({ resultType: "task", ...asking("a") }),
        "tasks/get": result({ resultType: "complete", ...asking("b") }),
      },
      {
        clock,
        timeout: Infinity,
        onElicit: async (_params, { signal }) => {
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          reasons.push(signal.reason);
          return { action: "decline" };
        },
      },
    );
    client.callTool("job").catch(() => undefined);
    await expect
      .poll(() => clock.advance(1_000).then(() => reasons))
      .toMatchObject([{ code: -32600, message: "The task no longer asks" }]);
    expect(server.sent.filter(({ method }) => method === "tasks/update")).toEqual([]);
  });

  describe.each([
    ["in one state", (looks: number) => (looks === 1 ? 5_000 : 0), {}, { limit: "limits.maxInFlight", max: 256, actual: 5_000 }],
    ["in one state, by the option", () => 4, { limits: { maxInFlight: 3 } }, { limit: "limits.maxInFlight", max: 3, actual: 4 }],
    ["in one state after the other", () => 100, {}, { limit: "questions", max: 1_000, actual: 1_100 }],
  ])("more questions than it answers, %s", (_title, count, limits, data) => {
    it("a task of too many questions is cancelled, none asked; the error names the limit [rule R5 requirement O14]", async () => {
      const clock = new VirtualClock();
      let polls = 0;
      let asked = 0;
      const question = {
        method: "elicitation/create",
        params: { mode: "form", message: "?", requestedSchema: form("x", "string") },
      };
      const ask = (): JsonObject => {
        polls++;
        return Object.fromEntries(Array.from({ length: count(polls) }, (_, index) => [`${polls}-${index}`, question]));
      };
      const { client, server } = await scripted(
        {
          "tasks/get": (...asked) => result(state({ status: "input_required", inputRequests: ask() }))(...asked),
          "tasks/update": result({ resultType: "complete" }),
          "tasks/cancel": result({ resultType: "complete" }),
        },
        { clock, timeout: Infinity, onElicit: () => (asked++, { action: "decline" }), ...limits },
      );
      const outcome = client.callTool("job").catch((error: unknown) => error);
      let failure: unknown;
      void outcome.then((error) => (failure = error));
      await expect
        .poll(() => clock.advance(1_000).then(() => failure))
        .toMatchObject({ name: "InputRequiredError", cause: { data } });
      expect(asked).toBe(data.limit === "questions" ? 1_000 : 0);
      expect(server.sent.at(-1)).toMatchObject({ method: "tasks/cancel", params: { taskId: "t" } });
    });
  });

  it("a question for something it never said it could [requirement H4 O14]", async () => {
    const inputRequests = { a: { method: "roots/list" } };
    const { client, server } = await scripted({
      "tools/call": result({ resultType: "task", ...state({ status: "input_required", inputRequests }) }),
      "tasks/cancel": result({ resultType: "complete" }),
    });
    const call = client.callTool("job");
    await expect(call).rejects.toMatchObject({ name: "InputRequiredError", cause: { code: -32021 } });
    expect(server.sent.at(-1)).toMatchObject({ method: "tasks/cancel", params: { taskId: "t" } });
  });
});

describe("What a client sends", () => {
  it("task: false hides the extension from that call, and nothing else of its _meta", async () => {
    const { client, server } = await scripted({ "tools/call": result({ resultType: "complete", content: [] }) });
    const sent = (): JsonObject => server.sent.at(-1)!["params"] as JsonObject;
    const capabilities = "io.modelcontextprotocol/clientCapabilities";
    await client.callTool("job", {}, { meta: { "example.com/trace": "t1" } });
    expect(sent()["_meta"]).toMatchObject({ "example.com/trace": "t1", [capabilities]: { extensions: { [TASKS]: {} } } });
    await client.callTool("job", {}, { meta: { "example.com/trace": "t2" }, task: false });
    expect(sent()["_meta"]).toMatchObject({ "example.com/trace": "t2", [capabilities]: expect.anything() });
    expect(JSON.stringify(sent())).not.toContain(TASKS);
  });

  it("a call without a name asks for no task, and looks for no tool [N3]", async () => {
    const { server } = taskServer();
    server.tool("job", { task: true }, () => "done");
    const sent: string[] = [];
    server.use((next) => (context) => (sent.push(context.method), next(context)));
    const client = await closing(connect(server, { revision: "2025-11-25", extensions: [tasks()] }));
    const refused = await failureOf(client.request("tools/call", { name: 7 } as never));
    expect(refused).toMatchObject({ code: -32602 });
    expect(sent).not.toContain("tools/list");
  });
});

describe("A server without tasks", () => {
  it("a call is one request: no tool is looked up [N3]", async () => {
    const server = testServer();
    server.tool("plain", {}, () => "plain");
    const sent: string[] = [];
    server.use((next) => (context) => (sent.push(context.method), next(context)));
    const client = await closing(connect(server, { revision: "2025-11-25", extensions: [tasks()], validateOutput: false }));
    expect((await client.callTool("plain")).text).toBe("plain");
    expect(sent).toEqual(["initialize", "tools/call"]);
  });
});

describe("What a client survives", () => {
  it("a look that is lost, or late, or comes to a busy server: it looks again, and not for ever [C5 D17]", async () => {
    const clock = new VirtualClock();
    let seen = 0;
    const { client } = await scripted(
      { "tasks/get": (request, server) => (++seen === 3 ? result(done)(request, server) : undefined) },
      { clock, timeout: 5_000 },
    );
    const call = client.callTool("job");
    for (let seconds = 0; seconds < 40; seconds++) await clock.advance(1_000);
    expect((await call).text).toBe("done");
    seen = 10;
    const hopeless = client.callTool("job");
    hopeless.catch(() => undefined);
    for (let seconds = 0; seconds < 200; seconds++) await clock.advance(1_000);
    await expect(hopeless).rejects.toMatchObject({ name: "RequestTimeoutError", method: "tasks/get" });
    expect(seen).toBe(10 + 6);
  });

  it("the end of its connection ends the wait, and cancels nothing: the task is found by its id", async () => {
    const { server } = taskServer();
    const { opened, open } = gate();
    server.tool("job", { task: true }, async () => (await opened, "done"));
    const first = await connect(server, { revision: "2026-07-28", extensions: [tasks()] });
    let taskId = "";
    const begun = gate();
    const call = first.callTool("job", {}, { onTask: (task) => ((taskId = task.taskId), begun.open()) });
    await begun.opened;
    await first.close();
    await expect(call).rejects.toBeInstanceOf(ConnectionClosedError);
    const second = await closing(connect(server, { revision: "2026-07-28", extensions: [tasks()] }));
    expect(await second.task(taskId).get()).toMatchObject({ status: "working" });
    const waiting = second.task(taskId).result();
    open();
    expect(await waiting).toMatchObject({ text: "done", isError: false });
  });

  it("client.task without the extension is an error that names it", async () => {
    const { server } = taskServer();
    const client = await closing(connect(server));
    expect(() => client.task("t")).toThrow("Tasks need tasks() of tenon/ext/tasks among the client's extensions");
  });
});

describe("Over a network that loses every second look", () => {
  it.each(["2025-11-25", "2026-07-28"] as const)("the call ends well, %s [C5 O11]", async (revision) => {
    const { server } = taskServer({ pollInterval: 100 });
    const { opened, open } = gate();
    server.tool("job", { task: true }, async () => (await opened, "done"));
    const handler = createFetchHandler(server);
    let lost = 0;
    let count = 0;
    const fetch: Fetch = async (url, init) => {
      const body = typeof init.body === "string" ? init.body : "";
      if (body.includes('"tasks/get"') && ++count % 2 === 1) {
        if (++lost === 2) open();
        throw new TypeError("fetch failed");
      }
      // No stream and no notification: looking is all there is.
      if (init.method === "GET" || body.includes("subscriptions/listen")) return new Response(null, { status: 405 });
      return handler(new Request(url, init));
    };
    const client = await closing(connect({ url: "http://localhost/mcp", fetch }, { revision, extensions: [tasks()] }));
    expect((await client.callTool("job")).text).toBe("done");
    expect(lost).toBeGreaterThanOrEqual(2);
  });
});

describeMatrix(
  "Many tasks at once",
  ({ connect }) => {
    it("each call gets its own result, and its own answers [N5 requirement O8]", async () => {
      const { server } = taskServer({ pollInterval: 100 });
      server.tool("job", { task: true, input: form("n", "number") }, async ({ n }, ctx) => {
        const { content } = await ctx.elicit("n", { message: String(n), schema: form("x", "string") });
        return `${String(n)} ${String(content?.["x"])}`;
      });
      const client = await connect(server, {
        extensions: [tasks()],
        onElicit: ({ message }) => ({ action: "accept", content: { x: `answer ${message}` } }),
      });
      const calls = Array.from({ length: 12 }, async (_, n) => (await client.callTool("job", { n })).text);
      expect(await Promise.all(calls)).toEqual(Array.from({ length: 12 }, (_, n) => `${n} answer ${n}`));
    });
  },
  ["2025-11-25", "2026-07-28"],
);
