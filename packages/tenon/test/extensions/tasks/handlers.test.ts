/** What handlers can do inside a task: all they can outside, on both forms and every way to connect. */
import { describe, expect, it } from "vitest";
import { connect, inputRequired, McpError, UrlElicitationRequiredError, type ConnectOptions, type JsonObject } from "tenon";
import { tasks } from "tenon/ext/tasks";
import { VirtualClock } from "tenon/testing";
import { failureOf } from "../../support/failure-of.ts";
import { closing, describeMatrix } from "../../support/matrix.ts";
import { begin, declaring, describeForms, form, get, idOf, reached, taskServer } from "./support.ts";
import { gate } from "../../support/gate.ts";

const answering = (options: ConnectOptions = {}): ConnectOptions => ({
  extensions: [tasks()],
  onElicit: (params) => ({ action: "accept", ...(params.mode !== "url" && { content: { x: params.message } }) }),
  ...options,
});
const ask = (message: string): { message: string; schema: ReturnType<typeof form> } => ({ message, schema: form("x", "string") });

describeForms("Handlers in tasks", ({ connect, stateless }) => {
  it("ask, confirm, send to a page and remember steps as anywhere else", async () => {
    const { server } = taskServer();
    let steps = 0;
    server.tool("job", { task: true }, async (_input, ctx) => {
      const { content } = await ctx.elicit("first", ask("one"));
      const counted = await ctx.step("count", () => ++steps);
      const nothing = await ctx.step("nothing", () => undefined);
      const sure = await ctx.confirm("sure", "Sure?");
      const page = await ctx.elicitUrl("page", { message: "Log in", url: "https://example.com/login" });
      return JSON.stringify([content, counted, nothing ?? null, sure, page]);
    });
    const client = await connect(server, answering());
    expect(JSON.parse((await client.callTool("job")).text)).toEqual([{ x: "one" }, 1, null, true, "accept"]);
    expect(steps).toBe(1);
  });

  it("each question and each step has a name of its own; what a client cannot answer is not asked", async () => {
    const { server } = taskServer();
    server.tool("twice", { task: true }, async (_input, ctx) => {
      await ctx.elicit("a", ask("one"));
      return failureName(ctx.elicit("a", ask("two")));
    });
    server.tool("again", { task: true }, async (_input, ctx) => {
      await ctx.elicit("a", ask("one"));
      await ctx.step("a", () => 1);
      return failureName(ctx.step("a", () => 2));
    });
    server.tool("sample", { task: true }, async (_input, ctx) => failureName(ctx.sample("a", { messages: [], maxTokens: 1 })));
    server.tool("unfit", { task: true }, async (_input, ctx) => {
      const { message } = await failureOf(ctx.elicit("a", { message: "number", schema: form("x", "number") }));
      return message;
    });
    const client = await connect(server, answering());
    expect((await client.callTool("twice")).text).toBe(
      'McpUsageError: The name of question "a" is used twice: give each its own name',
    );
    expect((await client.callTool("again")).text).toBe(
      'McpUsageError: The name of step "a" is used twice: give each its own name',
    );
    expect((await client.callTool("sample")).text).toMatch(/^MissingClientCapabilityError/);
    expect((await client.callTool("unfit")).text).toMatch(/^The answer to "a" does not fit its form/);
  });

  it("ask by hand, as often as they like, with a state of their own", async () => {
    const { server } = taskServer();
    server.tool("job", { task: true }, (_input, ctx) => {
      const round = Number(ctx.requestState ?? 0);
      const answers = Object.entries(ctx.inputResponses).map(
        ([name, answer]) => `${name}:${"action" in answer ? answer.action : ""}`,
      );
      if (round === 2) return answers.join();
      const params = { mode: "form" as const, message: "Again", requestedSchema: { type: "object" as const, properties: {} } };
      return inputRequired({
        requestState: String(round + 1),
        inputRequests: { same: { method: "elicitation/create", params } },
      });
    });
    server.tool("forever", { task: true }, () => inputRequired({ requestState: "again" }));
    let asked = 0;
    const client = await connect(server, answering({ onElicit: () => ({ action: ++asked > 1 ? "decline" : "accept" }) }));
    expect((await client.callTool("job")).text).toBe("same:decline");
    expect(asked).toBe(2);
    await expect(client.callTool("forever")).rejects.toMatchObject({ code: -32603, message: 'Limit "rounds" of 100 exceeded' });
  });

  it("a required URL elicitation is an error on revisions that have one, and a question on the others [L1.8 A5.6]", async () => {
    const { server } = taskServer();
    let runs = 0;
    server.tool("job", { task: true }, () => {
      if (++runs > 1) return "Welcome";
      throw new UrlElicitationRequiredError([
        { mode: "url", message: "Log in", url: "https://example.com", elicitationId: "e1" },
      ]);
    });
    const client = await connect(server, answering());
    if (stateless) expect((await client.callTool("job")).text).toBe("Welcome");
    else await expect(client.callTool("job")).rejects.toBeInstanceOf(UrlElicitationRequiredError);
  });

  it("ctx.session sends requests of the task if the revision has live requests, and fails otherwise", async () => {
    const { server } = taskServer();
    server.tool("job", { task: true }, async (_input, ctx) => {
      const pinged = await failureName(ctx.session.ping());
      const elicited = ctx.session.elicitForm({ message: "live", requestedSchema: { type: "object", properties: {} } });
      return JSON.stringify([
        pinged.split(":")[0],
        stateless ? (await failureName(elicited)).split(":")[0] : (await elicited).content,
      ]);
    });
    const client = await connect(server, answering());
    const said = JSON.parse((await client.callTool("job")).text) as unknown;
    expect(said).toEqual(stateless ? ["NoBackChannelError", "StatelessModeNotSupported"] : ["NoBackChannelError", { x: "live" }]);
  });

  it("ctx.log and ctx.progress reach who waits, where the revision lets them [A3.13]", async () => {
    const { server } = taskServer();
    const { opened, open } = gate();
    server.tool("job", { task: true }, async (_input, ctx) => {
      await ctx.elicit("a", ask("one"));
      await ctx.log.info("Working");
      await opened;
    });
    const logged: JsonObject[] = [];
    const client = await connect(
      server,
      answering({ onMessage: ({ method, params }) => void (method === "notifications/message" && logged.push(params)) }),
    );
    const call = client.callTool("job");
    if (!stateless)
      await expect
        .poll(() => logged)
        .toMatchObject([
          {
            data: "Working",
            _meta: { "io.modelcontextprotocol/related-task": { taskId: expect.stringMatching(/^[\w-]{22}$/) as string } },
          },
        ]);
    open();
    await call;
    expect(logged).toHaveLength(stateless ? 0 : 1);
  });

  it("the arguments are checked before there is a task; the output as of any call", async () => {
    const { server } = taskServer();
    server.tool(
      "job",
      { task: true, input: form("n", "number"), output: form("n", "number") },
      () => ({ n: "no number" }) as never,
    );
    const client = await connect(server, declaring());
    const refused: JsonObject = await client.request("tools/call", {
      name: "job",
      arguments: { n: "x" },
      ...(!stateless && { task: {} }),
    });
    expect(refused).toMatchObject({ isError: true });
    const task = await reached(client, idOf(await begin(client, "job", { n: 1 })), "failed");
    expect(task["statusMessage"]).toBe('Tool "job" returned structured content that does not match its output schema');
  });

  it("ctx.task.status tells the last word, and not every one", async () => {
    const clock = new VirtualClock();
    const { server } = taskServer({}, { clock });
    server.tool("job", { task: true }, async (_input, ctx) => {
      for (let count = 1; count <= 50; count++) ctx.task?.status(`Step ${count}`);
      await ctx.elicit("a", ask("one"));
    });
    const client = await connect(server, declaring({ onElicit: () => ({ action: "cancel" }) }));
    const taskId = idOf(await begin(client, "job"));
    const messageOf = async (): Promise<unknown> => (await get(client, taskId))["statusMessage"];
    await expect.poll(messageOf).toBe("Step 1");
    await clock.advance(250);
    await expect.poll(messageOf).toBe("Step 50");
  });
});

