/**
 * Stateful revisions without sessions: every POST is served by a session that lasts as long as the POST.
 *
 * The revision is what the version header says. Of the client nothing is known, and nothing can be asked of it.
 */
import { isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import { isBatch, isRequest } from "../../../jsonrpc/message.ts";
import type { Incoming } from "../../../jsonrpc/incoming.ts";
import { ASSUMED_HTTP_VERSION } from "../../../protocol/versions.ts";
import { codecFor } from "../../../wire/revisions.ts";
import type { Acceptor } from "../../../dispatch/acceptor.ts";
import { ACCEPTED, type HttpRequest, type HttpResponse } from "../http-message.ts";
import { EventStream } from "../exchange/event-stream.ts";
import type { Accepted } from "../media-type.ts";
import { noBatches, notAcceptable, tooMany, versionFault } from "../refusals.ts";
import { HttpSession, type SessionHost } from "./session.ts";
import { startSession } from "./session-start.ts";
import type { Readable } from "./sessions.ts";

const NOBODY = { name: "unknown", version: "0" };

export class SessionlessPosts {
  readonly #server: Acceptor;
  readonly #host: SessionHost;

  constructor(server: Acceptor, host: SessionHost) {
    this.#server = server;
    this.#host = host;
  }

  post(request: HttpRequest, incoming: Readable, accepts: Accepted): MaybePromise<HttpResponse> {
    const { settings, running } = this.#host.serving;
    const mode = accepts.events ? settings.responseMode : "json";
    if (!accepts.json) return notAcceptable("application/json");
    const fault = versionFault(request);
    if (fault !== undefined) return fault;
    if (!isBatch(incoming) && !isRequest(incoming)) return ACCEPTED;
    const version = request.header("mcp-protocol-version") ?? ASSUMED_HTTP_VERSION;
    if (isBatch(incoming) && !codecFor(version)?.acceptsBatches) return noBatches();
    if (running >= settings.maxRunning) return tooMany(503, "maxRunning");
    const session = new HttpSession(this.#host, "", request.principal, true);
    const first = isBatch(incoming) ? undefined : incoming;
    return startSession(session, this.#server, () => {
      if (first?.method === "initialize") return lasting(session, session.post(incoming, mode, request));
      const opened = session.post(handshake(version), "json");
      const serve = (): MaybePromise<HttpResponse> => lasting(session, session.post(incoming, mode, request));
      return isPromise(opened) ? opened.then(serve) : serve();
    });
  }
}

/** What the client would have said. */
function handshake(protocolVersion: string): Incoming {
  return { jsonrpc: "2.0", id: "handshake", method: "initialize", params: { protocolVersion, capabilities: {}, clientInfo: NOBODY } };
}

/** The session ends with its response. */
function lasting(session: HttpSession, response: MaybePromise<HttpResponse>): MaybePromise<HttpResponse> {
  if (isPromise(response)) return response.then((known) => lasting(session, known));
  if (response.body instanceof EventStream) response.body.whenEnded(() => void session.close());
  else void session.close();
  return response;
}
