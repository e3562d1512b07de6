/** What the tasks of one client share: the connection to the server, and the server's notifications about tasks. */
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { isJsonObject } from "../../../jsonrpc/message.ts";
import { RELATED_TASK_META_KEY } from "../../../protocol/meta-keys.ts";
import type { ClientHost } from "../../../session/extension.ts";
import { hasCoreTasks } from "../forms/task-forms.ts";

export const TASK_NOTIFICATIONS: readonly string[] = [
  "notifications/tasks",
  "notifications/tasks/status",
  "notifications/progress",
  "notifications/tools/list_changed",
];

/** What is kept of a task whose call has not returned: its last state and its last progress. */
const EARLY: ReadonlySet<string> = new Set(["notifications/tasks/status", "notifications/progress"]);
/** The most tasks of which it is kept. */
const MAX_EARLY = 100;

type Listener = (method: string, params: JsonObject) => void;

export class TaskClient {
  readonly host: ClientHost;
  /** The most milliseconds to wait for a task. */
  readonly maxWait: number;
  readonly #listeners = new Map<string, Set<Listener>>();
  /**
   * The last notification of each kind for tasks without a listener: it may come before the response to their call, or with it. Oldest task
   * first.
   */
  readonly #early = new Map<string, ReadonlyMap<string, JsonObject>>();

  /** Called when the connection ends. One listener of its signal serves all waits. */
  readonly #waits = new Set<() => void>();

  constructor(host: ClientHost, maxWait: number) {
    this.host = host;
    this.maxWait = maxWait;
    host.ended.addEventListener("abort", () => {
      for (const end of [...this.#waits]) end();
    });
  }

  /** Calls `listener` when the connection ends; at once if it has ended. Returns a function that stops this. */
  onEnd(listener: () => void): () => void {
    this.#waits.add(listener);
    if (this.host.ended.aborted) listener();
    return () => this.#waits.delete(listener);
  }

  get available(): boolean {
    const { codec, serverCapabilities } = this.host;
    return codec.stateless || (hasCoreTasks(codec) && serverCapabilities.tasks?.requests?.tools?.call !== undefined);
  }

  /** Calls `listener` with the server's notifications about a task. Returns a function that stops this. */
  subscribe(taskId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(taskId) ?? new Set();
    this.#listeners.set(taskId, listeners.add(listener));
    const early = this.#early.get(taskId);
    this.#early.delete(taskId);
    for (const [method, params] of early ?? []) listener(method, params);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(taskId) === listeners) this.#listeners.delete(taskId);
    };
  }

  onNotification(method: string, params: JsonObject): void {
    const taskId = taskOf(method, params);
    if (taskId === undefined) return;
    const listeners = this.#listeners.get(taskId);
    for (const listener of [...(listeners ?? [])]) listener(method, params);
    if (listeners === undefined && EARLY.has(method)) this.#keep(taskId, method, params);
  }

  #keep(taskId: string, method: string, params: JsonObject): void {
    const notifications = new Map(this.#early.get(taskId)).set(method, params);
    this.#early.delete(taskId);
    this.#early.set(taskId, notifications);
    for (const oldest of this.#early.keys()) {
      if (this.#early.size <= MAX_EARLY) break;
      this.#early.delete(oldest);
    }
  }
}

/** The id of the task: in the params of a status, in `_meta` of other notifications. */
function taskOf(method: string, params: JsonObject): string | undefined {
  const meta = params["_meta"];
  const related = isJsonObject(meta) ? meta[RELATED_TASK_META_KEY] : undefined;
  const of = method.startsWith("notifications/tasks") ? params : isJsonObject(related) ? related : {};
  return typeof of["taskId"] === "string" ? of["taskId"] : undefined;
}
