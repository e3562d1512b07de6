/**
 * How a stateless server asks: it answers with questions, and the client calls again with the answers.
 * Only results of methods marked `mayAsk` in `methods.ts` can be of this kind.
 */
import type { RequestParams, Result } from "./base.ts";
import type { ElicitRequestParams, ElicitResult } from "./elicitation.ts";
import type { CreateMessageRequestParams, CreateMessageResult, CreateMessageResultWithTools, ListRootsResult } from "./sampling.ts";

/** One question. */
export type InputRequest =
  | { method: "elicitation/create"; params: ElicitRequestParams }
  | { method: "sampling/createMessage"; params: CreateMessageRequestParams }
  | { method: "roots/list"; params?: RequestParams };
export type InputRequests = { [key: string]: InputRequest };

/** One answer. Not a result: it has no `resultType`. */
export type InputResponse = ElicitResult | CreateMessageResult | CreateMessageResultWithTools | ListRootsResult;
export type InputResponses = { [key: string]: InputResponse };

/** At least one of `inputRequests` and `requestState` is there. */
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
