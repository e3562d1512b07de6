/** Calls the user's callback for a request of the server, and turns what the callback returns into a result. */
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { ErrorCode, isErrorData, McpError, type ErrorData } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { contentAsList } from "../../protocol/content.ts";
import type { ElicitRequestParams, ElicitResult } from "../../protocol/elicitation.ts";
import type { CreateMessageRequestParams, Root } from "../../protocol/sampling.ts";
import { assertRoots } from "../../session/roots.ts";
import { assertToolResultBalance } from "../../session/sampling-rules.ts";
import type { AskedRequest, Callbacks, QuestionContext } from "./callbacks.ts";

type Responder = <Session>(
  callbacks: Callbacks<Session>,
  params: JsonObject,
  context: QuestionContext<Session>,
) => MaybePromise<JsonObject | ErrorData>;

const RESPONDERS: ReadonlyMap<string, Responder> = new Map<string, Responder>([
  ["ping", () => ({})],
  ["elicitation/create", elicit],
  ["sampling/createMessage", sample],
  ["roots/list", listRoots],
]);

/** Whether a client handles requests of this method, with a callback or with a refusal. */
export function hasResponder(method: string): boolean {
  return RESPONDERS.has(method);
}

/** Whether a client has a callback for questions of this method, and so has declared them. */
export function hasCallback({ onElicit, onSample, roots }: Callbacks<never>, method: string): boolean {
  const callback = { "elicitation/create": onElicit, "sampling/createMessage": onSample, "roots/list": roots }[method];
  return callback !== undefined;
}

/** @throws what the callback throws; McpError if there is no callback, or if the callback returns an error */
export function answerByCallback<Session>(callbacks: Callbacks<Session>, request: AskedRequest<Session>): MaybePromise<JsonObject> {
  const answer = RESPONDERS.get(request.method)!(callbacks, request.params, request); // codecs know these methods only
  return isPromise(answer) ? answer.then(orThrow) : orThrow(answer);
}

/** Throws if a callback returned an error. An integer `code` tells an error from a result. */
function orThrow<T>(answer: T | ErrorData): T {
  if (isErrorData(answer)) throw new McpError(answer.code, answer.message, answer.data);
  return answer;
}

function elicit<Session>(callbacks: Callbacks<Session>, params: JsonObject, context: QuestionContext<Session>): MaybePromise<JsonObject> {
  const { onElicit, elicitationModes } = callbacks;
  if (onElicit === undefined) throw new McpError(ErrorCode.InvalidParams, "Elicitation not supported");
  const question = params as ElicitRequestParams; // checked by the codec
  const mode = question.mode ?? "form";
  if (elicitationModes?.includes(mode) === false) throw new McpError(ErrorCode.InvalidParams, `Elicitation mode "${mode}" not supported`);
  if (question.mode === "url") assertScheme(question.url, callbacks.elicitationSchemes);
  const answer = onElicit(question, context);
  return isPromise(answer) ? answer.then((result) => withDefaults(question, result)) : withDefaults(question, answer);
}

const DEFAULT_SCHEMES: readonly string[] = ["https", "http"];

/** @throws McpError -32602 if a host must not open pages of this scheme */
function assertScheme(url: string, schemes: readonly string[] = DEFAULT_SCHEMES): void {
  const scheme = URL.canParse(url) ? new URL(url).protocol.slice(0, -1) : undefined;
  if (scheme !== undefined && schemes.includes(scheme)) return;
  const message = `The URL of a page must begin with one of: ${schemes.map((one) => `${one}:`).join(", ")} (option "elicitationSchemes")`;
  throw new McpError(ErrorCode.InvalidParams, message);
}

/**
 * Adds the default values of the fields that the user left out of an accepted form. Returns any other answer unchanged. The
 * caller checks the answer.
 */
function withDefaults(request: ElicitRequestParams, answer: ElicitResult | ErrorData): JsonObject {
  if (!isJsonObject(answer) || answer["action"] !== "accept" || request.mode === "url") return answer as JsonObject; // checked later
  const { content } = answer;
  if (content !== undefined && !isJsonObject(content)) return answer;
  const missing = Object.entries(request.requestedSchema.properties).filter(
    ([name, field]) => field.default !== undefined && !(content !== undefined && Object.hasOwn(content, name)),
  );
  if (missing.length === 0) return answer;
  return { ...answer, content: { ...content, ...Object.fromEntries(missing.map(([name, field]) => [name, field.default])) } };
}

function sample<Session>(
  { onSample }: Callbacks<Session>,
  params: JsonObject,
  context: QuestionContext<Session>,
): MaybePromise<JsonObject | ErrorData> {
  if (onSample === undefined) throw new McpError(ErrorCode.InvalidRequest, "Sampling not supported");
  const question = params as CreateMessageRequestParams; // checked by the codec
  if (question.messages.some((message) => contentAsList(message).some(({ type }) => type.startsWith("tool_")))) assertBalance(question);
  return onSample(question, context);
}

/** @throws McpError -32602 if the messages have tool uses without results, which no model accepts */
function assertBalance({ messages }: CreateMessageRequestParams): void {
  try {
    assertToolResultBalance(messages);
  } catch (cause) {
    throw new McpError(ErrorCode.InvalidParams, (cause as RangeError).message); // what it throws
  }
}

function listRoots<Session>(
  { roots }: Callbacks<Session>,
  _params: JsonObject,
  context: QuestionContext<Session>,
): MaybePromise<JsonObject | ErrorData> {
  if (roots === undefined) throw new McpError(ErrorCode.MethodNotFound, "List roots not supported", "roots/list");
  const answer = typeof roots === "function" ? roots(context) : roots;
  return isPromise(answer) ? answer.then(rootsResult) : rootsResult(answer);
}

/** @throws McpError if a callback returned an error, or a root that is not a `file:` URI */
function rootsResult(answer: readonly Root[] | ErrorData): JsonObject {
  return { roots: assertRoots(orThrow(answer)) };
}
