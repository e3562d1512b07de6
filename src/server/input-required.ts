/** Asking by hand: a result that holds the questions, for those who keep the state of a call themselves. */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { InputRequests, InputRequiredResult } from "../protocol/input-required.ts";

/** What {@link inputRequired} asks, and what it keeps for later. Questions, a state, or both. */
export interface InputRequiredOptions {
  /** The questions, each under a name: the answers come back as `ctx.inputResponses` under the same names. */
  inputRequests?: InputRequests;
  /** Comes back as `ctx.requestState`. Sealed on its way: the client can neither read nor change it. */
  requestState?: string;
  /** Beside the questions, where they travel in a result. Default: nothing. */
  _meta?: JsonObject;
}

/**
 * The result a tool, prompt or resource answers with where it needs something of its client first; it is called again
 * with the answers. Where the revision has requests to the client, they are sent instead.
 * @throws TypeError where there is neither a question nor a state (H1)
 */
export function inputRequired({ inputRequests, requestState, _meta }: InputRequiredOptions): InputRequiredResult {
  if (inputRequests === undefined && requestState === undefined) throw new TypeError("inputRequired() needs questions, a state, or both");
  return {
    resultType: "input_required",
    ...(inputRequests && { inputRequests }),
    ...(requestState !== undefined && { requestState }),
    ...(_meta && { _meta }),
  };
}
