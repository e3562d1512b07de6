/** Middleware for tool calls that may become tasks: requests a task if the revision needs that, and waits for it. */
import { isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import { isJsonObject, type JsonObject } from "../../../jsonrpc/message.ts";
import { CLIENT_CAPABILITIES_KEY } from "../../../protocol/meta-keys.ts";
import type { ListToolsResult, Tool } from "../../../protocol/tools.ts";
import type { ToolCallOptions } from "../../../client/call/outgoing-request.ts";
import { items } from "../../../client/call/pages.ts";
import type { OutboundContext } from "../../../session/extension.ts";
import type { Handler } from "../../../session/handler.ts";
import { unlessAborted } from "../../../base/abort.ts";
import { EXTENSION_ID } from "../forms/task-forms.ts";
import { toRemoteState } from "./remote-state.ts";
import type { TaskClient } from "./task-client.ts";
import { cancelTask, TaskWait } from "./task-wait.ts";

/** The most tools that are remembered. Above it all are dropped, and listed again when they are called. */
const MAX_TOOLS = 10_000;

export class TaskCalls {
  readonly #tasks: TaskClient;
  /** The `taskSupport` of each tool; undefined if a tool declares none (2025-11-25). */
  readonly #tools = new Map<string, string | undefined>();

  constructor(tasks: TaskClient) {
    this.#tasks = tasks;
  }

  /** Drops what is remembered, because the list of tools changed. */
  forget(): void {
    this.#tools.clear();
  }

  middleware<C extends OutboundContext>(next: Handler<C>): Handler<C> {
    return (request) => {
      if (request.method === "tools/list") return this.#learn(next(request));
      return request.method === "tools/call" && this.#tasks.available ? this.#call(request, next) : next(request);
    };
  }

  #call<C extends OutboundContext>(request: C, next: Handler<C>): MaybePromise<JsonObject> {
    const { task = true } = request.options as ToolCallOptions; // the options of a tool call
    if (!this.#tasks.host.codec.stateless) return task === false ? next(request) : this.#ask(request, next, task);
    const result = next(task === false ? this.#hideExtension(request) : request);
    return isPromise(result) ? result.then((value) => this.#await(request, value)) : this.#await(request, result);
  }

  /** The request without the extension in its capabilities, so that the server returns the result and not a task. */
  #hideExtension<C extends OutboundContext>(request: C): C {
    const { codec, identity } = this.#tasks.host;
    const { [EXTENSION_ID]: _, ...extensions } = identity.capabilities.extensions ?? {};
    const capabilities = codec.encodeClientCapabilities({ ...identity.capabilities, extensions });
    const meta = isJsonObject(request.params["_meta"]) ? request.params["_meta"] : {};
    return { ...request, params: { ...request.params, _meta: { ...meta, [CLIENT_CAPABILITIES_KEY]: capabilities } } };
  }

  /** Requests a task if the tool supports that. */
  async #ask<C extends OutboundContext>(request: C, next: Handler<C>, task: true | { ttl?: number }): Promise<JsonObject> {
    const support = await this.#supportOf(request.params["name"]);
    if (support !== "optional" && support !== "required") return next(request);
    const outgoing = { ...request, options: withEachStepOnce(request.options) };
    const { signal, ...options } = outgoing.options;
    signal?.throwIfAborted();
    // A request for a task is cancelled by the id of the task and not by its own. The caller is released at once; the id is awaited in
    // the background.
    const params = { ...request.params, task: task === true ? {} : task };
    const answer = next({ ...request, params, options: { ...options, cancelOnAbandon: false } });
    let result: JsonObject;
    try {
      result = await unlessAborted(answer, signal);
    } catch (error) {
      if (signal?.aborted) void this.#cancelLate(answer);
      throw error;
    }
    return this.#await(outgoing, result);
  }

  /** Cancels the task of a call that its caller has cancelled. */
  async #cancelLate(answer: MaybePromise<JsonObject>): Promise<void> {
    try {
      const { task } = await answer;
      if (isJsonObject(task)) cancelTask(this.#tasks.host, String(task["taskId"]));
    } catch {
      // The call failed, so there is no task.
    }
  }

  #await({ options }: OutboundContext, result: JsonObject): MaybePromise<JsonObject> {
    const { codec, reading } = this.#tasks.host;
    const created = codec.stateless ? (result["resultType"] === "task" ? result : undefined) : result["task"];
    if (!isJsonObject(created)) return result;
    const taskId = String(created["taskId"]);
    return new TaskWait(this.#tasks, taskId, options).run(toRemoteState(codec, taskId, created, reading));
  }

  // ---- the task support of tools, on revisions where clients request tasks ----

  #learn(page: MaybePromise<JsonObject>): MaybePromise<JsonObject> {
    if (isPromise(page)) return page.then((value) => this.#learn(value));
    if (this.#tools.size > MAX_TOOLS) this.forget();
    for (const { name, execution } of page["tools"] as readonly Tool[]) this.#tools.set(name, execution?.taskSupport); // checked by the codec
    return page;
  }

  async #supportOf(name: unknown): Promise<string | undefined> {
    if (typeof name !== "string") return undefined;
    if (!this.#tools.has(name)) await this.#lookUp(name);
    return this.#tools.get(name);
  }

  /** Reads the list until it contains the tool. No task is requested of a tool that is not listed. */
  async #lookUp(name: string): Promise<void> {
    const { host } = this.#tasks;
    const list = (cursor?: string): Promise<ListToolsResult> =>
      host.request("tools/list", cursor === undefined ? {} : { cursor }) as Promise<ListToolsResult>; // checked by the codec
    try {
      for await (const tool of items(list, ({ tools }) => tools)) if (tool.name === name) return;
    } catch (error) {
      host.report(error);
    }
    this.#tools.set(name, this.#tools.get(name));
  }
}

/** Progress that arrives beside the response is heard by the call and by what waits for its task: `onProgress` gets it once. */
function withEachStepOnce<Options extends OutboundContext["options"]>(options: Options): Options {
  const { onProgress } = options;
  if (onProgress === undefined) return options;
  let last = -Infinity;
  return {
    ...options,
    onProgress: (step) => {
      if (!(step.progress > last)) return undefined;
      last = step.progress;
      return onProgress(step);
    },
  };
}
