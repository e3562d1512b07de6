/**
 * Mends the envelope of a message: members that are null are absent, and `params` or `result` is `{}` if it is an empty list.
 *
 * Only a message that is not valid comes here. What was mended is noted at its params or result, for the codec that reads them: it knows
 * whether the connection takes such messages, and reports them.
 */
import { isJsonObject, noteMended, type JsonObject, type MendedMember } from "./message.ts";

/** Notifications of the protocol begin so. A peer writes a null id only into those. */
const NOTIFICATION = "notifications/";

/** A copy of a message with a mended envelope, valid or not; undefined if there is nothing to mend. */
export function mendEnvelope(message: JsonObject): JsonObject | undefined {
  const members = membersToMend(message);
  if (members.length === 0) return undefined;
  const mended = { ...message };
  for (const { name, was } of members) {
    if (was === "empty-list") mended[name] = {};
    else delete mended[name];
  }
  const content = mended["method"] === undefined ? mended["result"] : (mended["params"] ??= {});
  if (isJsonObject(content)) noteMended(content, members);
  return mended;
}

function membersToMend(message: JsonObject): MendedMember[] {
  const { method, id, params, result } = message;
  const members: MendedMember[] = [];
  for (const name of ["method", "params", "result", "error"] as const) if (message[name] === null) members.push({ name, was: "null" });
  if (id === null && typeof method === "string" && method.startsWith(NOTIFICATION)) members.push({ name: "id", was: "null" });
  if (Array.isArray(params) && params.length === 0) members.push({ name: "params", was: "empty-list" });
  if (Array.isArray(result) && result.length === 0) members.push({ name: "result", was: "empty-list" });
  return members;
}
