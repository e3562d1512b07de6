/** Notifications to text: the part of writing messages that runs thousands of times within one request. */
import type { JsonObject } from "./message.ts";

/** What stands before the params, by method. */
const heads = new Map<string, string>();
/** Methods that are remembered: there are few that one side sends. */
const MAX_KEPT = 32;

/** Built around its params, which are all that differs from one to the next of its method. */
export function notificationText(method: string, params: JsonObject): string {
  if (method === "notifications/progress" && isStep(params)) return stepText(params);
  let head = heads.get(method);
  if (head === undefined) {
    head = `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":`;
    if (heads.size < MAX_KEPT) heads.set(method, head);
  }
  return `${head}${JSON.stringify(params)}}`;
}

/** A step of progress that says nothing but how far it is. */
interface Step extends JsonObject {
  readonly progressToken: string | number;
  readonly progress: number;
  readonly total?: number;
}

/** The text around the number of the last step: mostly the next differs in the number only. */
let latest: { readonly token?: string | number; readonly total?: number | undefined; readonly around: readonly string[] } = { around: [] };

function isStep(params: JsonObject): params is Step {
  const { progressToken, progress, total, toJSON } = params;
  if (!(typeof progressToken === "string" || Number.isFinite(progressToken)) || !Number.isFinite(progress)) return false;
  if (!(total === undefined || Number.isFinite(total)) || toJSON !== undefined) return false;
  for (const name in params) if (name !== "progress" && name !== "progressToken" && name !== "total") return false;
  return true;
}

function stepText(step: Step): string {
  const { progressToken: token, progress, total } = step;
  if (token !== latest.token || total !== latest.total) {
    const text = JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: { ...step, progress: 0 } });
    // The member itself: within a string its quotes would be escaped.
    latest = { token, total, around: text.split(/(?<="progress":)0/) };
  }
  return `${latest.around[0]!}${progress}${latest.around[1]!}`;
}
