/** Notifications to text: the part of writing messages that runs thousands of times within one request. */
import type { JsonObject } from "./message.ts";

/** The text around the number of the last step of progress: mostly the next differs in the number only. */
let latest: { readonly token?: unknown; readonly total?: unknown; readonly around: readonly string[] } = { around: [] };

export function notificationText(method: string, params: JsonObject): string {
  if (method !== "notifications/progress" || !isStep(params)) return JSON.stringify({ jsonrpc: "2.0", method, params });
  const { progressToken: token, progress, total } = params;
  if (token !== latest.token || total !== latest.total) {
    const text = JSON.stringify({ jsonrpc: "2.0", method, params: { ...params, progress: 0 } });
    // The member itself: within a string its quotes would be escaped.
    latest = { token, total, around: text.split(/(?<="progress":)0/) };
  }
  return `${latest.around[0]!}${progress}${latest.around[1]!}`;
}

/** Whether it says nothing but how far what is. */
function isStep(params: JsonObject): params is JsonObject & { progress: number } {
  const { progressToken: token, progress, total } = params;
  const members = total === undefined ? 2 : 3;
  if (params["toJSON"] !== undefined || Object.keys(params).length !== members) return false;
  return (typeof token === "string" || typeof token === "number") && Number.isFinite(progress);
}
