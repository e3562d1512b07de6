/**
 * Asks a client with sessions what a server without sessions wants to know, and calls the server again with the answers.
 *
 * Such a server ends each request with its questions, and keeps nothing: each round is a request of its own.
 */
import { waits } from "../../base/waits.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import { ErrorCode, LimitExceededError, McpError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { InputRequest, InputRequiredResult } from "../../protocol/input-required.ts";
import { canBeAsked } from "../../session/asking/questions/question.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { hearerOf, type Caller } from "../clients/caller.ts";
import { assertSafePage, QUESTIONS } from "./lane-answers.ts";
import { LiveCall } from "./live-call.ts";

/** Rounds of questions of one call. */
const MAX_ROUNDS = 10;
/** Questions of one round: as many as a server with sessions can ask at once. */
const MAX_QUESTIONS = 256;
/** The pauses before a call is continued whose server asks nothing, in milliseconds. */
const PAUSES = { first: 50, longest: 25_600 };

export interface AskedCall {
  readonly context: RequestContext;
  readonly caller: Caller;
  readonly server: string;
}

/** How the call goes on. */
interface Continuation {
  readonly clock: Clock;
  /** Sends the call again, with these members beside its params. */
  readonly send: (answers: JsonObject) => Promise<JsonObject>;
}

/** Whether a result asks for something. */
export function isAsking(result: JsonObject): result is InputRequiredResult {
  return result["resultType"] === "input_required"; // its other members are as the server sent them
}

/**
 * What a round of a server asks, by its keys.
 * @throws McpError -32603 that names the server, if it breaks the protocol or asks too much at once
 */
export function questionsOf(
  { server }: Pick<AskedCall, "server">,
  { inputRequests = {}, requestState = "" }: JsonObject,
): readonly (readonly [string, InputRequest])[] {
  const fault = (what: string, data?: JsonObject): McpError =>
    new McpError(ErrorCode.InternalError, `Server "${server}" asked ${what}`, { server, ...data });
  if (!isJsonObject(inputRequests) || typeof requestState !== "string") throw fault("in a form that the protocol does not have");
  const questions = Object.entries(inputRequests);
  if (questions.length > MAX_QUESTIONS)
    throw fault(`${questions.length} questions at once, more than ${MAX_QUESTIONS}`, { limit: "questions", max: MAX_QUESTIONS });
  for (const [key, question] of questions)
    if (!isQuestion(question)) throw fault("a question that the protocol does not have", { question: key });
  return questions as [string, InputRequest][]; // checked above
}

function isQuestion(question: unknown): boolean {
  if (!isJsonObject(question)) return false;
  const { method, params } = question;
  return QUESTIONS.has(method) && (isJsonObject(params) || (params === undefined && method === "roots/list"));
}

/**
 * Asks the client what the server asks, and calls again with the answers, until there is a result.
 * @throws McpError -32603 if the client refuses a question, LimitExceededError `rounds`
 */
export async function answerInRounds(call: AskedCall, first: JsonObject, { clock, send }: Continuation): Promise<JsonObject> {
  const pauses = waits(PAUSES);
  let result = first;
  for (let round = 0; isAsking(result); round++) {
    if (round === MAX_ROUNDS) throw new LimitExceededError("rounds", MAX_ROUNDS);
    const { requestState } = result;
    const questions = questionsOf(call, result);
    const answers = await Promise.all(questions.map(async ([key, question]) => [key, await ask(call, key, question)] as const));
    if (questions.length === 0) await sleep(clock, pauses.next(), call.context.signal);
    result = await send({ inputResponses: Object.fromEntries(answers), ...(requestState !== undefined && { requestState }) });
  }
  return result;
}

/**
 * The client answered a question of a server with an error, and rounds have no error for a question. The call of a tool has a result
 * that says so, which its model can read; any other fails with -32603, with the server and the question in `data`.
 */
export class RefusedQuestionError extends McpError {
  override name = "RefusedQuestionError";

  toResult(): JsonObject {
    return { content: [{ type: "text", text: this.message }], isError: true };
  }
}

/** @throws RefusedQuestionError */
async function ask(call: AskedCall, key: string, question: InputRequest): Promise<JsonObject> {
  const { context, caller, server } = call;
  assertAble(call, key, question);
  try {
    return await new LiveCall(context, hearerOf(caller, context)).ask(question, context.signal);
  } catch (error) {
    if (context.signal.aborted || !McpError.isMcpError(error)) throw error;
    const data = { server, question: key, cause: { code: error.code, message: error.message } };
    const what = question.method === "elicitation/create" ? "The user could not be asked" : "The client refused";
    throw new RefusedQuestionError(ErrorCode.InternalError, `${what} what server "${server}" asks: ${error.message}`, data);
  }
}

/** @throws McpError -32603 if the server asks for what the client did not declare; -32602 if its page is one that could run code in a host */
export function assertAble({ context, server }: AskedCall, key: string, question: InputRequest): void {
  assertSafePage(question);
  if (canBeAsked(context.client.capabilities, question)) return;
  const message = `Server "${server}" asked for "${question.method}", which the client did not declare`;
  throw new McpError(ErrorCode.InternalError, message, { server, question: key });
}
