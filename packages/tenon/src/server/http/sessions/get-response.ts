/** The response to a GET of a session: a stream that stays open, or why there is none. */
import { andThen, attempt, type MaybePromise } from "../../../base/maybe-promise.ts";
import { ErrorCode, ProtocolViolationError } from "../../../jsonrpc/mcp-error.ts";
import { refusal, SSE_HEADERS, type HttpRequest, type HttpResponse } from "../http-message.ts";
import { badRequest, sessionNotFound, unavailable } from "../refusals.ts";
import type { Opened, StreamsOwner } from "./streams.ts";

/** Responds with the stream that `open` finds for the `Last-Event-ID` of the request. */
export function respondToGet(
  state: StreamsOwner,
  request: HttpRequest,
  open: (lastEventId: string | undefined) => MaybePromise<Opened>,
): MaybePromise<HttpResponse> {
  const { serving, share } = state;
  const full = serving.longLived.refuse(share);
  if (full !== undefined) return full;
  state.confirmed = true;
  const opened = attempt<Opened, Opened>(
    () => open(request.header("last-event-id")),
    (error) => {
      serving.report(error);
      return "failed";
    },
  );
  return andThen(opened, (stream) => toResponse(state, request, stream));
}

function toResponse({ serving, share }: StreamsOwner, { caller }: HttpRequest, opened: Opened): HttpResponse {
  if (opened === "failed") return unavailable("The event store is not available");
  if (opened === "ended") return sessionNotFound();
  if (opened === "unknown") return badRequest(new ProtocolViolationError("Bad request: unknown event id"));
  if (opened === "evicted")
    return refusal(410, { code: ErrorCode.InternalError, message: "Replay window exceeded: these events are gone" });
  opened.whenEnded(serving.longLived.open(share));
  // The stream outlives this response: the client resumes it with a new token.
  const forget = serving.endWithToken(caller, () => opened.end());
  if (forget !== undefined) opened.whenEnded(forget);
  return { status: 200, headers: SSE_HEADERS, body: opened };
}
