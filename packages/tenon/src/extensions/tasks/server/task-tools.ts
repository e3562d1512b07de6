/**
 * Implements the option `task` of a tool: its calls begin a task and return it, if the client supports tasks.
 *
 * With the extension the server decides, for every client that declares it. On 2025-11-25 the client decides, with `params.task`.
 */
import { isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import { ErrorCode, McpError, McpUsageError } from "../../../jsonrpc/mcp-error.ts";
import { MissingClientCapabilityError } from "../../../protocol/errors.ts";
import type { ClientCapabilities } from "../../../protocol/capabilities.ts";
import type { CallToolResult } from "../../../protocol/tools.ts";
import { ReplayQuestionChannel } from "../../../session/asking/rounds/replay-question-channel.ts";
import type { RunTool, ServerHost, ToolExtension } from "../../../session/extension.ts";
import { RequestContext } from "../../../session/request-context.ts";
import { hasCapabilities } from "../../../session/client-capabilities.ts";
import type { TaskToolOptions } from "../../../session/tasks.ts";
import { toTask } from "../forms/experimental-form.ts";
import { toCreated } from "../forms/extension-form.ts";
import { EXTENSION_ID, hasCoreTasks } from "../forms/task-forms.ts";
import { assertLifetime, type TasksSettings } from "../options.ts";
import { ownerOf } from "./owner.ts";
import { DeferredTask, NO_TASK, type BegunTask } from "../run/deferred-task.ts";
import { TaskQuestionChannel } from "../run/task-question-channel.ts";
import type { TaskExecution } from "../run/task-execution.ts";
import { asCancelled, EMPTY_JOURNAL, type TaskCall, type TaskJournal, type TaskRecord } from "../store/task-record.ts";
import { TaskRequest, withProgress, type Tell } from "../run/task-request.ts";
import type { TaskRun } from "../run/task-run.ts";
import type { TaskRuns } from "../run/task-runs.ts";
import type { TaskTable } from "../store/task-table.ts";

/** Default of a tool's `maxRuns`. */
const MAX_RUNS = 3;
const NEEDS: ClientCapabilities = { extensions: { [EXTENSION_ID]: {} } };

export interface TaskDependencies {
  readonly host: ServerHost;
  readonly settings: TasksSettings;
  readonly table: TaskTable;
  readonly runs: TaskRuns;
  readonly execution: TaskExecution;
  /** A function that sends notifications to the client of a task; undefined if the revision has none. */
  tellFor(record: TaskRecord, context: RequestContext): Tell | undefined;
}

export class TaskTools {
  readonly #dependencies: TaskDependencies;

  constructor(dependencies: TaskDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws RangeError if an option of the tool has a wrong value */
  tool(name: string, { task }: { task?: boolean | TaskToolOptions }): ToolExtension {
    if (task === undefined || task === false) return { call: refuseTask };
    const options = task === true ? {} : task;
    const {
      ttl = this.#dependencies.settings.ttl,
      pollInterval = this.#dependencies.settings.pollInterval,
      support = "optional",
    } = options;
    assertLifetime(`task.ttl" of tool "${name}`, ttl);
    assertLifetime(`task.pollInterval" of tool "${name}`, pollInterval);
    assertRuns(name, options.maxRuns);
    const own = { ...options, ttl, pollInterval };
    return {
      listed: { execution: { taskSupport: support } },
      call: (context, run) => this.#call(context, run, name, own),
    };
  }

  #call(context: RequestContext, run: RunTool, name: string, options: TaskToolOptions & Lifetimes): MaybePromise<CallToolResult> {
    // The task runs already; this is its handler.
    if (context.task !== undefined) return run(context);
    if (!knowsTasks(context)) {
      if (options.support === "required") throw taskRequiredError(name, context);
      context.task = NO_TASK;
      return run(context);
    }
    // On 2025-11-25 a client that requests a task gets it at once.
    const later = options.start === "handler" && context.codec.stateless;
    return later ? this.#callFirst(context, run, options) : this.#taskFirst(context, run, options);
  }

  async #taskFirst(context: RequestContext, run: RunTool, options: TaskToolOptions & Lifetimes): Promise<CallToolResult> {
    const { task, own, created } = await this.#begin(context, options);
    void this.#dependencies.execution.run(task, own, run);
    return created;
  }

  /** Runs the call first. It becomes a task when the handler says so. */
  #callFirst(context: RequestContext, run: RunTool, options: TaskToolOptions & Lifetimes): MaybePromise<CallToolResult> {
    const later = new DeferredTask(async () => {
      const begun = await this.#begin(context, options);
      context.continueFor(begun.own);
      context.questionChannel = begun.own.questionChannel;
      return begun;
    });
    context.task = later;
    const result = run(context);
    if (!isPromise(result)) return result;
    void later.begun.then((task) => this.#dependencies.execution.run(task, context, run, result));
    return Promise.race([later.created, whenSettled(result, later)]);
  }

  /** Creates the task and leases it. @throws LimitExceededError, or `signal.reason` */
  async #begin(context: RequestContext, options: TaskToolOptions & Lifetimes): Promise<BegunTask> {
    const { table, runs } = this.#dependencies;
    const { questionChannel, codec, signal } = context;
    if (questionChannel instanceof ReplayQuestionChannel && Object.keys(questionChannel.questions).length > 0) {
      throw new McpUsageError("A task cannot be started while a question is open");
    }
    // A task runs its own steps, so only one request with the same state may begin a task.
    if (questionChannel instanceof ReplayQuestionChannel) await questionChannel.claim();
    const begun = {
      owner: ownerOf(context),
      ttl: this.#ttlOf(context, options),
      pollInterval: options.pollInterval,
      call: callOf(context),
      restart: options.restart === true,
      maxRuns: options.maxRuns ?? MAX_RUNS,
      journal:
        questionChannel instanceof ReplayQuestionChannel ? journalOf(questionChannel) : { ...EMPTY_JOURNAL, call: crypto.randomUUID() },
    };
    const record = await table.create(begun, context.principal === undefined ? context.share : undefined);
    if (signal.aborted) {
      await table.change(record.id, asCancelled);
      throw signal.reason;
    }
    const task = runs.begin(record);
    const created = codec.stateless ? toCreated(record) : { task: toTask(record) };
    // The codec knows this kind of result.
    return { task, own: this.#contextOf(task, context), created: created as CallToolResult };
  }

  /** Makes the context of the task, which outlives the request. */
  #contextOf(task: TaskRun, context: RequestContext): RequestContext {
    const { codec, client, connection, params, principal } = context;
    const request = new TaskRequest(task, context.requestId, context.transport, this.#dependencies.tellFor(task.record, context));
    const identity = codec.stateless ? { codec, identity: client } : undefined;
    const own = new RequestContext(request, connection, codec.stateless ? withProgress(params) : params, context.lifespan, identity);
    own.principal = principal;
    own.questionSource = context.questionSource;
    own.task = task;
    own.questionChannel = new TaskQuestionChannel(task);
    return own;
  }

  /** The lifetime of the task. On 2025-11-25 the client may request one, up to `maxTtl`. @throws McpError -32602 if it is invalid */
  #ttlOf({ codec, params }: RequestContext, { ttl }: Lifetimes): number {
    const requested = codec.stateless ? undefined : (params["task"] as { ttl?: number }).ttl; // checked by the codec
    if (requested === undefined) return ttl;
    if (!(requested > 0)) throw new McpError(ErrorCode.InvalidParams, `"task.ttl" must be a number of milliseconds > 0, not ${requested}`);
    return Math.min(requested, this.#dependencies.settings.maxTtl);
  }
}

