/**
 * Checks of a `TaskStore`, for any test runner:
 *
 * for (const { name, run } of taskStoreChecks) test(name, async () => run(await createStore()));
 *
 * Each check needs an empty store. No check depends on the system clock, so a store may use its own.
 */
import { recordChecks } from "./task-store/record-checks.ts";
import { tableChecks } from "./task-store/table-checks.ts";
import type { TaskStoreCheck } from "./task-store/support.ts";

export type { TaskStoreCheck } from "./task-store/support.ts";

/** The checks. Each needs its own store. */
export const taskStoreChecks: readonly TaskStoreCheck[] = [...recordChecks, ...tableChecks];
