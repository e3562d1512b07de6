/** A request on its way out, and what its caller may say about it. */
import type { RequestMeta } from "../../protocol/base.ts";
import type { RequestOptions } from "../../dispatch/dispatcher.ts";
import type { HandlerContext } from "../../session/handler.ts";
import type { TaskCallback } from "../../session/tasks.ts";

/** What a single call may say: time limits (ms), a signal, progress, headers. */
export interface CallOptions extends RequestOptions {
  /** Goes into the request's `_meta`, beside what the protocol puts there. */
  meta?: RequestMeta;
}

/** How long the call of a tool may take, who is told of its progress, what is checked, and whether it may become a task. */
export interface ToolCallOptions extends CallOptions {
  /** Whether the result is checked against the tool's output schema. Default: the client's option. */
  validateOutput?: boolean;
  /**
   * Whether the call may become a task, where the client has the tasks extension. Default true; `ttl` is how many milliseconds
   * to keep it, where the client may say so (2025-11-25).
   */
  task?: boolean | { ttl?: number };
  /** Told of the task the call became, and of each change: keep its id to come back for the result with `client.task(id)`. */
  onTask?: TaskCallback;
}

/** One request on its way out, as client middleware sees it. */
export interface OutgoingRequest extends HandlerContext {
  /** What the caller said of it: how long it may take, who is told of its progress, and so on. */
  readonly options: CallOptions;
  /** The revision it is sent in; of the handshake, the one that is offered. */
  readonly protocolVersion: string;
  /** What carries it: `"stdio"`, `"http"`, `"direct"`, or what a transport of the user calls itself. */
  readonly transport: string | undefined;
}
