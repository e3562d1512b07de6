/** The user and the model of a test: answers that were written down before, found by the question's name. */
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import type { JsonObject, RequestId } from "../jsonrpc/message.ts";
import type { ElicitRequestParams, ElicitResult } from "../protocol/elicitation.ts";
import type { CreateMessageRequestParams, CreateMessageResult, CreateMessageResultWithTools } from "../protocol/sampling.ts";
import type { ElicitHandler, SampleHandler, ServerRequestContext } from "../client/options.ts";

/** What the user does: `"decline"`, `{ action: "accept", content }`, or a function of the question. */
export type ScriptedElicit = ElicitResult["action"] | ElicitResult | ElicitHandler;
/** What the model says: its text, a result, or a function of the question. */
export type ScriptedSample = string | CreateMessageResult | CreateMessageResultWithTools | SampleHandler;

/** A question as the client was asked it. */
export interface AskedQuestion {
  /** What the handler calls it: the first argument of `ctx.elicit` and its like. Undefined for one of `ctx.session`. */
  readonly name: string | undefined;
  /** Who was asked: the user, the model, or where the server may work. */
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  /** As the client got them. */
  readonly params: JsonObject;
}

/** Tells the name of a question by the id it came with. */
export type NameOf = (id: RequestId) => string | undefined;

/** A callback for `onElicit` that answers from the script. */
export function scriptElicit(script: ElicitHandler | { readonly [question: string]: ScriptedElicit }, nameOf: NameOf): ElicitHandler {
  if (typeof script === "function") return script;
  return (params: ElicitRequestParams, context: ServerRequestContext) => {
    const answer = find(script, "elicit", nameOf(context.requestId), params.message);
    if (typeof answer === "function") return answer(params, context);
    return typeof answer === "string" ? { action: answer } : answer;
  };
}

/** A callback for `onSample` that answers from the script. */
export function scriptSample(script: SampleHandler | { readonly [question: string]: ScriptedSample }, nameOf: NameOf): SampleHandler {
  if (typeof script === "function") return script;
  return (params: CreateMessageRequestParams, context: ServerRequestContext) => {
    const answer = find(script, "sample", nameOf(context.requestId), "a message");
    if (typeof answer === "function") return answer(params, context);
    return typeof answer === "string" ? { role: "assistant", content: { type: "text", text: answer }, model: "test" } : answer;
  };
}

/** @throws McpError where the script has no such name: the call fails with it */
function find<T>(script: { readonly [question: string]: T }, option: string, name: string | undefined, what: string): T {
  if (name !== undefined && Object.hasOwn(script, name)) return script[name]!;
  const asked = name === undefined ? `A question without a name (${JSON.stringify(what)})` : `The question ${JSON.stringify(name)}`;
  const known = Object.keys(script).map((key) => JSON.stringify(key));
  const remedy = name === undefined ? `give a function as "${option}"` : `option "${option}" has ${known.join(", ") || "none"}`;
  throw new McpError(ErrorCode.InternalError, `${asked} has no answer in this test: ${remedy}`);
}
