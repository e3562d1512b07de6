/** Tasks on a `subscriptions/listen` stream: sends the complete state of each task when it changes. */
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../../../jsonrpc/mcp-error.ts";
import type { SubscriptionFilter } from "../../../protocol/lifecycle.ts";
import type { ListenExtension } from "../../../session/extension.ts";
import type { RequestContext } from "../../../session/request-context.ts";
import type { Codec } from "../../../wire/codec.ts";
import { toDetailed } from "../forms/extension-form.ts";
import { ownerOf } from "./owner.ts";
import type { TaskTable } from "../store/task-table.ts";

/** The most tasks that one stream may watch. */
const MAX_WATCHED = 100;

type Notify = (method: string, params: JsonObject) => void;

/** Watches the caller's own tasks among the given ids. Other ids are ignored. @throws McpError -32602 if the list is invalid */
export async function listenToTasks(
  table: TaskTable,
  context: RequestContext,
  { taskIds: wanted }: SubscriptionFilter,
  report: (error: unknown) => void,
): Promise<ListenExtension> {
  if (!isIds(wanted)) throw new McpError(ErrorCode.InvalidParams, `"taskIds" must be a list of at most ${MAX_WATCHED} strings`);
  const owner = ownerOf(context);
  const records = await Promise.all([...new Set(wanted)].map((id) => table.get(id)));
  const taskIds = records.flatMap((record) => (record?.owner === owner ? [record.id] : []));
  return {
    honoured: { taskIds },
    begin(notify) {
      const stops = taskIds.map((id) => follow(table, id, context.codec, notify, report));
      return () => stops.forEach((stop) => stop());
    },
  };
}

function isIds(wanted: unknown): wanted is readonly string[] {
  return Array.isArray(wanted) && wanted.length <= MAX_WATCHED && wanted.every((id) => typeof id === "string");
}

/** Sends the state of a task at once and after each change, one at a time, so that the order is kept. */
function follow(table: TaskTable, id: string, codec: Codec, notify: Notify, report: (error: unknown) => void): () => void {
  let last = "";
  let again = false;
  let busy = false;
  const tell = async (): Promise<void> => {
    again = true;
    if (busy) return;
    busy = true;
    while (again) {
      again = false;
      const record = await table.get(id);
      const params = record && toDetailed(record, codec);
      const text = JSON.stringify(params);
      if (params !== undefined && text !== last) notify("notifications/tasks", params);
      last = text;
    }
    busy = false;
  };
  const tellSafely = (): void => void tell().catch(report);
  const stop = table.watch(id, tellSafely);
  tellSafely();
  return stop;
}
