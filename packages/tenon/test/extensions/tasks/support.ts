/** What tests of tasks share: a server with tools that become tasks, and both forms behind one set of words. */
import { expect } from "vitest";
import type { McpServer, Client, ConnectOptions, JsonObject, McpServerOptions } from "tenon";
import type { Extension } from "tenon/ext";
import { tasks, type TasksExtension, type TasksOptions } from "tenon/ext/tasks";
import { describeMatrix, type MatrixCell } from "../../support/matrix.ts";
import { testServer } from "../../support/test-server.ts";

export const TASKS = "io.modelcontextprotocol/tasks";
export const RELATED = "io.modelcontextprotocol/related-task";

/** The revisions that have tasks: in the core, and as an extension. */
export const FORMS = ["2025-11-25", "2026-07-28"] as const;

export const form = (name: string, type: string): { type: "object"; properties: JsonObject; required: string[] } => ({
  type: "object",
  properties: { [name]: { type } },
  required: [name],
});

export interface TaskServer {
  readonly server: McpServer;
  readonly extension: TasksExtension;
}

export function taskServer(options: TasksOptions = {}, serverOptions: McpServerOptions = {}): TaskServer {
  const extension = tasks(options);
  const server = testServer({ onError: () => undefined, ...serverOptions, extensions: [extension] });
  return { server, extension };
}

/** The tests of a body in both forms, over every transport. */
export function describeForms(title: string, body: (cell: MatrixCell) => void): void {
  describeMatrix(title, body, [...FORMS]);
}

/** Sends requests as they stand, with the extension declared and its headers, and without what its client does by itself. */
export function declaring(options: ConnectOptions = {}): ConnectOptions {
  const bare: Extension = { ...tasks(), serve: fail, attach: passing };
  return { ...options, extensions: [bare] };
}

function fail(): never {
  throw new Error("Not for servers");
}

/** An extension's client half that does nothing but let results pass. */
function passing(): ReturnType<Extension["attach"]> {
  return {
    middleware: (next) => next,
    resultTypes: (method) => (method === "tools/call" ? new Set(["task"]) : undefined),
    handlesRequest: () => false,
    wrapInbound: (next) => next,
    task: () => undefined,
  };
}

/** Calls a tool and returns the task it became, as created. */
export async function begin(client: Client, name: string, args: JsonObject = {}, task: JsonObject = {}): Promise<JsonObject> {
  const stateless = client.protocolVersion >= "2026-07-28";
  const result: JsonObject = await client.request("tools/call", { name, arguments: args, ...(!stateless && { task }) });
  const created = stateless ? result : (result["task"] as JsonObject);
  expect(created).toMatchObject({ taskId: expect.any(String) });
  return created;
}

export const idOf = (task: JsonObject): string => task["taskId"] as string;

export function get(client: Client, taskId: string): Promise<JsonObject> {
  return client.request("tasks/get", { taskId });
}

/** Looks until the task has that status. */
export async function reached(client: Client, taskId: string, status: string): Promise<JsonObject> {
  await expect.poll(async () => (await get(client, taskId))["status"], { interval: 5 }).toBe(status);
  return get(client, taskId);
}
