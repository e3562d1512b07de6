/** Tools that run as tasks only (2025-11-25), for callers that request no task: the gateway waits for the result. */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { abortOf } from "../dispatch/pending.ts";
import type { ForwardedRequest, Lane } from "./lane.ts";
import type { LaneCall } from "./lane-questions.ts";
import type { Listing } from "./listing.ts";

/** Names of such tools, by the lists that name them. */
const required = new WeakMap<Listing, ReadonlySet<string>>();

/** Sends a request, and resolves with the result as the server sent it: for such a tool that of its task. */
export function requestOf(lane: Lane, request: ForwardedRequest, call: LaneCall): Promise<JsonObject> {
  const { method, params } = request;
  const isTask = method === "tools/call" && params["task"] === undefined && requiredIn(lane.listing).has(params["name"] as string); // checked by the codec
  return isTask ? waitForTask(lane, request, call) : lane.request(request, call);
}

function requiredIn(listing: Listing): ReadonlySet<string> {
  let names = required.get(listing);
  if (names === undefined) {
    const tools = listing.tool.filter(({ execution }) => isJsonObject(execution) && execution["taskSupport"] === "required");
    required.set(listing, (names = new Set(tools.map(({ name }) => name as string)))); // as listed
  }
  return names;
}

async function waitForTask(lane: Lane, request: ForwardedRequest, call: LaneCall): Promise<JsonObject> {
  const { identity, options, params } = request;
  const created = await lane.request({ ...request, params: { ...params, task: {} } }, call);
  const { task } = created;
  if (!isJsonObject(task)) return created;
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
