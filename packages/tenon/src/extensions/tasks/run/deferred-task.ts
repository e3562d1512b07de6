/** `ctx.task` of a call that is not a task, or becomes one when the handler calls `start`. */
import type { CallToolResult } from "../../../protocol/tools.ts";
import type { RequestContext } from "../../../session/request-context.ts";
import type { TaskContext } from "../../../session/tasks.ts";
import type { TaskRun } from "./task-run.ts";

export interface BegunTask {
  readonly task: TaskRun;
  /** The context of its handler. */
  readonly own: RequestContext;
  readonly created: CallToolResult;
}

/** `ctx.task` if the client does not support tasks. */
export const NO_TASK: TaskContext = {
  id: undefined,
  start: () => Promise.resolve(),
  status: (_message: string) => undefined,
};

/** `ctx.task` until the handler starts the task. */
export class DeferredTask implements TaskContext {
  /** Resolves with the result for the caller when a task begins. */
  readonly created: Promise<CallToolResult>;
  readonly begun: Promise<TaskRun>;
  readonly #begin: () => Promise<BegunTask>;
  #task: TaskRun | undefined;
  #starting: Promise<void> | undefined;
  #answer!: (created: CallToolResult) => void;
  #began!: (task: TaskRun) => void;

  constructor(begin: () => Promise<BegunTask>) {
    this.#begin = begin;
    this.created = new Promise((resolve) => {
      this.#answer = resolve;
    });
    this.begun = new Promise((resolve) => {
      this.#began = resolve;
    });
  }

  get id(): string | undefined {
    return this.#task?.id;
  }

  /** Resolves when `start` has succeeded or failed; undefined if the handler has not called it. */
  get settled(): Promise<void> | undefined {
    return this.#starting?.catch(() => undefined);
  }

  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    try {
      const { task, created } = await this.#begin();
      this.#task = task;
      this.#answer(created);
      this.#began(task);
    } catch (error) {
      this.#starting = undefined;
      throw error;
    }
  }

  status(message: string): void {
    this.#task?.status(message);
  }
}
