/**
 * What every `TaskStore` must do, as checks that any test runner can run:
 *
 *   for (const { name, run } of taskStoreChecks) test(name, async () => run(await createStore()));
 *
 * Each check gets a store of its own, or one that holds no tasks of others. A store that keeps time by itself need not be
 * told of it: no check depends on time that passes.
 */
import { leaseChecks } from "./task-store/lease-checks.ts";
import { recordChecks } from "./task-store/record-checks.ts";
import { tableChecks } from "./task-store/table-checks.ts";
import type { TaskStoreCheck } from "./task-store/check.ts";

export type { TaskStoreCheck } from "./task-store/check.ts";

/** The checks; in each the store is its own. */
export const taskStoreChecks: readonly TaskStoreCheck[] = [...recordChecks, ...leaseChecks, ...tableChecks];
