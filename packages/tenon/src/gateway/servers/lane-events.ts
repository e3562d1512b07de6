/**
 * What a lane's server sends unasked, and who hears of it: changed lists, resources, states of tasks, log messages.
 *
 * Listeners and watches keep the lane open, and survive a lost connection.
 */
import type { Clock } from "../../base/clock.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { Client } from "../../client/client.ts";
import type { ChangeStream } from "../../client/listen/change-stream.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject, RequestId } from "../../jsonrpc/message.ts";
import type { ClientIdentity } from "../../wire/codec.ts";
import type { LaneQuestions } from "../asking/lane-questions.ts";
import type { ListName } from "../../upstream/listing.ts";
import { TaskWatches } from "../tasks/task-watches.ts";
import { MergedListens } from "./merged-listens.ts";
import { ResourceWatch } from "../../upstream/resource-watch.ts";

export interface LaneListener {
  listChanged(list: ListName): void;
  /** A notification of the server that belongs to no call. */
  notified(method: string, params: JsonObject): void;
  /** A server with sessions has announced the state of a task. */
  taskChanged(task: JsonObject, server: string): void;
}

export interface LaneEventsHost {
  /** The name of the server. */
  readonly name: string;
  readonly clock: Clock;
  readonly questions: LaneQuestions;
  /** Whether callers of different principals may use the lane. */
  isShared(): boolean;
  open(): MaybePromise<Client>;
  client(): Client | undefined;
  /** Called when a caller begins to hear, or has ended that. */
  changed(): void;
  /** Called for each log message that is dropped. */
  dropped(): void;
  report(error: unknown, method?: string): void;
}

export class LaneEvents {
  readonly #host: LaneEventsHost;
  readonly #listeners = new Set<LaneListener>();
  readonly #resources: ResourceWatch;
  readonly #tasks: TaskWatches;
  /** What watches resources on the newest connection. */
  #merged: { readonly client: Client; readonly listens: MergedListens } | undefined;

  constructor(host: LaneEventsHost) {
    this.#host = host;
    this.#resources = new ResourceWatch({
      clock: host.clock,
      listen: async (uri) => this.#listenOn(await host.open(), uri),
      report: (error) => host.report(error, "resources/subscribe"),
    });
    this.#tasks = new TaskWatches({
      clock: host.clock,
      client: () => host.client(),
      report: (error, method) => host.report(error, method),
    });
  }

  get isIdle(): boolean {
    return this.#listeners.size === 0 && this.#resources.isEmpty && this.#tasks.isEmpty;
  }

  /** Hears of changes until the returned function is called. */
  listen(listener: LaneListener): () => void {
    this.#listeners.add(listener);
    return this.#until(() => void this.#listeners.delete(listener));
  }

  /** Calls `updated` when the resource changes. Returns a function that ends it. @throws McpError if the server does not watch it */
  async watchResource(uri: string, updated: () => void): Promise<() => void> {
    const client = await this.#host.open();
    if (client.serverCapabilities.resources?.subscribe !== true) {
      const { name: server } = this.#host;
      throw new McpError(ErrorCode.MethodNotFound, `Server "${server}" does not announce changes of resources`, { server });
    }
    return this.#until(await this.#resources.add(uri, updated));
  }

  watchTask(taskId: string, identity: ClientIdentity, changed: () => void): () => void {
    return this.#until(this.#tasks.add(taskId, identity, changed));
  }

  /** A server with sessions is asked for each resource; one without has few requests that stay open. */
  #listenOn(client: Client, uri: string): Promise<ChangeStream> {
    if (!client.connection.codec.stateless) return client.listen({ resources: [uri] });
    if (this.#merged?.client !== client) this.#merged = { client, listens: new MergedListens(client) };
    return this.#merged.listens.listen(uri);
  }

  #until(stop: () => void): () => void {
    this.#host.changed();
    return () => {
      stop();
      this.#host.changed();
    };
  }

  /** Watches all again on a new connection. */
  reopen(): void {
    this.#resources.reopen();
    this.#tasks.reopen();
  }

  /** The lane has closed, so that no watch is begun again. */
  close(): void {
    this.#resources.close();
  }

  // ---- what the server sends ----

  listChanged(list: ListName): void {
    for (const listener of this.#listeners) listener.listChanged(list);
  }

  /** @param related the request on whose response it came; undefined if the wire does not show that */
  notified(method: string, params: JsonObject, related: RequestId | undefined): void {
    if (method === "notifications/message") return this.#logged(params, related);
    if (method === "notifications/tasks" || method === "notifications/tasks/status") return this.#taskChanged(params);
    // On a shared lane the page may belong to another principal.
    if (method !== "notifications/elicitation/complete" || this.#host.isShared()) return;
    for (const listener of this.#listeners) listener.notified(method, params);
  }

  /** On a shared lane the tasks may belong to another principal: only those who named a task hear of it. */
  #taskChanged(task: JsonObject): void {
    this.#tasks.announced(task);
    if (this.#host.isShared()) return;
    for (const listener of this.#listeners) listener.taskChanged(task, this.#host.name);
  }

  /**
   * A log message belongs to the call on whose response it came. Another one goes to the newest call if the lane has one
   * owner, or to all that listen if there is no call. On a lane that others may use it is dropped, unless one owner alone has used it so far: a
   * server may log what it did for a call that has ended.
   */
  #logged(params: JsonObject, related: RequestId | undefined): void {
    const { questions } = this.#host;
    const isShared = this.#host.isShared();
    const shown = related === undefined ? undefined : questions.callOf(related);
    const isOfOthers = isShared && (related !== undefined || !questions.hasOneOwner);
    const call = shown ?? (isOfOthers ? undefined : questions.newest);
    if (call !== undefined) return call.logged(params);
    if (isShared) return this.#host.dropped();
    for (const listener of this.#listeners) listener.notified("notifications/message", params);
  }
}
