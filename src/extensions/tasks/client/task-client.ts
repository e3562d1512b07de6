/** What a client has for its tasks: the way to the server, and what the server tells of tasks by itself. */
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { isJsonObject } from "../../../jsonrpc/message.ts";
import { RELATED_TASK_META_KEY } from "../../../protocol/meta-keys.ts";
import type { ClientHost } from "../../../session/extension.ts";
import { hasCoreTasks } from "../forms/task-forms.ts";

/** Notifications a client hears of tasks. */
export const TASK_NOTIFICATIONS: readonly string[] = [
  "notifications/tasks",
  "notifications/tasks/status",
  "notifications/progress",
  "notifications/tools/list_changed",
];

const STATUS = "notifications/tasks/status";
/** Tasks whose last state is kept although nobody waits. */
const MAX_EARLY = 100;

type Listener = (method: string, params: JsonObject) => void;

export class TaskClient {
  readonly host: ClientHost;
  /** Milliseconds to wait for a task in all. */
  readonly maxWait: number;
  readonly #listeners = new Map<string, Set<Listener>>();
  /** What was told last of tasks nobody waits for yet: the answer to their call may still be on its way. Oldest first. */
  readonly #early = new Map<string, JsonObject>();

  /** Told when the connection ends: one listener of its signal for all that wait. */
  readonly #waits = new Set<() => void>();

  constructor(host: ClientHost, maxWait: number) {
    this.host = host;
    this.maxWait = maxWait;
    host.ended.addEventListener(
      "abort",
      () => {
        for (const end of [...this.#waits]) end();
      },
      { once: true },
    );
  }

  /** Calls `listener` when the connection ends; at once where it has. Returns how to stop. */
  onEnd(listener: () => void): () => void {
    this.#waits.add(listener);
    if (this.host.ended.aborted) listener();
    return () => this.#waits.delete(listener);
  }

  /** Whether calls of tools can become tasks at all. */
  get available(): boolean {
    const { codec, serverCapabilities } = this.host;
    return codec.stateless || (hasCoreTasks(codec) && serverCapabilities.tasks?.requests?.tools?.call !== undefined);
  }

  /** Calls `listener` with what the server tells of that task. Returns how to stop. */
  subscribe(taskId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(taskId) ?? new Set();
    this.#listeners.set(taskId, listeners.add(listener));
    const early = this.#early.get(taskId);
    this.#early.delete(taskId);
    if (early !== undefined) listener(STATUS, early);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(taskId) === listeners) this.#listeners.delete(taskId);
    };
  }

  /** Something arrived that is in {@link TASK_NOTIFICATIONS}. */
  onNotification(method: string, params: JsonObject): void {
    const taskId = taskOf(method, params);
    if (taskId === undefined) return;
    const listeners = this.#listeners.get(taskId);
    for (const listener of [...(listeners ?? [])]) listener(method, params);
    if (listeners === undefined && method === STATUS) this.#keep(taskId, params);
  }

  #keep(taskId: string, params: JsonObject): void {
    this.#early.delete(taskId);
    this.#early.set(taskId, params);
    for (const oldest of this.#early.keys()) {
      if (this.#early.size <= MAX_EARLY) break;
      this.#early.delete(oldest);
    }
  }
}

/** States say so themselves, everything else in its `_meta` (N8). */
function taskOf(method: string, params: JsonObject): string | undefined {
  const meta = params["_meta"];
  const related = isJsonObject(meta) ? meta[RELATED_TASK_META_KEY] : undefined;
  const of = method.startsWith("notifications/tasks") ? params : isJsonObject(related) ? related : {};
  return typeof of["taskId"] === "string" ? of["taskId"] : undefined;
}
