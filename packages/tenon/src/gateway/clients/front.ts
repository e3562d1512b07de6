/**
 * One connection of a client: the lanes it uses, what it hears of them, and the resources it watches.
 *
 * An endpoint has one front for the stateless requests of all its clients. It joins no lane and hears nothing.
 * Changes of many servers within 50 ms are one notification.
 */
import type { Clock } from "../../base/clock.ts";
import type { ProgressCallback } from "../../dispatch/dispatcher.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { isAtLeast, type LoggingLevel } from "../../protocol/logging.ts";
import type { InputRequest } from "../../protocol/input-required.ts";
import { LIST_CHANGED } from "../../server/features/change.ts";
import { Changes } from "../../server/serving/changes.ts";
import { assertWatchable } from "../../server/serving/subscriptions.ts";
import { canBeAsked } from "../../session/asking/questions/question.ts";
import type { Connection } from "../../session/connection.ts";
import { canSendRequests, type KnownClient } from "../../session/client-capabilities.ts";
import { requestClient } from "../../session/server-requests.ts";
import { ANSWER_TIMEOUT } from "../asking/live-call.ts";
import type { LaneCall } from "../asking/lane-questions.ts";
import type { Lane } from "../servers/lane.ts";
import type { LaneListener } from "../servers/lane-events.ts";
import type { ListName } from "../../upstream/listing.ts";
import type { TaskHandles, TaskName } from "../tasks/task-handles.ts";

let fronts = 0;
const TASK_STATUS = "notifications/tasks/status";
/** Most tasks whose states wait to be sent. A client asks for a state itself, too. */
const MAX_TASK_STATES = 1_000;

export class Front implements LaneListener, LaneCall {
  readonly id: number = ++fronts;
  readonly owner: string = `session ${this.id}`;
  readonly connection: Connection;
  /** The principal of its newest request. On the front of stateless requests it says nothing, because they have many callers. */
  principal: string | undefined;
  readonly #changes: Changes;
  /** The lanes that it uses, each with what ends that. */
  readonly #lanes = new Map<Lane, () => void>();
  readonly #watches = new Map<string, Promise<() => void>>();
  readonly #handles: TaskHandles;
  /** The newest state of each task that waits to be sent, in order. */
  readonly #taskStates = new Map<string, JsonObject>();
  /** Resolves when the states of tasks so far were sent. */
  #tasksTold: Promise<void> = Promise.resolve();
  #ended = false;

  constructor(connection: Connection, clock: Clock, handles: TaskHandles) {
    this.connection = connection;
    this.#handles = handles;
    this.#changes = new Changes(clock);
    this.#changes.subscribe((change) => {
      if (change.kind === "resource") connection.notify("notifications/resources/updated", { uri: change.uri });
      else connection.notify(LIST_CHANGED[change.kind]);
    });
  }

  /** Hears of that lane from now on, and keeps it open, unless it is for one call. Idempotent. */
  join(lane: Lane): void {
    if (this.#ended || lane.isForOneCall || this.#lanes.has(lane)) return;
    leaveClosed(this.#lanes);
    const stop = lane.events.listen(this);
    lane.questions.sessions.add(this);
    this.#lanes.set(lane, () => {
      lane.questions.sessions.delete(this);
      stop();
    });
    const level = this.connection.logLevel;
    if (level !== undefined) void lane.wantLevel(level);
  }

  /** Passes the level on to the servers of this connection. */
  async setLevel(level: LoggingLevel): Promise<void> {
    await Promise.all([...this.#lanes.keys()].map(async (lane) => lane.wantLevel(level)));
  }

  received(method: string): void {
    if (method === "notifications/roots/list_changed") for (const lane of this.#lanes.keys()) lane.notify(method);
  }

  // ---- resources ----

  /** @param watch begins the watch, and calls back with each change. @throws what it throws; LimitExceededError if there are too many */
  async subscribe(uri: string, watch: (updated: () => void) => Promise<() => void>): Promise<void> {
    let watching = this.#watches.get(uri);
    if (watching === undefined) {
      assertWatchable([...this.#watches.keys(), uri]);
      watching = watch(() => this.#changes.publish({ kind: "resource", uri }));
      this.#watches.set(uri, watching);
      watching.catch(() => this.#watches.delete(uri));
    }
    await watching;
    if (this.#ended) await this.unsubscribe(uri);
  }

  async unsubscribe(uri: string): Promise<void> {
    const watching = this.#watches.get(uri);
    this.#watches.delete(uri);
    (await watching)?.();
  }

  // ---- as lanes see it ----

  listChanged(list: ListName): void {
    if (this.connection.state === "initialized") this.#changes.publish({ kind: list });
  }

  notified(method: string, params: JsonObject): void {
    if (this.connection.state !== "initialized") return;
    if (method !== "notifications/message" || this.#wants(params["level"] as LoggingLevel)) this.connection.notify(method, params); // checked by the codec
  }

  /** Passes the state of a task on, under the id that this client knows. Of states that come faster than they are sent the last one is sent. */
  taskChanged(task: JsonObject, server: string): void {
    const { connection } = this;
    const { taskId: id } = task;
    if (typeof id !== "string" || connection.state !== "initialized" || !connection.codec.hasNotification(TASK_STATUS, "server")) return;
    const key = JSON.stringify([server, id]);
    const isWaiting = this.#taskStates.has(key);
    if (!isWaiting && this.#taskStates.size >= MAX_TASK_STATES) return;
    this.#taskStates.set(key, task);
    if (isWaiting) return;
    this.#tasksTold = this.#tasksTold.then(() => this.#tellTask({ server, id }, key)).catch(() => undefined); // an id that cannot be signed was not given to the client either
  }

  async #tellTask(name: TaskName, key: string): Promise<void> {
    try {
      const taskId = await this.#handles.make(name, this.principal);
      this.connection.notify(TASK_STATUS, { ...this.#taskStates.get(key), taskId });
    } finally {
      this.#taskStates.delete(key);
    }
  }

  #wants(level: LoggingLevel): boolean {
    return isAtLeast(level, this.connection.logLevel ?? "debug");
  }

  logged(params: JsonObject): void {
    this.notified("notifications/message", params);
  }

  get #client(): KnownClient {
    const { connection } = this;
    return { connection, codec: connection.codec, client: connection.client };
  }

  canAnswer(question: InputRequest): boolean {
    const { connection } = this;
    return canSendRequests(this.#client) && canBeAsked(connection.client.capabilities, question);
  }

  ask({ method, params }: InputRequest, signal: AbortSignal, onProgress?: ProgressCallback): Promise<JsonObject> {
    return requestClient(
      { ...this.#client, outbound: this.connection.dispatcher },
      { method, params },
      { timeout: ANSWER_TIMEOUT, signal, ...(onProgress && { onProgress }) },
    );
  }

  /** Leaves all lanes, because the connection has ended. */
  close(): void {
    this.#ended = true;
    this.#changes.close();
    for (const uri of [...this.#watches.keys()]) this.unsubscribe(uri).catch(() => undefined); // the watch never began
    for (const leave of this.#lanes.values()) leave();
    this.#lanes.clear();
  }
}

/** Leaves the lanes that are closed, such as lanes of servers that were replaced: a client that stays for long would keep any number of them. */
export function leaveClosed(lanes: Map<Lane, () => void>): void {
  for (const [lane, leave] of lanes) {
    if (!lane.isClosed) continue;
    leave();
    lanes.delete(lane);
  }
}
