/**
 * Answers what a server asks of its client, in a request of its own or in a result: elicitation, sampling, roots.
 *
 * The callbacks are the user's; what they return is checked before it leaves, what they throw is told to the operator
 * and not to the server. Loaded with the first question (`answering.ts`).
 */
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { ErrorCode, isErrorData, McpError, ProtocolViolationError, type ErrorData } from "../../jsonrpc/mcp-error.ts";
import type { ElicitRequestParams, ElicitResult } from "../../protocol/elicitation.ts";
import type { InputRequest, InputResponse } from "../../protocol/input-required.ts";
import { contentAsList } from "../../protocol/content.ts";
import type { CreateMessageRequestParams } from "../../protocol/sampling.ts";
import type { InboundRequest, RawResult } from "../../dispatch/dispatcher.ts";
import type { AnswerContext } from "./answer-context.ts";
import type { ClientSession } from "../session.ts";
import type { ClientLink } from "../connection.ts";
import { answerNested } from "./nesting.ts";
import type { ClientSessionOptions, ServerRequestContext } from "../options.ts";
import { withDefaults } from "./elicitation-defaults.ts";

type Answer = (options: ClientSessionOptions, params: JsonObject, context: ServerRequestContext) => MaybePromise<JsonObject>;

/** @throws McpError ready for the wire */
export function answerServer(session: ClientSession, report: (error: unknown) => void, request: InboundRequest): MaybePromise<RawResult> {
  const { method } = request;
  const { link } = session;
  const { codec } = link;
  if (codec.stateless) throw notAllowed(request, codec.version, report);
  const known = ANSWERS.has(method) || link.extensions?.answers(method) === true;
  if (!known || !codec.hasRequest(method, "server")) throw new McpError(ErrorCode.MethodNotFound, "Method not found", method);
  const params = codec.decodeParams(method, request.params);
  const encode = (result: JsonObject): RawResult => request.encode(codec.encodeResult(method, checked(link, method, result)));
  const fail = (error: unknown): never => {
    // One without an integer code could not be read.
    if (McpError.isMcpError(error) && isErrorData(error)) {
      if (error.cause !== undefined) report(error);
      throw error;
    }
    report(error);
    throw new McpError(ErrorCode.InternalError, "Internal error");
  };
  try {
    const result = answer(session, contextOf(session, request, params));
    return isPromise(result) ? link.wait(result).then(encode).catch(fail) : encode(result);
  } catch (error) {
    return fail(error);
  }
}

/** A request that must not be answered (A1.10). */
function notAllowed(request: InboundRequest, version: string, report: (error: unknown) => void): McpError {
  const violation = new ProtocolViolationError(`The server sent the request "${request.method}", which ${version} does not allow`);
  request.ignore();
  report(violation);
  return violation;
}

/**
 * Answers a question that came in a result, by the same callbacks.
 * @throws McpError or what the callback threw: there is no way to tell the server (H15)
 */
export function answerQuestion(
  session: ClientSession,
  question: InputRequest,
  asking: Pick<ServerRequestContext, "requestId" | "signal">,
): MaybePromise<InputResponse> {
  const { link } = session;
  const { codec } = link;
  const { method, params = {} } = question;
  const encode = (result: JsonObject): InputResponse => codec.encodeResult(method, checked(link, method, result)) as InputResponse; // checked just now
  const result = answer(session, {
    method,
    params,
    requestId: asking.requestId,
    meta: params._meta,
    session,
    asked: "result",
    protocolVersion: codec.version,
    get signal(): AbortSignal {
      return asking.signal;
    },
  });
  return isPromise(result) ? result.then(encode) : encode(result);
}

/** Questions to people and models take a while, and what answers them may call tools meanwhile. */
const NESTING: ReadonlySet<string> = new Set(["elicitation/create", "sampling/createMessage"]);

