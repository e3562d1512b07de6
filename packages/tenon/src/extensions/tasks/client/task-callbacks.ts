/** Calls the progress and state callbacks of a caller that waits for a task. Errors of callbacks are reported only. */
import type { JsonObject } from "../../../jsonrpc/message.ts";
import type { Progress } from "../../../dispatch/dispatcher.ts";
import type { TaskWaitOptions } from "../../../session/tasks.ts";
import type { RemoteState } from "./remote-state.ts";

export class TaskCallbacks {
  readonly #options: Pick<TaskWaitOptions, "onProgress" | "onTask">;
  readonly #report: (error: unknown) => void;
  #shown = "";

  constructor(options: Pick<TaskWaitOptions, "onProgress" | "onTask">, report: (error: unknown) => void) {
    this.#options = options;
    this.#report = report;
  }

  progress({ progress, total, message }: JsonObject): void {
    const { onProgress } = this.#options;
    if (onProgress === undefined || typeof progress !== "number") return;
    const step: Progress = { progress };
    if (typeof total === "number") step.total = total;
    if (typeof message === "string") step.message = message;
    void this.#contain(() => onProgress(step));
  }

  /** Calls `onTask` if the state has changed. */
  state({ task }: RemoteState): void {
    const { onTask } = this.#options;
    const text = JSON.stringify(task);
    if (onTask === undefined || text === this.#shown) return;
    this.#shown = text;
    void this.#contain(() => onTask(task));
  }

  async #contain(callback: () => unknown): Promise<void> {
    try {
      await callback();
    } catch (error) {
      this.#report(error);
    }
  }
}