function assertRuns(tool: string, maxRuns = MAX_RUNS): void {
  if (Number.isInteger(maxRuns) && maxRuns >= 1) return;
  throw new RangeError(`Option "task.maxRuns" of tool "${tool}" must be a whole number >= 1, not ${maxRuns}`);
}

type Lifetimes = { readonly ttl: number; readonly pollInterval: number };

/** Whether this client accepts a task as a result, or requests one. */
function knowsTasks({ codec, client, params }: RequestContext): boolean {
  return codec.stateless ? hasCapabilities(client.capabilities, NEEDS) : hasCoreTasks(codec) && params["task"] !== undefined;
}

function taskRequiredError(name: string, { codec }: RequestContext): McpError {
  if (codec.stateless)
    return new MissingClientCapabilityError(NEEDS, `Tool "${name}" runs as a task: the client must declare the extension`);
  return new McpError(ErrorCode.MethodNotFound, `Tool "${name}" runs as a task only: the call must ask for one`);
}

function refuseTask(context: RequestContext, run: RunTool): MaybePromise<CallToolResult> {
  if (!context.codec.stateless && knowsTasks(context)) {
    throw new McpError(ErrorCode.MethodNotFound, `Tool "${String(context.params["name"])}" does not run as a task`);
  }
  return run(context);
}

/** The call in the form that another process needs to run it. */
function callOf(context: RequestContext): TaskCall {
  const { inputResponses: _responses, requestState: _state, task: _task, ...params } = context.params;
  const { method, codec, client, principal, auth } = context;
  return { method, params, version: codec.version, client, ...(principal !== undefined && { principal }), ...(auth && { auth }) };
}

/** The journal of the call's rounds, which the task continues. */
function journalOf(channel: ReplayQuestionChannel): TaskJournal {
  const { a: answers = [], s: steps = [], c: call } = channel.journal.toRecord([]);
  return { ...EMPTY_JOURNAL, call, answers, steps, keys: answers.map(([name]) => name) };
}

/** The result of a handler, after a pending `start` has settled. */
async function whenSettled(result: Promise<CallToolResult>, later: DeferredTask): Promise<CallToolResult> {
  try {
    return await result;
  } finally {
    await later.settled;
  }
}
