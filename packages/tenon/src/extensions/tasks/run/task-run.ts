/**
 * One run of the handler of a task in this process: its questions, its steps and its end.
 *
 * Each change is stored before it takes effect. The run follows the store: answers come from there, and if the task has ended there or
 * belongs to another process, the handler is aborted.
 */
import type { Progress } from "../../../dispatch/dispatcher.ts";
import { waits } from "../../../base/waits.ts";
import { ErrorCode, LimitExceededError, McpError } from "../../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../../jsonrpc/message.ts";
import type { InputRequest } from "../../../protocol/input-required.ts";
import type { TaskStatus } from "../../../protocol/tasks.ts";
import { sleep, unref } from "../../../base/clock.ts";
import type { TaskContext } from "../../../session/tasks.ts";
import { RunQuestions, type AskingRun } from "./run-questions.ts";
import { withOutcome, hasEnded, type TaskOutcome, type TaskRecord } from "../store/task-record.ts";
import type { TaskTable } from "../store/task-table.ts";

/** Milliseconds between two stored status messages. */
const STATUS_INTERVAL = 250;
/** The waits before a store that is away is asked again, in milliseconds. */
const WAITS = { first: 100, longest: 2_000 };

/** Takes the secrets of a principal out of what clients see of a task. */
export type CleanTask = <T>(value: T, principal: string | undefined) => T;

export class TaskRun implements TaskContext, AskingRun {
  readonly id: string;
  /** Resolves when this run has ended, for whatever reason. */
  readonly over: Promise<void>;
  readonly #table: TaskTable;
  readonly #report: (error: unknown) => void;
  readonly #clean: CleanTask;
  readonly #abort = new AbortController();
  readonly #questions: RunQuestions = new RunQuestions(this);
  readonly #stopWatching: () => void;
  readonly #expiry: unknown;
  #record: TaskRecord;
  #ending: TaskStatus | undefined;
  #end!: () => void;
  #newest: Pick<TaskRecord, "statusMessage" | "progress"> | undefined;
  #telling = false;

