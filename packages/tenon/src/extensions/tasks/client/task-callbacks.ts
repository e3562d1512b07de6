/** Calls the progress and state callbacks of a caller that waits for a task. Errors of callbacks are reported only. */
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { toProgress } from "../../../dispatch/progress.ts";
import type { TaskWaitOptions } from "../../../session/tasks.ts";
import type { RemoteState } from "./remote-state.ts";

export class TaskCallbacks {
  readonly #options: Pick<TaskWaitOptions, "onProgress" | "onTask">;
  readonly #report: (error: unknown) => void;
  #shown = "";
  #reported: string | undefined;

  constructor(options: Pick<TaskWaitOptions, "onProgress" | "onTask">, report: (error: unknown) => void) {
    this.#options = options;
    this.#report = report;
  }

  progress(params: JsonObject): void {
    const { onProgress } = this.#options;
    const step = toProgress(params);
    if (onProgress === undefined || step === undefined) return;
    void this.#contain(() => onProgress(step));
  }

  /** Calls `onProgress` if the state has new progress, and `onTask` if it has changed itself. */
  state({ task, progress }: RemoteState): void {
    const { onTask } = this.#options;
    const reported = JSON.stringify(progress);
    if (progress !== undefined && reported !== this.#reported) {
      this.#reported = reported;
      this.progress({ ...progress });
    }
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
