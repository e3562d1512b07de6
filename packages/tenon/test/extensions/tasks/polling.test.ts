/** How often a server polls a task of its client, and what it asks the client to keep: to the message, and to the millisecond. */
import { expect, onTestFinished, test, vi } from "vitest";
import type { JsonObject } from "tenon";
import { experimentalTasks } from "tenon/ext/tasks";
import { testServer } from "../../support/test-server.ts";
import { RawClient } from "../../support/raw-client.ts";

const FORM = {
  message: "Name?",
  requestedSchema: { type: "object" as const, properties: { name: { type: "string" as const } } },
};
const TASKS = { requests: { elicitation: { create: {} } } };
const at = "2025-11-25T00:00:00Z";

/** A task as a client states it. */
const task = (status: string, pollInterval?: number): JsonObject => ({
  taskId: "t1",
  status,
  createdAt: at,
  lastUpdatedAt: at,
  ttl: 60_000,
  ...(pollInterval !== undefined && { pollInterval }),
});

/** Begins a call whose handler asks as a task. Returns the client, and what it was asked. */
async function asked(options?: { readonly ttl?: number }): Promise<{ client: RawClient; request: JsonObject }> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const server = testServer();
  server.tool("ask", {}, async (_input, { session }) => (await experimentalTasks(session).elicitAsTask(FORM, options)).action);
  const client = new RawClient(server);
  await client.initialize("2025-11-25", { elicitation: {}, tasks: TASKS });
  const [request] = await client.send({ jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "ask" } });
  return { client, request: request! };
}

test.each([
  [undefined, 60_000],
  [{ ttl: 1_234 }, 1_234],
])("a question as a task with %j asks the client to keep it for %i ms [TK-10]", async (options, ttl) => {
  const { request } = await asked(options);
  expect(request).toMatchObject({ method: "elicitation/create", params: { mode: "form", ...FORM, task: { ttl } } });
});

test("the next poll comes when the last response says, or after half a second, and never sooner than 50 ms [TK-09]", async () => {
  const { client, request } = await asked();
  let polls = await client.send({ jsonrpc: "2.0", id: request["id"], result: { task: task("working") } });
  for (const [named, wait] of [
    [200, 200],
    [50, 50],
    [undefined, 500],
    [1, 50],
    [3_600_000, 60_000],
  ] as const) {
    expect(polls).toMatchObject([{ method: "tasks/get", params: { taskId: "t1" } }]);
    expect(await client.send({ jsonrpc: "2.0", id: polls[0]!["id"], result: task("working", named) })).toEqual([]);
    vi.advanceTimersByTime(wait - 1);
    expect(await client.send(), `${wait} ms have not passed`).toEqual([]);
    vi.advanceTimersByTime(1);
    polls = await client.send();
  }
  const [fetched] = await client.send({ jsonrpc: "2.0", id: polls[0]!["id"], result: task("completed") });
  expect(fetched).toMatchObject({ method: "tasks/result" });
  const [response] = await client.send({ jsonrpc: "2.0", id: fetched!["id"], result: { action: "decline" } });
  expect(response).toMatchObject({ id: 7, result: { content: [{ text: "decline" }] } });
});
