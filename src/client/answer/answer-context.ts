/** What the server asks of this client, as middleware for both ways sees it. */
import type { HandlerContext } from "../../session/handler.ts";
import type { ServerRequestContext } from "../options.ts";

/** A question of the server, on its way to the callback that answers it. */
export interface AnswerContext extends HandlerContext, ServerRequestContext {
  /** Whether the server asked in a request of its own, or in the result of a call (then `requestId` is the question's name). */
  readonly asked: "request" | "result";
  /** The revision both sides speak. */
  readonly protocolVersion: string;
}
