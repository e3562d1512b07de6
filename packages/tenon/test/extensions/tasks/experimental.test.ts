/**
 * The tasks of 2025-11-25 that only it has: lists, results that are waited for, questions beside them, and tasks that a
 * client keeps for its server.
 */
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  McpError,
  type ElicitRequestedSchema,
  type JsonObject,
  type RelatedTaskMetadata,
  type Task,
  type TaskMetadata,
  type TaskStatus,
  type ToolExecution,
} from "tenon";
import {
  checkTasksCapability,
  experimentalTasks,
  MODEL_IMMEDIATE_RESPONSE_KEY,
  RELATED_TASK_META_KEY,
  requireTaskAugmentedElicitation,
  requireTaskAugmentedSampling,
  TaskCancelledError,
  tasks,
} from "tenon/ext/tasks";
import { createDirectPair } from "tenon";
import type { RequestContext } from "tenon/server";
import { BaseSession } from "tenon/compat/python";
import { scripted } from "../../support/base-sessions.ts";
import { failureOf } from "../../support/failure-of.ts";
import { describeMatrix } from "../../support/matrix.ts";
import { turn, VirtualClock } from "../../support/virtual-clock.ts";
import { begin, declaring, form, get, idOf, reached, RELATED, taskServer, type TaskServer } from "./support.ts";
import { gate } from "../../support/gate.ts";

const ONLY = ["2025-11-25"] as const;

describeMatrix(
  "Tasks of 2025-11-25",
  ({ connect }) => {
    it("a list is paged and holds the caller's tasks [N6]", async () => {
      const { server } = taskServer();
      server.tool("job", { task: true }, () => "");
      const client = await connect(server, declaring());
      const other = await connect(server, declaring());
      const ids: string[] = [];
      for (let count = 0; count < 53; count++) ids.push(idOf(await begin(client, "job")));
      await begin(other, "job");
      const first = await client.request("tasks/list");
      expect(first.tasks).toHaveLength(50);
      const rest = await client.request("tasks/list", { cursor: first.nextCursor! });
      expect(rest.nextCursor).toBeUndefined();
      expect([...first.tasks, ...rest.tasks].map(({ taskId }) => taskId).sort()).toEqual(ids.sort());
      expect((await other.request("tasks/list")).tasks).toHaveLength(1);
      expect((await failureOf(client.request("tasks/list", { cursor: "none" }))).message).toBe("Invalid cursor");
    });

    it("a task belongs to the session it came from: for another one it does not exist [N10 TK-19 rule R4]", async () => {
      const { server } = taskServer();
      const { opened } = gate();
      server.tool("job", { task: true }, async () => opened);
      const client = await connect(server, declaring());
      const stranger = await connect(server, declaring());
      const taskId = idOf(await begin(client, "job"));
      for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
        const failures = await Promise.all(
          [taskId, "x".repeat(22)].map((id) => failureOf(stranger.request(method, { taskId: id }))),
        );
        expect(failures[0]).toMatchObject({ code: -32602, message: `Task not found: ${taskId}` });
        expect(failures[1]).toMatchObject({ code: -32602, message: `Task not found: ${"x".repeat(22)}` });
      }
      expect(await get(client, taskId)).toMatchObject({ status: "working" });
    });

    it("a client says how long it wants a task kept, within bounds [N2 N4 TK-15]", async () => {
      const { server } = taskServer({ maxTtl: 90_000 });
      server.tool("job", { task: { ttl: 5_000 } }, () => "");
      const client = await connect(server, declaring());
      expect(await begin(client, "job", {}, { ttl: 60_000 })).toMatchObject({ ttl: 60_000 });
      expect(await begin(client, "job", {}, { ttl: Number.MAX_SAFE_INTEGER })).toMatchObject({ ttl: 90_000 });
      expect(await begin(client, "job")).toMatchObject({ ttl: 5_000 });
      expect(await begin(client, "job", {}, { ttl: null as never })).toMatchObject({ ttl: 5_000 });
      for (const ttl of [-1, 0, 0.5, "soon"]) {
        const call = client.request("tools/call", { name: "job", task: { ttl } } as never);
        expect((await failureOf(call)).code).toBe(-32602);
      }
      expect(await failureOf(client.request("tools/call", { name: "job", task: { ttl: -1 } }))).toMatchObject({
        message: '"task.ttl" must be a number of milliseconds > 0, not -1',
      });
    });

    it("tasks/result waits until the task has ended; a task that was cancelled has no result [N6]", async () => {
      const { server } = taskServer();
      const { opened, open } = gate();
      server.tool("job", { task: true }, async () => (await opened, { content: [], _meta: { own: 1, [RELATED]: "else" } }));
      const client = await connect(server, declaring());
      const taskId = idOf(await begin(client, "job"));
      const cancelled = idOf(await begin(client, "job"));
      let settled = false;
      const result = client.request("tasks/result", { taskId }).finally(() => (settled = true));
      const none = failureOf(client.request("tasks/result", { taskId: cancelled }));
      await client.request("tasks/cancel", { taskId: cancelled });
      expect(await none).toMatchObject({ code: -32602, message: "The task has no result: it is cancelled" });
      expect(settled).toBe(false);
      open();
      expect(await result).toEqual({ content: [], _meta: { own: 1, [RELATED]: { taskId } } });
    });

    it("a task that expires while a client waits for its result does not exist any more [N4 N6 N10]", async () => {
      const clock = new VirtualClock();
      const { server } = taskServer({}, { clock });
      server.tool("job", { task: { ttl: 5_000 } }, () => new Promise<never>(() => undefined));
      const client = await connect(server, declaring());
      const taskId = idOf(await begin(client, "job"));
      const result = failureOf(client.request("tasks/result", { taskId }));
      await get(client, taskId); // sent later, so the server has both
      await clock.advance(60_000);
      expect(await result).toMatchObject({ code: -32602, message: `Task not found: ${taskId}` });
    });

    it("the session of a task gets its status notifications [N9]", async () => {
      const { server } = taskServer();
      const { opened, open } = gate();
      server.tool("job", { task: true }, async (_input, ctx) => {
        ctx.task?.status("Busy");
        await opened;
      });
      const told: JsonObject[] = [];
      const client = await connect(
        server,
        declaring({ onMessage: ({ method, params }) => void (method === "notifications/tasks/status" && told.push(params)) }),
      );
      const taskId = idOf(await begin(client, "job"));
      await expect.poll(() => told.length, { interval: 5 }).toBe(1);
      open();
      await reached(client, taskId, "completed");
      await expect
        .poll(() => told.map(({ status, statusMessage }) => [status, statusMessage]))
        .toEqual([
          ["working", "Busy"],
          ["completed", undefined],
        ]);
      expect(told[0]).toMatchObject({ taskId });
      expect(told[0]).not.toHaveProperty("_meta");
    });
  },
  ONLY,
);

