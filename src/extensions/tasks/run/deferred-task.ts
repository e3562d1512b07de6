/** `ctx.task` where there is no task: none at all, or none until the handler says so. */
import type { CallToolResult } from "../../../protocol/tools.ts";
import type { RequestContext } from "../../../session/request-context.ts";
import type { TaskContext } from "../../../session/tasks.ts";
import type { TaskRun } from "./task-run.ts";

/** A task that has just begun. */
export interface BegunTask {
  readonly task: TaskRun;
  /** What its handler works with. */
  readonly own: RequestContext;
  /** What its caller is answered with. */
  readonly created: CallToolResult;
}

/** `ctx.task` of a caller that knows none. */
export const NO_TASK: TaskContext = {
  id: undefined,
  start: () => Promise.resolve(),
  status: (_message: string) => undefined,
};

/** `ctx.task` until the handler says that there is one. */
export class DeferredTask implements TaskContext {
  /** What the caller is answered with; never, where no task begins. */
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

  /** Resolves when it is settled whether there is a task, where the handler has begun one. */
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
