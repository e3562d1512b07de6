/**
 * `subscriptions/listen`: tells a client without a session of changes on any server, on a request that stays open.
 *
 * The filter is acknowledged first, without the resources that no server watches.
 */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { onAbort } from "../../base/abort.ts";
import type { SubscriptionFilter } from "../../protocol/lifecycle.ts";
import { SUBSCRIPTION_ID_KEY } from "../../protocol/meta-keys.ts";
import { LIST_CHANGED, type Change, type ListKind } from "../../server/features/change.ts";
import { Changes } from "../../server/serving/changes.ts";
import { assertWatchable } from "../../server/serving/subscriptions.ts";
import { finishesWithin } from "../../base/clock.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { GatewayParts } from "../parts.ts";
import type { Caller } from "./caller.ts";
import { leaveClosed } from "./front.ts";
import type { Lane } from "../servers/lane.ts";
import type { LaneListener } from "../servers/lane-events.ts";
import type { BeginTask } from "../tasks/task-listening.ts";
import { MAX_TASKS } from "../tasks/task-watches.ts";

export interface ListenTargets {
  /** Watches a resource. Returns a function that ends it. */
  watch(context: RequestContext, uri: string, updated: () => void): Promise<() => void>;
  /** Finds a task of the caller; undefined if the client does not have the extension for tasks. */
  task(context: RequestContext, taskId: string): Promise<BeginTask | undefined>;
}

/** Milliseconds that a server has to confirm that it watches a resource. */
const CONFIRM_TIMEOUT = 2_000;
const LISTS = { toolsListChanged: "tools", promptsListChanged: "prompts", resourcesListChanged: "resources" } as const;

/** Runs until the client cancels or the gateway closes. */
export async function listen(parts: GatewayParts, targets: ListenTargets, context: RequestContext): Promise<JsonObject> {
  context.keepOpen();
  const wanted = context.params["notifications"] as SubscriptionFilter; // checked by the codec
  const stream = new ListenStream(parts, targets, context);
  try {
    const kinds = (Object.keys(LISTS) as (keyof typeof LISTS)[]).filter((name) => wanted[name] === true); // its keys
    const requested = [...new Set(wanted.resourceSubscriptions)];
    assertWatchable(requested);
    const taskIds = tasksOf(wanted);
    if (requested.length > 0) (await parts.router.lists.of(parts.fronts.caller(context))).uris.assertComparable(requested);
    const [uris, tasks] = await Promise.all([stream.watch(requested), stream.find(taskIds ?? [])]);
    const lists = Object.fromEntries(kinds.map((name) => [name, true]));
    // Before the acknowledgement, because the client misses no change after it.
    if (kinds.length > 0) stream.follow(new Set(kinds.map((name) => LISTS[name])));
    stream.acknowledge({
      ...lists,
      ...(wanted.resourceSubscriptions && { resourceSubscriptions: uris }),
      ...(taskIds && { taskIds: taskIds.filter((id) => tasks.has(id)) }),
    });
    stream.tellOf(tasks);
    return await (kinds.length + uris.length + tasks.size === 0 ? { _meta: stream.meta } : stream.ended());
  } finally {
    stream.stop();
  }
}

function tasksOf({ taskIds }: SubscriptionFilter): readonly string[] | undefined {
  if (taskIds === undefined) return undefined;
  if (Array.isArray(taskIds) && taskIds.length <= MAX_TASKS && taskIds.every((id) => typeof id === "string")) return [...new Set(taskIds)];
  throw new McpError(ErrorCode.InvalidParams, `"taskIds" must be a list of at most ${MAX_TASKS} strings`);
}

class ListenStream {
  readonly meta: JsonObject;
  readonly #parts: GatewayParts;
  readonly #targets: ListenTargets;
  readonly #caller: Caller;
  readonly #context: RequestContext;
  readonly #changes: Changes;
  readonly #stops: (() => void)[] = [];
  /** The lanes that it hears of, each with what ends that. */
  readonly #lanes = new Map<Lane, () => void>();
  /** Changes before the acknowledgement; undefined after it. */
  #early: Change[] | undefined = [];
  #kinds: ReadonlySet<ListKind> = new Set();
  #isOver = false;