describeMatrix(
  "Tasks that a client keeps for its server",
  ({ connect }) => {
    /** A tool that does this with the tasks of its client. */
    function asking(work: (ctx: RequestContext) => Promise<unknown>): TaskServer {
      const made = taskServer();
      made.server.tool("ask", {}, async (_input, ctx) => JSON.stringify(await work(ctx)));
      return made;
    }
    const FORM = { message: "Name?", requestedSchema: form("name", "string") as ElicitRequestedSchema };
    const sampling = { messages: [{ role: "user" as const, content: { type: "text" as const, text: "Hi" } }], maxTokens: 9 };

    it("elicitation and sampling as tasks: declared, run by themselves, results fetched [N1 N11 TK-06 TK-10 TK-11]", async () => {
      const { server } = asking(async ({ session }) => {
        const features = experimentalTasks(session);
        expect(experimentalTasks(session)).toBe(features);
        const said = await features.elicitAsTask(FORM);
        const { content } = await features.createMessageAsTask(sampling);
        return [said, content];
      });
      const asked: unknown[] = [];
      const client = await connect(server, {
        extensions: [tasks({ pollInterval: 60 })],
        onElicit: (params) => {
          asked.push(params);
          return { action: "accept", content: { name: "Ada" } };
        },
        onSample: () => ({ role: "assistant", model: "m", content: { type: "text", text: "Hello" } }),
      });
      const { text } = await client.callTool("ask");
      expect(JSON.parse(text)).toEqual([
        { action: "accept", content: { name: "Ada" }, _meta: { [RELATED]: expect.anything() } },
        { type: "text", text: "Hello" },
      ]);
      expect(asked).toEqual([{ mode: "form", ...FORM }]);
    });

    it("a task is looked at, polled state by state, and its result is checked [N6 N11 TK-07 TK-08 TK-09]", async () => {
      const { opened, open } = gate();
      const { server } = asking(async ({ session }) => {
        const features = experimentalTasks(session);
        const created = await session.request("elicitation/create", { mode: "form", ...FORM, task: { ttl: 60_000 } });
        const { taskId, ttl } = created["task"] as Task;
        expect(ttl).toBe(60_000);
        expect(await features.getTask(taskId)).toMatchObject({ taskId, status: "working" });
        expect((await session.request("tasks/list"))["tasks"]).toMatchObject([{ taskId }]);
        const states: string[] = [];
        for await (const { status } of features.pollTask(taskId, { defaultInterval: 50 })) {
          states.push(status);
          open();
        }
        expect((await failureOf(features.getTaskResult(taskId, "sampling/createMessage"))).name).toBe("ProtocolViolationError");
        expect(await failureOf(features.getTask("none"))).toMatchObject({ code: -32602, message: "Task not found: none" });
        return [states, (await features.getTaskResult(taskId, "elicitation/create")).action];
      });
      const client = await connect(server, {
        extensions: [tasks({ pollInterval: 50 })],
        onElicit: async () => (await opened, { action: "decline" }),
      });
      expect(JSON.parse((await client.callTool("ask")).text)).toEqual([["working", "completed"], "decline"]);
    });

    it("such a task is cancelled once, and its callback told; what it fails with comes back [N5 N11 TK-19]", async () => {
      const { opened } = gate();
      let aborted = false;
      const { server } = asking(async ({ session }) => {
        const features = experimentalTasks(session);
        const failure = await failureOf(features.createMessageAsTask(sampling));
        const created = await session.request("elicitation/create", { mode: "form", ...FORM, task: {} });
        const { taskId } = created["task"] as Task;
        expect(await session.request("tasks/cancel", { taskId })).toMatchObject({ status: "cancelled" });
        const again = await failureOf(session.request("tasks/cancel", { taskId }));
        const elicited = features.elicitAsTask(FORM);
        await expect.poll(async () => (await session.request("tasks/list"))["tasks"]).toHaveLength(3);
        const { tasks: kept } = (await session.request("tasks/list")) as { tasks: Task[] };
        await session.request("tasks/cancel", { taskId: kept.find(({ status }) => status === "working")!.taskId });
        expect(await failureOf(elicited)).toBeInstanceOf(TaskCancelledError);
        return [failure.code, failure.message, again.code, again.message];
      });
      const client = await connect(server, {
        extensions: [tasks({ pollInterval: 50 })],
        onElicit: async (_params, { signal }) => {
          signal.addEventListener("abort", () => (aborted = true));
          await opened;
          return { action: "decline" };
        },
        onSample: () => {
          throw new McpError(-1, "The user said no");
        },
      });
      const said = JSON.parse((await client.callTool("ask")).text) as unknown;
      expect(said).toEqual([-1, "The user said no", -32602, "Cannot cancel a task that is cancelled"]);
      expect(aborted).toBe(true);
    });

    it("such a task ends with the connection, and the signal of its callback aborts [N5 N11]", async () => {
      const [begun, told] = [gate(), gate()];
      const { server } = asking(async ({ session }) => [await experimentalTasks(session).elicitAsTask(FORM)]);
      const client = await connect(server, {
        extensions: [tasks()],
        onElicit: async (_params, { signal }) => {
          signal.addEventListener("abort", told.open);
          begun.open();
          await told.opened;
          return { action: "decline" };
        },
      });
      const call = client.callTool("ask").catch((error: unknown) => error);
      await begun.opened;
      await client.close();
      await told.opened;
      expect(await call).toMatchObject({ code: -32000 });
    });

    it("such a task whose callback throws has failed; the server learns that, and the user's program why [N10 N11]", async () => {
      const { server } = asking(async ({ session }) => {
        const { code, message } = (await failureOf(experimentalTasks(session).elicitAsTask(FORM))) as McpError;
        return [code, message];
      });
      const reported: Error[] = [];
      const client = await connect(server, {
        extensions: [tasks({ pollInterval: 50 })],
        onError: (error) => void reported.push(error),
        onElicit: () => {
          throw new Error("/home/ada is not readable");
        },
      });
      expect(JSON.parse((await client.callTool("ask")).text)).toEqual([-32603, "Internal error"]);
      expect(reported.map(({ message }) => message)).toEqual(["/home/ada is not readable"]);
    });

    it("such a task that expires while the server waits for its result does not exist any more [N4 N10]", async () => {
      const clock = new VirtualClock();
      const waits = gate();
      const { server } = asking(async ({ session }) => {
        const created = await session.request("elicitation/create", { mode: "form", ...FORM, task: { ttl: 5_000 } });
        const { taskId } = created["task"] as Task;
        const result = failureOf(session.request("tasks/result", { taskId }));
        await session.request("tasks/get", { taskId }); // sent later, so the client has both
        waits.open();
        const { code, message } = (await result) as McpError;
        return [code, message.replace(taskId, "it")];
      });
      const onElicit = (): Promise<never> => new Promise(() => undefined);
      const client = await connect(server, { extensions: [tasks()], clock, timeout: Infinity, onElicit });
      const call = client.callTool("ask");
      await waits.opened;
      await clock.advance(60_000);
      expect(JSON.parse((await call).text)).toEqual([-32602, "Task not found: it"]);
    });

    it("such a task has a time to live above zero, and the error names the field and the value [N2 N4]", async () => {
      const { server } = asking(async ({ session }) => {
        const asked = session.request("elicitation/create", { mode: "form", ...FORM, task: { ttl: 0 } });
        const { code, message } = (await failureOf(asked)) as McpError;
        return [code, message];
      });
      const client = await connect(server, { extensions: [tasks()], onElicit: () => expect.fail("not asked") });
      const said = JSON.parse((await client.callTool("ask")).text) as unknown;
      expect(said).toEqual([-32602, '"task.ttl" must be a number of milliseconds > 0, not 0']);
    });

    it("a client that answers no questions does not declare them [N1]", async () => {
      const { server } = asking(async ({ client: { capabilities } }) => capabilities);
      const mute = await connect(server, { extensions: [tasks()] });
      expect(JSON.parse((await mute.callTool("ask")).text)).not.toHaveProperty("tasks");
      const answering = await connect(server, { extensions: [tasks()], onElicit: () => ({ action: "decline" }) });
      expect(JSON.parse((await answering.callTool("ask")).text)).toHaveProperty("tasks.requests", {
        elicitation: { create: {} },
      });
    });

    it("a client that takes no tasks is not asked for one [N1 TK-13 CF-17]", async () => {
      const { server } = asking(async ({ session }) => {
        const features = experimentalTasks(session);
        return [
          (await failureOf(features.elicitAsTask(FORM))).message,
          (await failureOf(features.createMessageAsTask(sampling))).message,
        ];
      });
      const client = await connect(server, { onElicit: () => ({ action: "decline" }), onSample: () => expect.fail("not asked") });
      expect(JSON.parse((await client.callTool("ask")).text)).toEqual([
        "Client does not support task-augmented elicitation",
        "Client does not support task-augmented sampling",
      ]);
    });
  },
  ONLY,
);

