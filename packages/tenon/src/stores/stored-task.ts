/** The records of tasks as engines keep them: JSON texts. One that is damaged is refused by name, and hides no other. */
import { DamagedEntryError, parseStored } from "../storage/damaged-entry.ts";
import type { TaskRecord } from "../extensions/tasks/index.ts";
import { isJsonObject } from "../jsonrpc/message.ts";

const WHAT = "The record of a task";
/** Members without which no part of the library can use a record, with their types. */
const MEMBERS = { id: "string", owner: "string", status: "string", version: "number", createdAt: "number", ttl: "number" } as const;
const OBJECTS = ["call", "journal", "questions"] as const;

/** @throws DamagedEntryError */
export function taskIn(text: string): TaskRecord {
  const record = parseStored(WHAT, text);
  if (!isJsonObject(record)) throw new DamagedEntryError(WHAT, "is not an object");
  for (const [name, type] of Object.entries(MEMBERS))
    if (typeof record[name] !== type) throw new DamagedEntryError(WHAT, `has no ${type} as "${name}"`);
  for (const name of OBJECTS)
    if (typeof record[name] !== "object" || record[name] === null) throw new DamagedEntryError(WHAT, `has no "${name}"`);
  return record as object as TaskRecord; // checked above
}

/** The records that can be read. `onDamaged` is called for each other one. */
export function tasksIn(texts: readonly string[], onDamaged: (error: unknown) => void): TaskRecord[] {
  return texts.flatMap((text) => {
    try {
      return [taskIn(text)];
    } catch (error) {
      onDamaged(error);
      return [];
    }
  });
}
