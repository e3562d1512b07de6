import { recordChecks } from "./task-store/record-checks.ts";
import { tableChecks } from "./task-store/table-checks.ts";
import type { TaskStoreCheck } from "./task-store/support.ts";

export type { TaskStoreCheck } from "./task-store/support.ts";

/**
 * Checks of a `TaskStore`, for any test runner:
 * `for (const { name, run } of taskStoreChecks) test(name, async () => run(await createStore()))`.
 * Each needs an empty store. No check depends on the system clock, so a store may use its own.
 */
export const taskStoreChecks: readonly TaskStoreCheck[] = [...recordChecks, ...tableChecks];
