/** Tools that run as tasks only, for callers that cannot ask for a task: the gateway waits for the result. */
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { abortOf } from "../../dispatch/pending.ts";
import type { ForwardedRequest, Lane } from "../servers/lane.ts";
import type { LaneCall } from "../asking/lane-questions.ts";
import type { Listing } from "../catalog/listing.ts";
import { assertNewTask } from "./given-tasks.ts";

/** Whether each tool of a list can be a task (2025-11-25). */
const supports = new WeakMap<Listing, ReadonlyMap<string, "optional" | "required">>();

/** Sends a request, and resolves with the result as the server sent it: for such a tool, the result of its task. */
export function requestThroughTask(lane: Lane, request: ForwardedRequest, call: LaneCall): Promise<JsonObject> {
  const { method, params } = request;
  if (method !== "tools/call" || params["task"] !== undefined) return lane.request(request, call);
  const isTask = taskSupportOf(lane.listing, params["name"] as string) === "required"; // checked by the codec
  return isTask ? waitForTask(lane, request, call) : lane.request(request, call);
}

/** Undefined if calls of the tool cannot be tasks. */
export function taskSupportOf(listing: Listing, name: string): "optional" | "required" | undefined {
  let known = supports.get(listing);
  if (known === undefined) {
    const named = listing.tool.flatMap(({ name: tool, execution }) => {
      const support = isJsonObject(execution) ? execution["taskSupport"] : undefined;
      return support === "optional" || support === "required" ? [[tool as string, support] as const] : []; // as listed
    });
    supports.set(listing, (known = new Map(named)));
  }
  return known.get(name);
}

async function waitForTask(lane: Lane, request: ForwardedRequest, call: LaneCall): Promise<JsonObject> {
  const { identity, options, params } = request;
  const created = await lane.request({ ...request, params: { ...params, task: {} } }, call);
  const { task } = created;
  if (!isJsonObject(task)) return created;
  assertNewTask(lane, created);
  const about = { params: { taskId: task["taskId"] }, identity };
  try {
    // The caller's own limits end it.
    const endless = { ...options, timeout: Infinity, maxTotalTimeout: Infinity };
    return await lane.request({ ...about, method: "tasks/result", options: endless }, call);
  } catch (error) {
    if (abortOf(options)?.aborted === true) lane.request({ ...about, method: "tasks/cancel", options: {} }, call).catch(() => undefined); // the task ends by its own time limit
    throw error;
  }
}
