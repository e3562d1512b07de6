/** GET of a session: the stream for what belongs to no request (E2), or the rest of one whose connection was lost (E3). */
import { isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import { ErrorCode, ProtocolViolationError } from "../../../jsonrpc/mcp-error.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import { refusal, SSE_HEADERS, type HttpRequest, type HttpResponse } from "../http-message.ts";
import { badRequest, tooMany, unavailable } from "../refusals.ts";
import { parseEventId } from "./resumable-stream.ts";
import type { HttpSession } from "./session.ts";

type Opened = EventStream | "unknown" | "evicted";

export function openSessionStream(request: HttpRequest, session: HttpSession): MaybePromise<HttpResponse> {
  const { serving, principal } = session;
  const full = serving.refuseStaying(principal);
  if (full !== undefined) return tooMany(full, full === 429 ? "maxStreamsPerPrincipal" : "maxStreams");
  session.confirmed = true;
  const opened = open(request.header("last-event-id"), session);
  if (!isPromise(opened)) return toResponse(request, session, opened);
  return opened.then(
    (stream) => toResponse(request, session, stream),
    (error: unknown) => {
      serving.report(error);
      return unavailable("The event store is not available");
    },
  );
}

function open(lastEventId: string | undefined, { streams }: HttpSession): MaybePromise<Opened> {
  if (lastEventId === undefined) return streams.openUnrelated();
  const position = parseEventId(lastEventId);
  return position === undefined ? "unknown" : streams.resume(position);
}

function toResponse({ caller }: HttpRequest, { serving, principal }: HttpSession, opened: Opened): HttpResponse {
  if (opened === "unknown") return badRequest(new ProtocolViolationError("Bad request: unknown event id"));
  if (opened === "evicted")
    return refusal(410, { code: ErrorCode.InternalError, message: "Replay window exceeded: these events are gone" });
  const leave = serving.stay(principal);
  opened.whenEnded(leave);
  // The stream outlives it: the client comes back for the rest, with a token that is good.
  const forget = serving.endsWith(caller, () => opened.end());
  if (forget !== undefined) opened.whenEnded(forget);
  return { status: 200, headers: SSE_HEADERS, body: opened };
}
