/**
 * How a stateless server asks its client: the result contains questions, and the client sends the request again with the answers.
 * Only methods marked `mayAsk` in `methods.ts` can have such a result.
 */
import type { RequestParams, Result } from "./base.ts";
import type { ElicitRequestParams, ElicitResult } from "./elicitation.ts";
import type { CreateMessageRequestParams, CreateMessageResult, CreateMessageResultWithTools, ListRootsResult } from "./sampling.ts";

/** One question (MCP schema): the `method` and `params` of the request that would ask it, without an envelope. */
export type InputRequest =
  | { method: "elicitation/create"; params: ElicitRequestParams }
  | { method: "sampling/createMessage"; params: CreateMessageRequestParams }
  | { method: "roots/list"; params?: RequestParams };
/** Questions by key. The server chooses the keys, and the answers have the same ones. */
export type InputRequests = { [key: string]: InputRequest };

/** One answer. Not a result: it has no `resultType`. */
export type InputResponse = ElicitResult | CreateMessageResult | CreateMessageResultWithTools | ListRootsResult;
/** Answers under the keys of the questions. */
export type InputResponses = { [key: string]: InputResponse };

/**
 * The server needs answers before it can continue (MCP schema); `resultType` distinguishes it from other results. At least one of
 * `inputRequests` and `requestState` is present.
 */
export type InputRequiredResult = Result & {
  resultType: "input_required";
  inputRequests?: InputRequests;
  /** The client returns it byte for byte and never reads it. */
  requestState?: string;
};

/** Params of requests whose result may be questions. */
export type InputResponseRequestParams = RequestParams & {
  /** Answers under the keys of the questions. */
  inputResponses?: InputResponses;
  /** As the client received it. Security: a server must treat it as an attacker's input. */
  requestState?: string;
};
