/** What the checks of task stores are made of: a task with everything in it, and ways to say that something must be so. */
import { canonicalJson } from "../../base/json-values.ts";
import { LATEST_PROTOCOL_VERSION } from "../../protocol/versions.ts";
import type { TaskLease, TaskRecord } from "../../extensions/tasks/index.ts";

export const NOW = 1_700_000_000_000;
export const LEASE: TaskLease = { worker: "a", until: NOW + 1_000 };
export const ROOM = { maxTasks: 1_000, maxTasksPerOwner: 1_000 };

/** A task as it is kept, with everything in it that JSON can hold. */
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
      params: { name: "job", arguments: { text: 'Zoë "\\ \u0000 😀', list: [null, 1.5, true] } },
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

/** Fails unless both are the same as JSON, whatever the order of their members. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [is, shouldBe] = [actual, expected].map((value) => (value === undefined ? "undefined" : canonicalJson(value)));
  if (is !== shouldBe) throw new Error(`${what}: expected ${shouldBe}, got ${is}`);
}

/** Fails unless it is refused with that limit's name. */
export async function refuses(put: () => unknown, limit: string): Promise<void> {
  try {
    await put();
  } catch (error) {
    if (error instanceof Error && "limit" in error && error.limit === limit) return;
    throw new Error(`expected the limit "${limit}"`, { cause: error });
  }
  throw new Error(`more than "${limit}" allows was taken`);
}

/** Milliseconds another process may take to hear of something. */
const PATIENCE = 2_000;

export async function within(told: () => boolean, what: string): Promise<void> {
  for (const end = Date.now() + PATIENCE; !told();) {
    if (Date.now() > end) throw new Error(`nobody was told ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