describeMatrix(
  "Handlers that say when they are a task",
  ({ connect }) => {
    it("return a result directly if they never begin one, and fail as calls do [requirement O3 requirement O6]", async () => {
      const { server } = taskServer();
      server.tool("sync", { task: { start: "handler" } }, (_input, ctx) => `${ctx.task?.id}`);
      server.tool(
        "async",
        { task: { start: "handler" } },
        async (_input, ctx) => (await ctx.step("s", () => 1), `${ctx.task?.id}`),
      );
      server.tool("fails", { task: { start: "handler" } }, () => {
        throw new McpError(-32602, "No");
      });
      const client = await connect(server, answering());
      expect((await client.callTool("sync")).text).toBe("undefined");
      expect((await client.callTool("async")).text).toBe("undefined");
      await expect(client.callTool("fails")).rejects.toMatchObject({ code: -32602, message: "No" });
    });

    it("begin it once, even if the handler does not await the start [requirement O5]", async () => {
      const { server } = taskServer();
      server.tool("job", { task: { start: "handler" } }, async (_input, ctx) => {
        const starting = [ctx.task!.start(), ctx.task!.start()];
        if ((await Promise.race([Promise.resolve("now"), ...starting])) === "now") return "the result";
        return "too late";
      });
      const client = await connect(server, answering());
      const seen: string[] = [];
      const { text } = await client.callTool("job", {}, { onTask: ({ taskId }) => void seen.push(taskId) });
      expect(text).toBe("the result");
      expect(new Set(seen).size).toBe(1);
    });

    it("get the reason if there can be no task, and may continue without one [F8]", async () => {
      const { server } = taskServer({ maxTasks: 1 });
      const { opened } = gate();
      server.tool("blocker", { task: true }, async () => opened);
      server.tool("job", { task: { start: "handler" } }, async (_input, ctx) => {
        const { message } = await failureOf(ctx.task!.start());
        return message;
      });
      const client = await connect(server, declaring());
      await begin(client, "blocker");
      expect(await client.request("tools/call", { name: "job" })).toMatchObject({
        content: [{ text: 'Limit "maxTasks" of 1 exceeded' }],
      });
    });

    it("cannot begin it while a question of the call is open", async () => {
      const { server } = taskServer();
      server.tool("job", { task: { start: "handler" } }, async (_input, ctx) => {
        const asked = ctx.elicit("a", ask("one"));
        await new Promise((resolve) => setImmediate(resolve));
        const refused = await failureName(ctx.task!.start());
        await asked;
        return refused;
      });
      const client = await connect(server, answering());
      expect((await client.callTool("job")).text).toMatch(
        /^(McpUsageError: A task cannot be started while a question is open|no failure)$/,
      );
    });

    it("a call that is given up before it is a task never becomes one [requirement G1 requirement G3]", async () => {
      const { server } = taskServer();
      const { opened, open } = gate();
      const begun = gate();
      let outcome = "";
      server.tool("job", { task: { start: "handler" } }, async (_input, ctx) => {
        begun.open();
        await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
        await opened;
        outcome = await failureName(ctx.task!.start());
      });
      const client = await connect(server, answering());
      const abort = new AbortController();
      const call = client.callTool("job", {}, { signal: abort.signal });
      await begun.opened;
      abort.abort(new Error("Enough"));
      await expect(call).rejects.toThrow("Enough");
      open();
      await expect.poll(() => outcome, { interval: 5 }).not.toBe("");
      expect(outcome).not.toBe("no failure");
    });
  },
  ["2026-07-28"],
);

describe("Handlers in tasks", () => {
  it("are begun at once if the client asked for a task, even if the tool does not [N2]", async () => {
    const { server } = taskServer();
    const { opened, open } = gate();
    server.tool("job", { task: { start: "handler" } }, async (_input, ctx) => {
      const before = ctx.task?.id;
      await ctx.task?.start();
      await opened;
      return String(before === ctx.task?.id);
    });
    const client = await closing(connect(server, declaring({ revision: "2025-11-25" })));
    const taskId = idOf(await begin(client, "job"));
    open();
    expect(await client.request("tasks/result", { taskId })).toMatchObject({ content: [{ text: "true" }] });
  });
});

async function failureName(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "no failure",
    (error: unknown) => `${(error as Error).name}: ${(error as Error).message}`,
  );
}
