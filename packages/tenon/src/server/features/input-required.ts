/** Makes a result that contains questions, for handlers that keep the state of a call themselves. */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { InputRequests, InputRequiredResult } from "../../protocol/input-required.ts";

/** The questions of {@link inputRequired}, and the state for the next round. At least one of them. */
export interface InputRequiredOptions {
  /** The questions, each under a name: the answers come back as `ctx.inputResponses` under the same names. */
  inputRequests?: InputRequests;
  /** Comes back as `ctx.requestState`. It is sealed: the client can neither read nor change it. */
  requestState?: string;
  /** Metadata of the result, on revisions where questions travel in a result. Default: none. */
  _meta?: JsonObject;
}

const RESULT_MEMBERS: OptionKeys<InputRequiredOptions> = { inputRequests: 1, requestState: 1, _meta: 1 };

/**
 * Makes a result with questions for the client. The tool, prompt or resource that returns it is called again with the answers. On
 * stateful revisions the questions are sent as requests instead. Use `ctx.elicit`; this is for several questions at once, or for rounds that
 * you write by hand.
 * @throws TypeError if there is neither a question nor a state
 */
export function inputRequired(options: InputRequiredOptions): InputRequiredResult {
  assertKnown("inputRequired()", options, RESULT_MEMBERS);
  const { inputRequests, requestState, _meta } = options;
  if (inputRequests === undefined && requestState === undefined) throw new TypeError("inputRequired() needs questions, a state, or both");
  return {
    resultType: "input_required",
    ...(inputRequests && { inputRequests }),
    ...(requestState !== undefined && { requestState }),
    ...(_meta && { _meta }),
  };
}
