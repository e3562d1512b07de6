/** The middleware of a lane's client that gives the server's questions to the calls on the lane. */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { AnswerContext } from "../../client/options.ts";
import type { ProgressCallback } from "../../dispatch/dispatcher.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { RELATED_TASK_META_KEY } from "../../protocol/meta-keys.ts";
import type { InputRequest } from "../../protocol/input-required.ts";
import { canBeAsked } from "../../session/asking/questions/question.ts";
import type { Handler, HandlerContext, TwoWayMiddleware } from "../../session/handler.ts";
import type { LaneQuestions } from "./lane-questions.ts";
import type { Profile } from "../clients/profile.ts";

export const QUESTIONS: ReadonlySet<unknown> = new Set(["elicitation/create", "sampling/createMessage", "roots/list"]);

/** A question that the lane did not declare goes to the client, which refuses it by name. */
export function answersOf(lane: { readonly profile: Profile; readonly questions: LaneQuestions }): TwoWayMiddleware {
  const layer = <C extends HandlerContext>(next: Handler<C>): Handler<C> => {
    return (request: C): MaybePromise<JsonObject> => {
      if (!isFromServer(request) || !QUESTIONS.has(request.method)) return next(request);
      const { _meta: meta, ...params } = request.params;
      const question = { method: request.method, params } as InputRequest; // the client's codec has checked it
      assertSafePage(question);
      if (!canBeAsked(lane.profile.capabilities, question)) return next(request);
      const origin = { related: request.related, taskId: taskOf(meta), onProgress: progressOf(request) };
      return lane.questions.answer(question, request.signal, origin);
    };
  };
  return Object.assign(layer, { bothWays: true as const });
}

function isFromServer(request: HandlerContext): request is AnswerContext {
  return "asked" in request;
}

/** What passes the progress of an answer on; undefined if the server did not request it. */
function progressOf({ meta, progress }: AnswerContext): ProgressCallback | undefined {
  if (meta?.progressToken === undefined) return undefined;
  return (step) => void progress(step.progress, step.total, step.message); // a slow server delays no answer of the client
}

function taskOf(meta: unknown): unknown {
  const related = isJsonObject(meta) ? meta[RELATED_TASK_META_KEY] : undefined;
  return isJsonObject(related) ? related["taskId"] : undefined;
}

const PAGE = /^https?:/i;

/** @throws McpError -32602 if a question opens a page whose URL could run code or read a file in a host (`javascript:`, `file:`) */
export function assertSafePage({ method, params }: InputRequest): void {
  const url: unknown = method === "elicitation/create" && "url" in params ? params.url : undefined;
  if (url === undefined || (typeof url === "string" && URL.canParse(url) && PAGE.test(new URL(url).protocol))) return;
  throw new McpError(ErrorCode.InvalidParams, "The URL of a page must begin with one of: https:, http:");
}
