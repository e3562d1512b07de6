/**
 * Tasks as callers see them: `callTool` waits, answers, shows and cancels by itself, in both forms and on every way to connect.
 */
import { expect, it } from "vitest";
import { McpError, type Client, type ConnectOptions, type Progress } from "tenon";
import { tasks, TaskCancelledError, type TasksOptions } from "tenon/ext/tasks";
import type { Task } from "tenon";
import { createGateway } from "tenon/gateway";
import { ToolError } from "tenon/server";
import { describeForms, form, idOf, taskServer } from "./support.ts";
import { gate } from "../../support/gate.ts";

const using = (options: ConnectOptions = {}, taskOptions: TasksOptions = {}): ConnectOptions => ({
  ...options,
  extensions: [tasks(taskOptions)],
});

describeForms("Calling tools that become tasks", ({ connect, stateless }) => {
  it("callTool waits for the result of the task, a failure included [requirement O3 O11 N2 N6]", async () => {
    const { server } = taskServer();
    server.tool(
      "job",
      { task: { pollInterval: 20_000 }, input: form("n", "number"), output: form("twice", "number") },
      async ({ n }) => {
        await new Promise((resolve) => setImmediate(resolve));
        return { twice: Number(n) * 2 };
      },
    );
    server.tool("must", { task: { support: "required" } }, () => "required");
    server.tool("fails", { task: true }, () => {
      throw new ToolError("It failed");
    });
    server.tool("refuses", { task: true }, () => {
      throw new McpError(-32602, "No such city", { city: "Atlantis" });
    });
    server.tool("plain", {}, () => "plain");
    const client = await connect(server, using());
    expect((await client.callTool("job", { n: 21 })).data).toEqual({ twice: 42 });
    expect((await client.callTool("must")).text).toBe("required");
    expect(await client.callTool("fails")).toMatchObject({ isError: true, text: "It failed" });
    await expect(client.callTool("refuses")).rejects.toMatchObject({
      code: -32602,
      message: "No such city",
      data: { city: "Atlantis" },
    });
    expect((await client.callTool("plain")).text).toBe("plain");
  });

  it("onTask shows the task from its beginning to its end", async () => {
    const { server } = taskServer();
    const { opened, open } = gate();
    server.tool("job", { task: { ttl: 60_000 } }, async (_input, ctx) => {
      ctx.task?.status("Half way");
      await opened;
      return `${ctx.task?.id}`;
    });
    const client = await connect(server, using());
    const seen: Task[] = [];
    const call = client.callTool("job", {}, { onTask: (task) => void seen.push(task) });
    await expect.poll(() => seen.map(({ statusMessage }) => statusMessage)).toEqual([undefined, "Half way"]);
    open();
    const { text } = await call;
    expect(seen.map(({ status }) => status)).toEqual(["working", "working", "completed"]);
    expect(new Set(seen.map(({ taskId }) => taskId))).toEqual(new Set([text]));
    expect(seen[0]).toMatchObject({ ttl: 60_000, pollInterval: 1_000 });
  });

  it("callbacks answer what the task asks, each question once [N7 N11 requirement O7 requirement O8 O14 A3.13]", async () => {
    const { server } = taskServer();
    server.tool("job", { task: true }, async (_input, ctx) => {
      const [name, said] = await Promise.all([
        ctx.elicit("name", { message: "Name?", schema: form("name", "string") }),
        ctx.sample("greeting", { messages: [{ role: "user", content: { type: "text", text: "Greet" } }], maxTokens: 9 }),
      ]);
      const roots = await ctx.roots();
      const text = said.content.type === "text" ? said.content.text : "";
      return `${text}, ${String(name.content?.["name"])}, in ${roots[0]?.name}`;
    });
    const asked: string[] = [];
    const client = await connect(
      server,
      using({
        onElicit: (_params, { requestId, meta }) => {
          asked.push(stateless ? String(requestId) : JSON.stringify(meta));
          return { action: "accept", content: { name: "Ada" } };
        },
        onSample: () => {
          asked.push("sample");
          return { role: "assistant", model: "m", content: { type: "text", text: "Hello" } };
        },
        roots: [{ uri: "file:///home", name: "home" }],
      }),
    );
    expect((await client.callTool("job")).text).toBe("Hello, Ada, in home");
    expect(asked).toHaveLength(2);
    if (stateless) expect(asked).toContain("name");
    else expect(asked[0]).toMatch(/"io.modelcontextprotocol\/related-task":\{"taskId":"[\w-]{22}"\}/);
  });

  it("a refused question fails in the task, or ends the call if the revision cannot say so [N7 requirement H15]", async () => {
    const { server } = taskServer();
    let seen: unknown;
    server.tool("job", { task: true }, async (_input, ctx) => {
      ctx.signal.addEventListener("abort", () => (seen = "aborted"));
      return await ctx.elicit("a", { message: "A?", schema: form("a", "string") }).then(
        () => "answered",
        (error: unknown) => `refused: ${(error as McpError).message}`,
      );
    });
    const client = await connect(
      server,
      using({
        onElicit: () => {
          throw new McpError(-32000, "The user is asleep");
        },
      }),
    );
    const call = client.callTool("job");
    if (!stateless) return expect((await call).text).toBe("refused: The user is asleep");
    await expect(call).rejects.toMatchObject({ name: "InputRequiredError", cause: { message: "The user is asleep" } });
    await expect.poll(() => seen).toBe("aborted");
  });

  it("giving up the call cancels the task [requirement O9 N6]", async () => {
    const { server } = taskServer();
    const { opened } = gate();
    let aborted: unknown;
    server.tool("job", { task: true }, async (_input, ctx) => {
      ctx.signal.addEventListener("abort", () => (aborted = ctx.signal.reason));
      await opened;
    });
    const client = await connect(server, using());
    const abort = new AbortController();
    const { call, taskId } = await started(client, "job", { signal: abort.signal });
    abort.abort(new Error("Enough"));
    await expect(call).rejects.toThrow("Enough");
    await expect.poll(() => aborted).toMatchObject({ message: "The task was cancelled" });
    expect(await client.task(taskId).get()).toMatchObject({ status: "cancelled" });
  });

  it("a call waits so long in all, then the task is cancelled", async () => {
    const { server } = taskServer();
    const { opened } = gate();
    server.tool("job", { task: true }, async () => opened);
    const client = await connect(server, using({}, { maxWait: 50 }));
    const { call, taskId } = await started(client, "job");
    await expect(call).rejects.toMatchObject({
      name: "RequestTimeoutError",
      message: expect.stringContaining('50 ms (option "maxWait")'),
    });
    await expect.poll(() => client.task(taskId).get()).toMatchObject({ status: "cancelled" });
    const bounded = client.callTool("job", {}, { maxTotalTimeout: 20 });
    await expect(bounded).rejects.toThrow('20 ms (option "maxTotalTimeout")');
  });

  it("a call fails with TaskCancelledError if another client cancels its task [N5 N6 requirement O9]", async () => {
    const { server } = taskServer();
    const { opened } = gate();
    server.tool("job", { task: true }, async () => opened);
    const client = await connect(server, using());
    const { call, taskId } = await started(client, "job");
    await client.task(taskId).cancel();
    const failure: unknown = await call.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TaskCancelledError);
    expect(failure).toMatchObject({ taskId, message: "The task was cancelled" });
  });

  it("a task is found again by its id, and its result is there [O11]", async () => {
    const { server } = taskServer();
    const { opened, open } = gate();
    server.tool("job", { task: true }, async (_input, ctx) => {
      const { content } = await ctx.elicit("name", { message: "Name?", schema: form("name", "string") });
      await opened;
      return `Hello, ${String(content?.["name"])}`;
    });
    const onElicit = (): { action: "accept"; content: { name: string } } => ({ action: "accept", content: { name: "Ada" } });
    const client = await connect(server, using({ onElicit }));
    const { call, taskId } = await started(client, "job");
    call.catch(() => undefined);
    const again = stateless ? await connect(server, using({ onElicit })) : client;
    const result = again.task(taskId).result();
    open();
    expect(await result).toMatchObject({ text: "Hello, Ada" });
    expect((await call).text).toBe("Hello, Ada");
    expect(await again.task(taskId).get()).toMatchObject({ taskId, status: "completed" });
    await expect(again.task("none").result()).rejects.toMatchObject({ code: -32602, message: "Task not found: none" });
  });

  it("task: false keeps the call a call", async () => {
    const { server } = taskServer();
    server.tool("job", { task: true }, (_input, ctx) => `task: ${ctx.task?.id}`);
    server.tool("must", { task: { support: "required" } }, () => "");
    const client = await connect(server, using());
    expect((await client.callTool("job", {}, { task: false })).text).toBe("task: undefined");
    expect((await client.callTool("job")).text).toMatch(/^task: [\w-]{22}$/);
    await expect(client.callTool("must", {}, { task: false })).rejects.toMatchObject({ code: stateless ? -32021 : -32601 });
  });

  it("progress arrives as long as the task runs, with its numbers, on every revision [P8 N8 requirement G6]", async () => {
    const { server } = taskServer();
    const { opened, open } = gate();
    server.tool("job", { task: true }, async (_input, ctx) => {
      await ctx.progress(1, 2, "Half way");
      await opened;
    });
    const client = await connect(server, using());
    const steps: Progress[] = [];
    const words: unknown[] = [];
    const call = client.callTool(
      "job",
      {},
      {
        onProgress: (step) => void steps.push(step),
        onTask: ({ statusMessage }: Task) => void words.push(statusMessage),
      },
    );
    await expect.poll(() => steps).toEqual([{ progress: 1, total: 2, message: "Half way" }]);
    if (stateless) expect(words).toContain("Half way");
    open();
    await call;
    expect(steps).toHaveLength(1);
  });

  it("each report arrives as it is made, long before the next look, also through a gateway [P8]", async () => {
    const { server } = taskServer();
    const pollInterval = stateless ? 60_000 : 10; // in sessions the end of a task is not told, so a client sees it when it looks
    let seen = gate();
    server.tool("job", { task: { pollInterval } }, async (_input, ctx) => {
      for (const progress of [1, 2, 3]) {
        seen = gate();
        await ctx.progress(progress, 3, `Part ${progress}`);
        await seen.opened;
      }
    });
    const steps: Progress[] = [];
    const onProgress = (step: Progress): void => (steps.push(step), seen.open());
    await (await connect(server, using())).callTool("job", {}, { onProgress });
    const expected = [1, 2, 3].map((progress) => ({ progress, total: 3, message: `Part ${progress}` }));
    expect(steps.splice(0)).toEqual(expected);
    await using gateway = createGateway({ readyTimeout: 60_000, servers: { s: server } });
    await (await connect(gateway, using())).callTool("s__job", {}, { onProgress });
    expect(steps).toEqual(expected);
  });
});

interface Started {
  readonly call: ReturnType<Client["callTool"]>;
  readonly taskId: string;
}

/** A call that has become a task. */
async function started(client: Client, name: string, options: { signal?: AbortSignal } = {}): Promise<Started> {
  let call!: Started["call"];
  const taskId = await new Promise<string>((resolve, reject) => {
    call = client.callTool(name, {}, { ...options, onTask: (task) => resolve(idOf(task)) });
    call.catch(reject);
  });
  return { call, taskId };
}
