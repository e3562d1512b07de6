/**
 * Serves stateful revisions without sessions: each POST gets a session that lasts as long as the POST.
 *
 * The version header names the revision. The client's name and capabilities are unknown, and there is no back-channel.
 */
import { isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import { isBatch, isRequest } from "../../../jsonrpc/message.ts";
import type { Incoming } from "../../../jsonrpc/incoming.ts";
import { ASSUMED_HTTP_VERSION } from "../../../protocol/versions.ts";
import { codecFor } from "../../../wire/revisions.ts";
import type { Acceptor } from "../../../dispatch/acceptor.ts";
import { ACCEPTED_202, type AcceptHeader, type HttpRequest, type HttpResponse } from "../http-message.ts";
import { EventStream } from "../exchange/event-stream.ts";
import { noBatches, tooMany } from "../refusals.ts";
import type { Serving } from "../serving.ts";
import { Session } from "./session.ts";
import { versionFault, type ParsedBody } from "./sessions.ts";

const UNKNOWN = { name: "unknown", version: "0" };

export class SessionlessPosts {
  readonly #server: Acceptor;
  readonly #serving: Serving;

  constructor(server: Acceptor, serving: Serving) {
    this.#server = server;
    this.#serving = serving;
  }

  post(request: HttpRequest, incoming: ParsedBody, accepts: AcceptHeader): MaybePromise<HttpResponse> {
    const { settings, running } = this.#serving;
    const mode = this.#serving.modeFor(accepts);
    const fault = versionFault(request);
    if (fault !== undefined) return fault;
    if (!isBatch(incoming) && !isRequest(incoming)) return ACCEPTED_202;
    const version = request.header("mcp-protocol-version") ?? ASSUMED_HTTP_VERSION;
    if (isBatch(incoming) && !codecFor(version)?.acceptsBatches) return noBatches();
    if (running >= settings.limits.maxRunning) return tooMany(503, "limits.maxRunning");
    const { principal, address } = request;
    const session = new Session({ serving: this.#serving, id: "", principal, address, singlePost: true });
    const first = isBatch(incoming) ? undefined : incoming;
    return session.start(this.#server, () => {
      if (first?.method === "initialize") return closeWithResponse(session, session.post({ incoming, mode, request }));
      const opened = session.post({ incoming: createHandshake(version), mode: "json" });
      const serve = (): MaybePromise<HttpResponse> => closeWithResponse(session, session.post({ incoming, mode, request }));
      return isPromise(opened) ? opened.then(serve) : serve();
    });
  }
}

function createHandshake(protocolVersion: string): Incoming {
  return { jsonrpc: "2.0", id: "handshake", method: "initialize", params: { protocolVersion, capabilities: {}, clientInfo: UNKNOWN } };
}

function closeWithResponse(session: Session, response: MaybePromise<HttpResponse>): MaybePromise<HttpResponse> {
  if (isPromise(response)) return response.then((known) => closeWithResponse(session, known));
  if (response.body instanceof EventStream) response.body.whenEnded(() => void session.close());
  else void session.close();
  return response;
}
