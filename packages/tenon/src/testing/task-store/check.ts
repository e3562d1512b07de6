/** One check of a task store. */
import type { TaskStore } from "../../extensions/tasks/index.ts";

/** One requirement of a `TaskStore`, as a check on an empty store. */
export interface TaskStoreCheck {
  /** What is checked, for the title of a test. */
  readonly name: string;
  /** Rejects if the store violates the requirement. */
  readonly run: (store: TaskStore) => Promise<void>;
}