describe("What tasks are called", () => {
  it("the tasks capability is compared by presence, level by level; lists and cancel are not looked at [TK-12 SS-48]", () => {
    const elicitation = { elicitation: { create: {} } };
    const sampling = { sampling: { createMessage: {} } };
    expect(checkTasksCapability({}, {})).toBe(true);
    expect(checkTasksCapability({ list: {}, cancel: {} }, {})).toBe(true);
    expect(checkTasksCapability({ requests: elicitation }, {})).toBe(false);
    expect(checkTasksCapability({ requests: elicitation }, { requests: sampling })).toBe(false);
    expect(checkTasksCapability({ requests: elicitation }, { requests: { elicitation: {} } })).toBe(false);
    expect(checkTasksCapability({ requests: { elicitation: {} } }, { requests: { elicitation: {} } })).toBe(true);
    expect(checkTasksCapability({ requests: sampling }, { requests: { ...sampling, ...elicitation } })).toBe(true);
  });

  it("what a client lacks is said in its words, with -32600 [TK-13]", () => {
    expect(() => requireTaskAugmentedElicitation({ requests: { elicitation: { create: {} } } })).not.toThrow();
    expect(() => requireTaskAugmentedElicitation(undefined)).toThrow("Client does not support task-augmented elicitation");
    expect(() => requireTaskAugmentedSampling({ requests: { sampling: { createMessage: {} } } })).not.toThrow();
    expect(() => requireTaskAugmentedSampling({ requests: {} })).toThrow(expect.objectContaining({ code: -32600 }));
  });

  it("keys and types have the names of the protocol [TK-14 TK-15 TK-16 TK-19 A3.13 A3.14]", () => {
    expect(RELATED_TASK_META_KEY).toBe("io.modelcontextprotocol/related-task");
    expect(MODEL_IMMEDIATE_RESPONSE_KEY).toBe("io.modelcontextprotocol/model-immediate-response");
    expectTypeOf<TaskMetadata>().toEqualTypeOf<{ ttl?: number }>();
    expectTypeOf<RelatedTaskMetadata>().toEqualTypeOf<{ taskId: string }>();
    expectTypeOf<TaskStatus>().toEqualTypeOf<"working" | "input_required" | "completed" | "failed" | "cancelled">();
    expectTypeOf<ToolExecution>().toEqualTypeOf<{ taskSupport?: "forbidden" | "optional" | "required" }>();
  });

  it("a session writes a message unchanged but for its id, and leaves the response to its receiver [SS-72]", async () => {
    const { session, peer } = await scripted();
    const seen: unknown[] = [];
    session.addResponseRouter({ routeResponse: (...response) => (seen.push(response), true), routeError: () => false });
    const message = { jsonrpc: "2.0" as const, id: "task-t-1", method: "elicitation/create", params: { message: "A?" } };
    await session.sendRaw(message);
    expect(peer.sent).toEqual([message]);
    peer.push({ jsonrpc: "2.0", id: "task-t-1", result: { action: "decline" } });
    await turn();
    expect(seen).toEqual([["task-t-1", { action: "decline" }]]);
    const over = new BaseSession(createDirectPair()[0]);
    await expect(over.sendRaw(message)).rejects.toThrow("not sessions over a dispatcher");
  });
});
