/** The user and the model of a test: prepared answers, found by the name of the question. */
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import type { JsonObject, RequestId } from "../jsonrpc/message.ts";
import type { ElicitRequestParams, ElicitResult } from "../protocol/elicitation.ts";
import type { CreateMessageRequestParams, CreateMessageResult, CreateMessageResultWithTools } from "../protocol/sampling.ts";
import type { ElicitHandler, SampleHandler, ServerRequestContext } from "../client/options.ts";

/** The user's answer: `"decline"`, `{ action: "accept", content }`, or a function of the question. */
export type ScriptedElicit = ElicitResult["action"] | ElicitResult | ElicitHandler;
/** The model's answer: a text, a result, or a function of the question. */
export type ScriptedSample = string | CreateMessageResult | CreateMessageResultWithTools | SampleHandler;

/** A question that the client received. */
export interface AskedQuestion {
  /** The name of the question: the first argument of `ctx.elicit` and similar. Undefined for a question of `ctx.session`. */
  readonly name: string | undefined;
  /** The kind of question: to the user, to the model, or for the roots. */
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  /** The params that the client received. */
  readonly params: JsonObject;
}

export type NameOf = (id: RequestId) => string | undefined;

const ACTIONS: readonly unknown[] = ["accept", "decline", "cancel"] satisfies ElicitResult["action"][];

/** @throws TypeError if the prepared answers cannot be used, so that a test says so before it calls anything */
export function assertScripts({ elicit, sample }: { elicit?: unknown; sample?: unknown }): void {
  assertScript("sample", sample);
  assertScript("elicit", elicit);
  if (typeof elicit === "object") for (const [question, answer] of Object.entries(elicit ?? {})) assertElicitAnswer(question, answer);
}

function assertScript(option: string, script: unknown): void {
  if (script === undefined || typeof script === "function" || (typeof script === "object" && script !== null)) return;
  const wanted = "must be a function, or an object with the answer to each question by its name";
  throw new TypeError(`"${option}" ${wanted}, not ${JSON.stringify(script)}`);
}

function assertElicitAnswer(question: string, answer: unknown): void {
  const action = typeof answer === "object" && answer !== null && "action" in answer ? answer.action : answer;
  if (typeof answer === "function" || ACTIONS.includes(action)) return;
  const wanted = 'must be "accept", "decline", "cancel", { action: "accept", content: … } or a function';
  throw new TypeError(`The answer to the question ${JSON.stringify(question)} in "elicit" ${wanted}, not ${JSON.stringify(answer)}`);
}

export function scriptElicit(script: ElicitHandler | { readonly [question: string]: ScriptedElicit }, nameOf: NameOf): ElicitHandler {
  if (typeof script === "function") return script;
  return (params: ElicitRequestParams, context: ServerRequestContext) => {
    const answer = find(script, "elicit", nameOf(context.requestId), params.message);
    if (typeof answer === "function") return answer(params, context);
    return typeof answer === "string" ? { action: answer } : answer;
  };
}

export function scriptSample(script: SampleHandler | { readonly [question: string]: ScriptedSample }, nameOf: NameOf): SampleHandler {
  if (typeof script === "function") return script;
  return (params: CreateMessageRequestParams, context: ServerRequestContext) => {
    const answer = find(script, "sample", nameOf(context.requestId), "a message");
    if (typeof answer === "function") return answer(params, context);
    return typeof answer === "string" ? { role: "assistant", content: { type: "text", text: answer }, model: "test" } : answer;
  };
}

/** @throws McpError if the script has no such name; the call fails with it */
function find<T>(script: { readonly [question: string]: T }, option: string, name: string | undefined, what: string): T {
  if (name !== undefined && Object.hasOwn(script, name)) return script[name]!;
  const subject = name === undefined ? `A question without a name (${JSON.stringify(what)})` : `The question ${JSON.stringify(name)}`;
  const known = Object.keys(script).map((key) => JSON.stringify(key));
  const remedy = name === undefined ? `give a function as "${option}"` : `option "${option}" has ${known.join(", ") || "none"}`;
  throw new McpError(ErrorCode.InternalError, `${subject} has no answer in this test: ${remedy}`);
}
