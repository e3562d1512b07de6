/** One check of a task store. */
import type { TaskStore } from "../../extensions/tasks/index.ts";

/** One thing that every `TaskStore` must do, to be run by any test runner on a store that is empty. */
export interface TaskStoreCheck {
  /** What is checked, for the title of a test. */
  readonly name: string;
  /** Rejects where the store does not do what it must. */
  readonly run: (store: TaskStore) => Promise<void>;
}
