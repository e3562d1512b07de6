/**
 * The tasks that run in this process: begun by a call, or taken over from a process that has ended.
 *
 * A lease says which process runs a task. Each sweep renews the leases of this process and finds tasks without a lease. Such a task runs
 * again if its tool allows that, and otherwise fails. A task that crashes its process would crash every process in turn, so its runs are
 * limited, and its lease grows with each run.
 */
import { finishesWithin } from "../../../base/clock.ts";
import { DamagedEntryError } from "../../../storage/damaged-entry.ts";
import { ErrorCode, McpError } from "../../../jsonrpc/mcp-error.ts";
import { withOutcome, hasEnded, type TaskRecord } from "../store/task-record.ts";
import type { TaskEvent } from "../../../session/tasks.ts";
import { TaskRun, type CleanTask } from "./task-run.ts";
import type { TaskTable } from "../store/task-table.ts";

/** The most abandoned tasks that are handled in one sweep. */
const MAX_TAKEN = 20;

export interface TaskRunsOptions {
  /** Runs a task that another process began. */
  readonly rerun: (run: TaskRun) => void;
  readonly report: (error: unknown) => void;
  readonly clean: CleanTask;
  /** Called at the start and the end of each run. */
  readonly onRun: ((event: TaskEvent) => void) | undefined;
}

export class TaskRuns {
  readonly #table: TaskTable;
  readonly #options: TaskRunsOptions;
  readonly #runs = new Map<string, TaskRun>();
  #closed = false;

  constructor(table: TaskTable, options: TaskRunsOptions) {
    this.#table = table;
    this.#options = options;
    table.onRound = () => this.#round();
  }

  /** Begins the run of a task whose lease this process has. */
  begin(record: TaskRecord): TaskRun {
    const run = new TaskRun(this.#table, record, this.#options);
    this.#runs.set(record.id, run);
    this.#tell(run, "working");
    void run.over.then(() => {
      this.#runs.delete(record.id);
      this.#tell(run, run.ending ?? "left");
    });
    return run;
  }

  #tell({ record }: TaskRun, status: TaskEvent["status"]): void {
    const duration = status === "working" ? 0 : this.#table.now() - record.createdAt;
    try {
      this.#options.onRun?.({ tool: String(record.call.params["name"]), status, duration });
    } catch (error) {
      this.#options.report(error);
    }
  }

  /** Resolves when no task runs in this process, or after `ms` milliseconds. */
  async drain(ms: number): Promise<void> {
    const { clock } = this.#table;
    const over = (async () => {
      while (this.#runs.size > 0) await Promise.all([...this.#runs.values()].map((run) => run.over));
    })();
    await finishesWithin(clock, ms, over);
  }

  /** Ends all runs: releases tasks that another process may run again; the others fail. */
  async close(): Promise<void> {
    this.#closed = true;
    const reason = new McpError(ErrorCode.InternalError, "The server was shut down");
    await Promise.all([...this.#runs.values()].map((run) => this.#giveUp(run, reason)));
    this.#table.close();
  }

  async #giveUp(run: TaskRun, reason: McpError): Promise<void> {
    try {
      if (!run.record.restart) return await run.fail(reason);
      run.stop(reason);
      await run.change((record) => ({ ...record, tries: record.tries - 1 }));
      await this.#table.store.release(run.id, this.#table.worker);
    } catch (error) {
      this.#options.report(error);
    } finally {
      run.stop(reason);
    }
  }

  async #round(): Promise<void> {
    const { store } = this.#table;
    for (const run of [...this.#runs.values()]) {
      const ours = await store.lease(run.id, this.#table.nextLease(run.record.tries), this.#table.now());
      if (!ours) run.stop(new McpError(ErrorCode.InvalidRequest, "Another process has taken the task over"));
    }
    for (const id of await store.abandoned(this.#table.now(), MAX_TAKEN)) await this.#takeOverIfSound(id);
  }

  /** A task whose record is damaged must not keep others from being taken over: its lease hides it for a while. */
  async #takeOverIfSound(id: string): Promise<void> {
    const table = this.#table;
    try {
      await this.#takeOver(id);
    } catch (error) {
      if (!(error instanceof DamagedEntryError)) throw error;
      this.#options.report(error);
      await table.store.lease(id, table.nextLease(1), table.now());
    }
  }

  async #takeOver(id: string): Promise<void> {
    const table = this.#table;
    if (this.#closed || this.#runs.has(id)) return;
    const found = await table.get(id);
    // The lease is taken before the handler runs, because a handler may crash the process at once.
    if (found === undefined || !(await table.store.lease(id, table.nextLease(found.tries + 1), table.now()))) return;
    const taken = await table.change(id, withAnotherRun);
    if (taken === undefined) return;
    if (!hasEnded(taken)) return this.#options.rerun(this.begin(taken));
    const tool = JSON.stringify(taken.call.params["name"]);
    this.#options.report(new Error(`Task ${id} of tool ${tool} has failed: ${taken.statusMessage}`));
  }
}

/** An abandoned task with another run, or failed if its tool allows none. */
function withAnotherRun(record: TaskRecord): TaskRecord {
  const { restart, run, tries, maxRuns } = record;
  if (restart && tries < maxRuns) return { ...record, run: run + 1, tries: tries + 1 };
  const why = restart
    ? `The process ended in each of the ${maxRuns} runs that the tool's option "task.maxRuns" allows`
    : "The process that ran the task is gone";
  return withOutcome(record, { error: new McpError(ErrorCode.InternalError, why).toErrorData() });
}
