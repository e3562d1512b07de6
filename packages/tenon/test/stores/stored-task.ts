/** A task as stores keep it. */
import type { TaskRecord } from "tenon/ext/tasks";

/** `more` are members that differ. */
export function storedTask(id: string, more: Partial<TaskRecord> = {}): TaskRecord {
  // never run
  const call = { method: "tools/call", params: { name: "t" }, version: "2026-07-28", client: { capabilities: {} } } as never;
  const journal = { answers: [], refusals: [], steps: [], keys: [] };
  const times = { createdAt: 1, updatedAt: 1, ttl: 1_000, pollInterval: 1 };
  const runs = { restart: false, run: 1, tries: 1, maxRuns: 1 };
  return { id, owner: "", version: 1, status: "working", ...times, ...runs, call, journal, questions: [], ...more };
}
