/**
 * Tasks of servers with sessions (the core's of 2025-11-25) for clients without (the extension's of 2026-07-28).
 *
 * The task stays at its server. The extension has the questions and the outcome in the state of a task, and the core sends them on
 * `tasks/result`, so the gateway keeps that request open while the task runs.
 */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { RELATED_TASK_META_KEY } from "../../protocol/meta-keys.ts";
import { hasCapabilities } from "../../session/client-capabilities.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { ownerOf } from "../clients/caller.ts";
import { FollowedTask } from "./followed-task.ts";
import type { Lane } from "../servers/lane.ts";
import type { LaneCall } from "../asking/lane-questions.ts";
import type { AskedCall } from "../asking/server-rounds.ts";
import { CALL_SIZE, type HeldRoom } from "../asking/held-room.ts";
import { TASKS_ABLE } from "../clients/profile.ts";
import type { Settings } from "../settings.ts";
import { taskSupportOf } from "./required-tasks.ts";

export interface BridgedTask extends AskedCall {
  readonly lane: Lane;
  /** As its server names it. */
  readonly id: string;
}

type Send = (method: string) => Promise<JsonObject>;

const HAS_OUTCOME: ReadonlySet<unknown> = new Set(["completed", "failed"]);

export class TaskBridge {
  readonly #settings: Pick<Settings, "info" | "clock" | "stateTtl">;
  readonly #room: HeldRoom;
  readonly #followed = new Map<string, FollowedTask>();
  /** Who hears of each task that is watched. */
  readonly #watchers = new Map<string, Set<() => void>>();

  constructor(settings: Pick<Settings, "info" | "clock" | "stateTtl">, room: HeldRoom) {
    this.#settings = settings;
    this.#room = room;
  }

  /** Whether a call of a server with tasks becomes one: its client and its tool have tasks, and its connection outlives the call. */
  takes({ method, client }: RequestContext, lane: Lane, params: JsonObject): boolean {
    if (method !== "tools/call" || lane.isForOneCall || !hasCapabilities(client.capabilities, TASKS_ABLE)) return false;
    return taskSupportOf(lane.listing, params["name"] as string) !== undefined; // checked by the codec
  }

  /** Makes a call a task. @param send sends the call @throws McpError -32603, and sends nothing, if too many tasks are followed */
  async begin(task: Omit<BridgedTask, "id">, send: (call: LaneCall) => Promise<JsonObject>): Promise<JsonObject> {
    this.#assertRoom(task);
    const followed = this.#newOf(task);
    const created = await send(followed);
    const state = created["task"];
    if (!isJsonObject(state) || typeof state["taskId"] !== "string") return created;
    this.#keep(followed, this.#assertNew({ ...task, id: state["taskId"] }));
    return { resultType: "task", ...toExtension(state) };
  }

  /** The connection on which a task is followed. Another one of its caller may not know the task. */
  laneOf(task: Omit<BridgedTask, "lane">): Lane | undefined {
    return this.#followed.get(keyOf(task))?.lane;
  }

  /** `tasks/get`: the state with its questions, its result or its error. */
  async get(task: BridgedTask, send: Send): Promise<JsonObject> {
    const followed = this.#follow(task);
    const { codec } = task.context;
    const { _meta: _, ...state } = toExtension(await send("tasks/get"));
    const { status } = state;
    if (HAS_OUTCOME.has(status)) return { ...state, ...(await outcomeOf(task, send)) };
    if (status === "cancelled") return state;
    const { inputRequests } = followed;
    if (Object.keys(inputRequests).length === 0) return { ...state, status: "working" }; // the questions are on their way
    const encoded = codec.encodeResult("tools/call", { resultType: "input_required", inputRequests });
    return { ...state, status: "input_required", inputRequests: encoded["inputRequests"] };
  }

  /** `tasks/update`: answers questions. Answers to others are ignored. @throws McpError -32602 if an answer does not fit its question */
  update(task: BridgedTask): JsonObject {
    const { inputResponses } = task.context.params;
    if (!isJsonObject(inputResponses)) throw new McpError(ErrorCode.InvalidParams, '"inputResponses" must be an object');
    this.#follow(task).answer(inputResponses as Record<string, JsonObject>, task.context.codec); // checked there
    return {};
  }

