/** A request on its way out, and what its caller may say about it. */
import type { RequestMeta } from "../protocol/base.ts";
import type { RequestOptions } from "../dispatch/dispatcher.ts";
import type { HandlerContext } from "../session/handler.ts";

export interface CallOptions extends RequestOptions {
  /** Goes into the request's `_meta`, beside what the protocol puts there. */
  meta?: RequestMeta;
}

export interface ToolCallOptions extends CallOptions {
  /** Whether the result is checked against the tool's output schema. Default: the client's option. */
  validateOutput?: boolean;
}

/** One request on its way out, as client middleware sees it. */
export interface OutgoingRequest extends HandlerContext {
  readonly options: CallOptions;
  /** The revision it is sent in; of the handshake, the one that is offered. */
  readonly protocolVersion: string;
  /** What carries it: `"stdio"`, `"http"`, `"direct"`, or what a transport of the user calls itself. */
  readonly transport: string | undefined;
}