function answer(session: ClientSession, context: AnswerContext): MaybePromise<JsonObject> {
  const { link } = session;
  return NESTING.has(context.method) ? answerNested(session, () => link.answer(context)) : link.answer(context);
}

/** Calls back what the user gave to answer with. @throws what it throws */
export function answerByCallback(options: ClientSessionOptions, context: AnswerContext): MaybePromise<JsonObject> {
  return ANSWERS.get(context.method)!(options, context.params, context); // codecs know these kinds only
}

const ANSWERS: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ["ping", () => ({})],
  ["elicitation/create", elicit],
  ["sampling/createMessage", sample],
  ["roots/list", listRoots],
]);

function elicit(options: ClientSessionOptions, params: JsonObject, context: ServerRequestContext): MaybePromise<JsonObject> {
  if (options.onElicit === undefined) throw new McpError(ErrorCode.InvalidParams, "Elicitation not supported");
  const asked = params as ElicitRequestParams; // checked by the codec
  const mode = asked.mode ?? "form";
  if (options.elicitationModes?.includes(mode) === false)
    throw new McpError(ErrorCode.InvalidParams, `Elicitation mode "${mode}" not supported`);
  const finish = (answer: ElicitResult | ErrorData): JsonObject => withDefaults(asked, orThrow(answer));
  const answer = options.onElicit(asked, context);
  return isPromise(answer) ? answer.then(finish) : finish(answer);
}

function sample({ onSample }: ClientSessionOptions, params: JsonObject, context: ServerRequestContext): MaybePromise<JsonObject> {
  if (onSample === undefined) throw new McpError(ErrorCode.InvalidRequest, "Sampling not supported");
  const asked = params as CreateMessageRequestParams; // checked by the codec
  const withTools = asked.messages.some((message) => contentAsList(message).some(({ type }) => type.startsWith("tool_")));
  const answer = withTools ? assertBalance(asked).then(() => onSample(asked, context)) : onSample(asked, context);
  return isPromise(answer) ? answer.then(orThrow) : orThrow(answer);
}

/** A conversation that no model could go on with is refused (L2.4). @throws McpError -32602 */
async function assertBalance({ messages }: CreateMessageRequestParams): Promise<void> {
  const { assertToolResultBalance } = await import("../../session/sampling-rules.ts");
  try {
    assertToolResultBalance(messages);
  } catch (cause) {
    throw new McpError(ErrorCode.InvalidParams, (cause as RangeError).message); // what it throws
  }
}

function listRoots({ roots }: ClientSessionOptions, _params: JsonObject, context: ServerRequestContext): MaybePromise<JsonObject> {
  if (roots === undefined) throw new McpError(ErrorCode.MethodNotFound, "List roots not supported", "roots/list");
  const answer = typeof roots === "function" ? roots(context) : roots;
  return isPromise(answer) ? answer.then((list) => ({ roots: orThrow(list) })) : { roots: orThrow(answer) };
}

/** A callback may return the error it wants to answer with; it is told by its integer `code` (CV-15). */
function orThrow<T>(answer: T | ErrorData): T {
  if (isErrorData(answer)) throw new McpError(answer.code, answer.message, answer.data);
  return answer;
}

/** @throws McpError -32603 for an answer that no server may be sent (CS-76) */
function checked(link: ClientLink, method: string, result: JsonObject): JsonObject {
  try {
    return link.codec.decodeResult(method, result);
  } catch (cause) {
    throw new McpError(ErrorCode.InternalError, "Client callback returned an invalid result", undefined, { cause });
  }
}

function contextOf(session: ClientSession, request: InboundRequest, params: JsonObject): AnswerContext {
  const meta = params["_meta"];
  return {
    method: request.method,
    params,
    asked: "request",
    protocolVersion: session.protocolVersion,
    session,
    requestId: request.requestId,
    meta: isJsonObject(meta) ? meta : undefined,
    get signal(): AbortSignal {
      return request.signal;
    },
  };
}
