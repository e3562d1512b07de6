/**
 * What the tasks of one client share: notifications for those who listen, also such that came too early, and the end of the
 * connection.
 */
import { expect, test } from "vitest";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import type { ClientHost } from "../../../session/extension.ts";
import { TaskClient } from "./task-client.ts";

const STATUS = "notifications/tasks/status";
const RELATED = "io.modelcontextprotocol/related-task";

function clientOf(ended: AbortSignal = new AbortController().signal): TaskClient {
  return new TaskClient({ ended } as ClientHost, 1_000); // nothing else is looked at
}

function heardBy(client: TaskClient, taskId: string): { heard: unknown[]; stop: () => void } {
  const heard: unknown[] = [];
  return { heard, stop: client.subscribe(taskId, (method, params) => void heard.push([method, params])) };
}

test("a listener hears of its own task only, until it stops", () => {
  const client = clientOf();
  const one = heardBy(client, "one");
  const alike = heardBy(client, "one");
  const mine = [
    [STATUS, { taskId: "one", status: "working" }],
    ["notifications/tasks", { taskId: "one" }],
    ["notifications/progress", { progress: 1, _meta: { [RELATED]: { taskId: "one" } } }],
  ] as const;
  for (const [method, params] of mine) client.onNotification(method, params);
  client.onNotification(STATUS, { taskId: "two", status: "working" });
  client.onNotification(STATUS, { taskId: 1 });
  client.onNotification("notifications/progress", { taskId: "one", progress: 2 });
  client.onNotification("notifications/progress", { _meta: { [RELATED]: "one" } });
  expect(one.heard).toEqual(mine);
  expect(alike.heard).toEqual(mine);
  one.stop();
  client.onNotification(STATUS, { taskId: "one", status: "completed" });
  expect(one.heard).toHaveLength(3);
  expect(alike.heard).toHaveLength(4);
});

test("a listener gets the last state and the last progress that came before it, once", () => {
  const client = clientOf();
  const progress = (step: number): JsonObject => ({ progress: step, _meta: { [RELATED]: { taskId: "two" } } });
  client.onNotification("notifications/progress", progress(1));
  client.onNotification("notifications/progress", progress(2));
  client.onNotification(STATUS, { taskId: "two", status: "working" });
  client.onNotification(STATUS, { taskId: "two", status: "completed" });
  const first = heardBy(client, "two");
  expect(first.heard).toEqual([
    ["notifications/progress", progress(2)],
    [STATUS, { taskId: "two", status: "completed" }],
  ]);
  first.stop();
  expect(heardBy(client, "two").heard).toEqual([]);
});

test("of tasks without a listener a hundred states are kept, the newest ones [rule R5]", () => {
  const client = clientOf();
  for (let index = 0; index < 100; index++) client.onNotification(STATUS, { taskId: `t${index}` });
  for (const unnamed of [{}, { taskId: 1 }]) client.onNotification(STATUS, unnamed); // take no room
  client.onNotification(STATUS, { taskId: "t0" }); // the newest now
  client.onNotification(STATUS, { taskId: "t100" });
  expect(["t1", "t2", "t0", "t100"].map((id) => heardBy(client, id).heard.length)).toEqual([0, 1, 1, 1]);
});

test("the end of the connection reaches each that waits, and at once those that come later", () => {
  const end = new AbortController();
  const client = clientOf(end.signal);
  const told: string[] = [];
  client.onEnd(() => void told.push("first"));
  const stop = client.onEnd(() => void told.push("stopped"));
  stop();
  expect(told).toEqual([]);
  end.abort();
  expect(told).toEqual(["first"]);
  client.onEnd(() => void told.push("late"));
  expect(told).toEqual(["first", "late"]);
});
