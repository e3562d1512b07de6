/** Helpers of the task store checks: a complete task, and what such a store must do with it. */
import { LATEST_PROTOCOL_VERSION } from "../../protocol/versions.ts";
import type { TaskLease, TaskRecord, TaskStore } from "../../extensions/tasks/index.ts";
import { until, type StoreCheck } from "../expectations.ts";

/** One requirement of a `TaskStore`, as a check on an empty store. */
export type TaskStoreCheck = StoreCheck<[store: TaskStore]>;

export const NOW = 1_700_000_000_000;
export const LEASE: TaskLease = { worker: "a", until: NOW + 1_000 };
export const ROOM = { maxTasks: 1_000, maxTasksPerOwner: 1_000 };

/** A stored task with every kind of JSON value. */
export function task(id: string, changes: Partial<TaskRecord> = {}): TaskRecord {
  return {
    id,
    owner: "principal one",
    version: 1,
    status: "working",
    createdAt: NOW,
    updatedAt: NOW,
    ttl: 3_600_000,
    pollInterval: 1_000,
    call: {
      method: "tools/call",
      params: { name: "job", arguments: { text: 'Zoë "\\ \u0000 \ud800 😀', list: [null, 1.5, true] } },
      version: LATEST_PROTOCOL_VERSION,
      client: { info: { name: "c", version: "1" }, capabilities: { elicitation: {} } },
    },
    restart: false,
    run: 3,
    tries: 2,
    maxRuns: 5,
    journal: { answers: [["name", "mark", { action: "decline" }]], refusals: [], steps: [["step", [1]], ["nothing"]], keys: ["name"] },
    questions: [{ key: "a", name: "a", mark: "m", request: { method: "roots/list" } }],
    ...changes,
  };
}

export const created = (id: string, createdAt: number, owner = "principal one"): TaskRecord => task(id, { createdAt, owner });
export const next = (record: TaskRecord, changes: Partial<TaskRecord> = {}): TaskRecord => ({
  ...record,
  ...changes,
  version: record.version + 1,
});

/** Fails unless `put` is refused with the name of that limit. */
export async function refuses(put: () => unknown, limit: string): Promise<void> {
  try {
    await put();
  } catch (error) {
    if (error instanceof Error && "limit" in error && error.limit === limit) return;
    throw new Error(`expected the limit "${limit}"`, { cause: error });
  }
  throw new Error(`more than "${limit}" allows was taken`);
}

export async function within(told: () => boolean, what: string): Promise<void> {
  await until(async () => told(), `a listener is called ${what}`);
}
