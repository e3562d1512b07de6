/**
 * Mends the envelope of a message: members that are null are absent, `params` or `result` is `{}` if it is an empty list, and such an error is
 * absent.
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
    if (was === "empty-list" && name !== "error") mended[name] = {};
    else delete mended[name];
  }
  const content = mended["method"] === undefined ? mended["result"] : (mended["params"] ??= {});
  if (isJsonObject(content)) noteMended(content, members);
  return mended;
}

function membersToMend(message: JsonObject): MendedMember[] {
  const { method, id } = message;
  const members: MendedMember[] = [];
  for (const name of ["method", "params", "result", "error"] as const) {
    const value = message[name];
    if (value === null) members.push({ name, was: "null" });
    else if (Array.isArray(value) && value.length === 0) members.push({ name, was: "empty-list" });
  }
  if (id === null && typeof method === "string" && method.startsWith(NOTIFICATION)) members.push({ name: "id", was: "null" });
  return members;
}
