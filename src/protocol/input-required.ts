/**
 * How a stateless server asks: it answers with questions, and the client calls again with the answers.
 * Only results of methods marked `mayAsk` in `methods.ts` can be of this kind.
 */
import type { RequestParams, Result } from "./base.ts";
import type { ElicitRequestParams, ElicitResult } from "./elicitation.ts";
import type { CreateMessageRequestParams, CreateMessageResult, CreateMessageResultWithTools, ListRootsResult } from "./sampling.ts";

/** One question: what a request by that `method` would have asked, with its `params`, and no envelope (H3). */
export type InputRequest =
  | { method: "elicitation/create"; params: ElicitRequestParams }
  | { method: "sampling/createMessage"; params: CreateMessageRequestParams }
  | { method: "roots/list"; params?: RequestParams };
/** Questions by key. The keys are the server's, and come back with the answers (H3). */
export type InputRequests = { [key: string]: InputRequest };

/** One answer. Not a result: it has no `resultType`. */
export type InputResponse = ElicitResult | CreateMessageResult | CreateMessageResultWithTools | ListRootsResult;
/** Answers under the keys of the questions. */
export type InputResponses = { [key: string]: InputResponse };

/**
 * The server needs answers before it can go on, told from other results by `resultType` (H1). At least one of `inputRequests`
 * and `requestState` is there.
 */
export type InputRequiredResult = Result & {
  resultType: "input_required";
  inputRequests?: InputRequests;
  /** Sent back byte for byte, never looked into. */
  requestState?: string;
};

/** Params of requests that can be answered with questions. */
export type InputResponseRequestParams = RequestParams & {
  /** Answers under the keys of the questions. */
  inputResponses?: InputResponses;
  /** As it was received. Servers treat it as written by an attacker. */
  requestState?: string;
};