  constructor(parts: GatewayParts, targets: ListenTargets, context: RequestContext) {
    this.#parts = parts;
    this.#targets = targets;
    this.#caller = parts.fronts.caller(context);
    this.#context = context;
    this.meta = { [SUBSCRIPTION_ID_KEY]: context.requestId };
    this.#changes = new Changes(parts.settings.clock);
    this.#changes.subscribe((change) => {
      if (this.#early === undefined) this.#tell(change);
      else this.#early.push(change);
    });
  }

  /** Sends the filter that is served, then the changes that came meanwhile. */
  acknowledge(notifications: SubscriptionFilter): void {
    this.#send("notifications/subscriptions/acknowledged", { notifications });
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const change of early) this.#tell(change);
  }

  #tell(change: Change): void {
    if (change.kind === "resource") this.#send("notifications/resources/updated", { uri: change.uri });
    else this.#send(LIST_CHANGED[change.kind], {});
  }

  #send(method: string, { _meta, ...params }: JsonObject): void {
    void this.#context.notify(method, { ...params, _meta: { ...(isJsonObject(_meta) && _meta), ...this.meta } });
  }

  /** Watches resources. Returns those that a server watches: the acknowledged filter says so. */
  async watch(uris: readonly string[]): Promise<string[]> {
    const watched = await Promise.all(uris.map((uri) => this.#isWatched(uri)));
    return uris.filter((_uri, at) => watched[at]);
  }

  /** A server that does not respond must not delay the acknowledgement of the others. */
  async #isWatched(uri: string): Promise<boolean> {
    let isLate = false;
    const watching = this.#targets.watch(this.#context, uri, () => this.#changes.publish({ kind: "resource", uri }));
    const ending = watching.then((stop) => (isLate ? stop() : this.#keep(stop)));
    const isInTime = await this.#inTime(ending);
    isLate = true;
    return isInTime;
  }

  async find(taskIds: readonly string[]): Promise<Map<string, BeginTask>> {
    const found = new Map<string, BeginTask>();
    let isLate = false;
    const finding = taskIds.map(async (id) => {
      const begin = await this.#targets.task(this.#context, id);
      if (begin !== undefined && !isLate) found.set(id, begin);
    });
    await this.#inTime(Promise.allSettled(finding));
    isLate = true;
    return found;
  }

  #inTime(work: Promise<unknown>): Promise<boolean> {
    const { settings } = this.#parts;
    return finishesWithin(settings.clock, settings.readyTimeoutFor(this.#caller.isStdio) + CONFIRM_TIMEOUT, work);
  }

  /** Sends the states of these tasks from now on. */
  tellOf(tasks: ReadonlyMap<string, BeginTask>): void {
    for (const begin of tasks.values()) this.#keep(begin((state) => this.#send("notifications/tasks", state)));
  }

  /** Tells of changes of those lists, on all lanes of the caller. */
  follow(kinds: ReadonlySet<ListKind>): void {
    this.#kinds = kinds;
    const listener: LaneListener = {
      listChanged: (list) => {
        if (kinds.has(list)) this.#changes.publish({ kind: list });
      },
      notified: () => undefined,
      taskChanged: () => undefined,
    };
    this.#parts.router.lists.follow(this.#caller, (lane, late) => {
      if (this.#isOver || this.#lanes.has(lane)) return;
      this.#lanes.set(lane, lane.events.listen(listener));
      if (late) for (const kind of kinds) this.#changes.publish({ kind });
    });
  }

  /** Resolves when the client cancels or the gateway closes. */
  ended(): Promise<JsonObject> {
    return new Promise((resolve) => {
      const end = (): void => resolve({ _meta: this.meta });
      const stream = { principal: this.#context.principal, end, refresh: () => this.#refresh() };
      const { streams } = this.#parts.fronts;
      streams.add(stream);
      this.#keep(() => streams.delete(stream));
      if (this.#context.signal.aborted) end();
      else this.#keep(onAbort(this.#context.signal, end));
    });
  }

  #refresh(): void {
    for (const kind of this.#kinds) this.#changes.publish({ kind });
    leaveClosed(this.#lanes);
    this.follow(this.#kinds);
  }

  #keep(stop: () => void): void {
    if (this.#isOver) stop();
    else this.#stops.push(stop);
  }

  stop(): void {
    this.#isOver = true;
    this.#changes.close();
    for (const stop of [...this.#stops, ...this.#lanes.values()]) stop();
    this.#lanes.clear();
  }
}