  constructor(
    table: TaskTable,
    record: TaskRecord,
    { report, clean }: { readonly report: (error: unknown) => void; readonly clean: CleanTask },
  ) {
    this.id = record.id;
    this.#table = table;
    this.#record = record;
    this.#report = report;
    this.#clean = clean;
    this.over = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#stopWatching = table.watch(record.id, () => void this.#follow().catch(report));
    const expired = (): void => this.stop(new McpError(ErrorCode.InvalidRequest, "The task has expired"));
    this.#expiry = table.clock.setTimer(Math.max(0, record.createdAt + record.ttl - table.now()), expired);
    unref(this.#expiry);
  }

  /** Aborts if the task was cancelled, has expired, or belongs to another process. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get record(): TaskRecord {
    return this.#record;
  }

  /** The final status. A tool failure is a task failure. Undefined while the task runs, and if it has expired or belongs to another process. */
  get ending(): TaskStatus | undefined {
    return this.#ending;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  /** What clients and operators may see, without the secrets that the user gave. */
  clean<T>(value: T): T {
    return this.#clean(value, this.#record.call.principal);
  }

  // ---- questions and steps ----

  /** @param once distinguishes questions that are repeated on purpose */
  ask(name: string, request: InputRequest, once = ""): Promise<JsonObject> {
    return this.#questions.ask(name, request, once);
  }

  /** The id of the call, for the keys of its steps. */
  get call(): string {
    return this.#record.journal.call ?? this.id;
  }

  /** The journal entry of a step; undefined if the step has not run. */
  stepOf(name: string): readonly [string, unknown?] | undefined {
    return this.#record.journal.steps.find(([known]) => known === name);
  }

  /** Resolves when the step is stored and will not run again. @throws the reason that ended the run */
  async keepStep(entry: readonly [string, unknown?]): Promise<void> {
    await this.change((record) => {
      const { steps } = record.journal;
      const isKept = steps.some(([name]) => name === entry[0]); // by an attempt whose outcome was unknown
      return isKept ? record : { ...record, journal: { ...record.journal, steps: [...steps, entry] } };
    });
    this.#abort.signal.throwIfAborted();
  }

  /** @param progress the numbers of the message, if it is progress */
  status(message: string, progress?: Progress): void {
    this.#newest = { statusMessage: message, ...(progress && { progress }) };
    if (!this.#telling) this.#tell().catch(this.#report);
  }

  /** Stores the newest status message. Messages in between are dropped. */
  async #tell(): Promise<void> {
    this.#telling = true;
    while (this.#newest !== undefined && !this.#abort.signal.aborted) {
      const newest = this.#newest;
      this.#newest = undefined;
      await this.change((record) => ({ ...record, ...newest }));
      await new Promise<void>((resolve) => unref(this.#table.clock.setTimer(STATUS_INTERVAL, resolve)));
    }
    this.#telling = false;
  }

  // ---- the end ----

  /** Stores the outcome, unless the task has ended already. Waits for a store that is away: without the outcome the task would run again. */
  async finish(outcome: TaskOutcome): Promise<void> {
    try {
      await this.change((record) => withOutcome(record, outcome));
    } catch (error) {
      if (!(error instanceof LimitExceededError)) throw error;
      await this.change((record) => withOutcome(record, { error: error.toErrorData() }));
    } finally {
      this.stop(new McpError(ErrorCode.InvalidRequest, "The task has ended"));
    }
  }

  /** Fails the task, because this process ends. Does not wait for a store that is away. */
  async fail(error: McpError): Promise<void> {
    await this.#changeNow((record) => withOutcome(record, { error: error.toErrorData() }));
  }

  /** Aborts the handler. The task itself is unchanged. */
  stop(reason: unknown): void {
    if (this.#abort.signal.aborted) return;
    this.#stopWatching();
    this.#table.clock.clearTimer(this.#expiry);
    this.#abort.abort(reason);
    this.#questions.end(reason);
    this.#end();
  }

  // ---- following the store ----

  /** Changes the record, if the task still belongs to this run. Waits for a store that is away, because its return must not fail the task. */
  async change(change: (record: TaskRecord) => TaskRecord | undefined): Promise<void> {
    for (const pauses = waits(WAITS); ;) {
      try {
        return await this.#changeNow(change);
      } catch (error) {
        if (this.#abort.signal.aborted || !isStoreAway(error)) throw error;
      }
      await sleep(this.#table.clock, pauses.next(), this.#abort.signal);
    }
  }

  async #changeNow(change: (record: TaskRecord) => TaskRecord | undefined): Promise<void> {
    const { run } = this.#record;
    const changed = await this.#table.change(this.id, (record) => (record.run === run ? this.#shown(change(record)) : undefined));
    if (changed === undefined) await this.#follow();
    else this.#see(changed);
  }

  /** A record without secrets in what clients see. Steps keep theirs: the handler goes on with them. */
  #shown(record: TaskRecord | undefined): TaskRecord | undefined {
    if (record === undefined) return undefined;
    const { statusMessage, progress, outcome } = record;
    const requests = this.clean(record.questions.map(({ request }) => request));
    const questions = record.questions.map((question, at) => ({ ...question, request: requests[at]! }));
    const isSame = record.questions.every(({ request }, at) => request === requests[at]);
    const state = { ...(statusMessage !== undefined && { statusMessage }), ...(progress && { progress }), ...(outcome && { outcome }) };
    return { ...record, ...this.clean(state), ...(!isSame && { questions }) };
  }

  async #follow(): Promise<void> {
    this.#see(await this.#table.get(this.id));
  }

  #see(record: TaskRecord | undefined): void {
    if (record === undefined || hasEnded(record) || record.run !== this.#record.run) {
      if (record !== undefined && hasEnded(record)) this.#ending = isToolFailure(record) ? "failed" : record.status;
      const why = record?.status === "cancelled" ? "The task was cancelled" : "The task is no longer this process's";
      return this.stop(new McpError(ErrorCode.InvalidRequest, why));
    }
    if (record.version < this.#record.version) return;
    this.#record = record;
    this.#questions.settle();
  }
}

/** Whether a task has ended with a result that says that the tool failed. */
function isToolFailure({ outcome }: TaskRecord): boolean {
  return outcome !== undefined && "result" in outcome && outcome.result["isError"] === true;
}

/** Whether the engine of a store could not be asked. */
function isStoreAway(error: unknown): boolean {
  return McpError.isMcpError(error) && isJsonObject(error.data) && error.data["reason"] === "storeUnavailable";
}