  /** `tasks/cancel`. A task that has ended does not change. */
  async cancel(task: BridgedTask, send: Send): Promise<JsonObject> {
    try {
      await send("tasks/cancel");
    } catch (error) {
      // The core refuses to cancel a task that has ended; the extension does not.
      if (!McpError.isMcpError(error) || error.code !== ErrorCode.InvalidParams) throw error;
      await send("tasks/get");
    }
    this.#followed.get(keyOf(task))?.end("The task was cancelled");
    return {};
  }

  /** Calls `changed` when a task has a question, or an outcome, also after it was lost and is followed anew. Returns a function that ends it. */
  watch(task: BridgedTask, changed: () => void): () => void {
    this.#follow(task);
    const key = keyOf(task);
    const watching = this.#watchers.get(key) ?? new Set();
    const own = (): void => changed(); // its own identity: one function may watch twice
    this.#watchers.set(key, watching.add(own));
    return () => {
      watching.delete(own);
      if (watching.size === 0 && this.#watchers.get(key) === watching) this.#watchers.delete(key);
    };
  }

  #tell(key: string): void {
    for (const changed of [...(this.#watchers.get(key) ?? [])]) changed();
  }

  /** Ends all of them. Resolves when the servers have ended those that asked something: they got a refusal. */
  async close(): Promise<void> {
    const all = [...this.#followed.values()];
    const asking = all.filter(({ inputRequests }) => Object.keys(inputRequests).length > 0);
    for (const followed of all) followed.end("The gateway is closed");
    await Promise.all(asking.map(({ ended }) => ended));
  }

  #follow(task: BridgedTask): FollowedTask {
    const known = this.#followed.get(keyOf(task));
    known?.renew(task.context);
    if (known !== undefined) return known;
    this.#assertRoom(task);
    return this.#keep(this.#newOf(task), task);
  }

  #newOf({ context, caller, lane }: Omit<BridgedTask, "id">): FollowedTask {
    const { clock, stateTtl, info } = this.#settings;
    const identity = caller.profile.identity(info, undefined);
    const owner = ownerOf(caller, context);
    return new FollowedTask({ clock, ttl: stateTtl, lane, context, owner, identity, room: this.#room });
  }

  #keep(followed: FollowedTask, task: BridgedTask): FollowedTask {
    const key = keyOf(task);
    this.#followed.set(key, followed);
    this.#room.add(followed.owner, CALL_SIZE);
    void followed
      .follow(task.id, () => this.#tell(key))
      .then(() => {
        this.#room.remove(followed.owner, CALL_SIZE);
        this.#followed.delete(key);
      });
    return followed;
  }

  /** Two tasks of one id would have one name at the client. @throws McpError -32603 for the later one; the earlier one stays */
  #assertNew(task: BridgedTask): BridgedTask {
    if (!this.#followed.has(keyOf(task))) return task;
    const message = `Server "${task.server}" has given a new task the id of one that still runs. The call may have had its effect`;
    throw new McpError(ErrorCode.InternalError, message, { server: task.server, reason: "duplicate" });
  }

  #assertRoom({ caller, context }: Omit<BridgedTask, "id">): void {
    if (!this.#room.has(ownerOf(caller, context), CALL_SIZE)) throw this.#room.error("Too many tasks are followed for this caller");
  }
}

/** Two callers of one server may have tasks of one name, on connections of their own. */
function keyOf({ caller, context, server, id }: Omit<BridgedTask, "lane">): string {
  return JSON.stringify([ownerOf(caller, context), server, id]);
}

/** The state in the words of the extension. */
function toExtension({ ttl, pollInterval, ...rest }: JsonObject): JsonObject {
  return { ...rest, ttlMs: ttl ?? null, ...(pollInterval !== undefined && { pollIntervalMs: pollInterval }) };
}

/** A tool that fails by its result has failed in the core, and is completed in the extension. */
async function outcomeOf({ context: { codec } }: BridgedTask, send: Send): Promise<JsonObject> {
  try {
    const result = await send("tasks/result");
    return { status: "completed", result: codec.encodeResult("tools/call", withoutTask(result)) };
  } catch (error) {
    if (!McpError.isMcpError(error) || isLocal(error)) throw error;
    return { status: "failed", error: codec.encodeError(error) };
  }
}

/** Whether the gateway did not get the outcome. */
function isLocal(error: McpError): boolean {
  return isJsonObject(error.data) && error.data["reason"] === "lost";
}

function withoutTask({ _meta: meta, ...result }: JsonObject): JsonObject {
  if (!isJsonObject(meta)) return result;
  const { [RELATED_TASK_META_KEY]: _, ...others } = meta;
  return Object.keys(others).length === 0 ? result : { ...result, _meta: others };
}
