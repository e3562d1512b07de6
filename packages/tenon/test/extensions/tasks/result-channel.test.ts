/** `tasks/result` of 2025-11-25 as a channel: the questions of a task leave beside it. */
import { describe, expect, it } from "vitest";
import type { JsonObject, Task } from "tenon";
import { EventReader } from "../../http/event-reader.ts";
import { serve } from "../../http/support.ts";
import { RawClient } from "../../support/raw-client.ts";
import { form, RELATED, taskServer } from "./support.ts";

/** A task that asks a question, and its client. */
async function askingTask(): Promise<{ readonly client: RawClient; readonly taskId: string }> {
  const { server } = taskServer();
  server.tool("job", { task: true }, async (_input, ctx) => {
    const { action } = await ctx.elicit("a", { message: "A?", schema: form("x", "string") });
    return action;
  });
  const client = new RawClient(server);
  await client.initialize("2025-11-25", { elicitation: {} });
  const [created] = await client.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "job", task: {} } });
  const { taskId } = (created!["result"] as { task: Task }).task;
  await client.send();
  return { client, taskId };
}

describe("tasks/result as a channel", () => {
  it("questions leave beside it in order, with own ids; then the result, on the same stream [N7 N8 TK-17]", async () => {
    const { server } = taskServer();
    server.tool("job", { task: true }, async (_input, ctx) => {
      const asked = ["a", "b", "c"].map((name) => ctx.elicit(name, { message: name, schema: form("x", "string") }));
      await ctx.progress(1);
      const answers = await Promise.all(asked);
      const last = await ctx.elicit("last", { message: "last", schema: form("x", "string") });
      return [...answers, last].map(({ action }) => action).join();
    });
    const http = await serve(server);
    const session = await http.open("2025-11-25", { elicitation: {} });
    const call = {
      jsonrpc: "2.0",
      id: 7,
      method: "tools/call",
      params: { name: "job", task: {}, _meta: { progressToken: "p" } },
    };
    const { taskId } = ((await session.send(call)).json["result"] as { task: Task }).task;
    const stream = await EventReader.open(http.port, {
      headers: session.headers,
      body: { jsonrpc: "2.0", id: 8, method: "tasks/result", params: { taskId } },
    });
    const next = async (): Promise<JsonObject> => {
      for (;;) {
        const { data } = await stream.next();
        if (data !== "") return JSON.parse(data) as JsonObject;
      }
    };
    const related = { [RELATED]: { taskId } };
    for (const [message, action] of Object.entries({ a: "accept", b: "decline", c: "cancel", last: "decline" })) {
      const request = await next();
      expect(request).toMatchObject({ method: "elicitation/create", params: { message, _meta: related } });
      expect(request["id"]).toMatch(new RegExp(`^task-${taskId}-`));
      const content = action === "accept" ? { content: { x: "y" } } : {};
      await session.send({ jsonrpc: "2.0", id: request["id"], result: { action, ...content } });
    }
    expect(await next()).toEqual({
      jsonrpc: "2.0",
      id: 8,
      result: { content: [{ type: "text", text: "accept,decline,cancel,decline" }], _meta: related },
    });
  });

  it("a question that the task no longer asks is cancelled at the client, which learns why [N7 N8]", async () => {
    const { client, taskId } = await askingTask();
    const [question] = await client.send({ jsonrpc: "2.0", id: 2, method: "tasks/result", params: { taskId } });
    const written = await client.send({ jsonrpc: "2.0", id: 3, method: "tasks/cancel", params: { taskId } });
    expect(written.find(({ method }) => method === "notifications/cancelled")).toMatchObject({
      params: { requestId: question!["id"], reason: "The task no longer asks" },
    });
    expect(written.find(({ id }) => id === 2)).toMatchObject({ error: { message: "The task has no result: it is cancelled" } });
  });

  it("a question whose stream broke is sent again to the next client that waits [N7]", async () => {
    const { client, taskId } = await askingTask();
    const [lost] = await client.send({ jsonrpc: "2.0", id: 2, method: "tasks/result", params: { taskId } });
    expect(lost).toMatchObject({ method: "elicitation/create" });
    const cancelled = await client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } });
    expect(cancelled).toMatchObject([{ method: "notifications/cancelled", params: { requestId: lost!["id"] } }]);
    const [again] = await client.send({ jsonrpc: "2.0", id: 3, method: "tasks/result", params: { taskId } });
    expect(again).toMatchObject({ method: "elicitation/create", params: { message: "A?" } });
    const written = await client.send({ jsonrpc: "2.0", id: again!["id"], result: { action: "decline" } });
    expect(written.find(({ id }) => id === 3)).toMatchObject({ result: { content: [{ text: "decline" }] } });
  });
});
