/** The options and callbacks of a client as users see them, with the session that callbacks get. */
import type { AuthProvider } from "../auth/login/authorizer.ts";
import type { ProtocolVersion } from "../protocol/versions.ts";
import type { AskedRequest, ElicitCallback, QuestionContext, RootsCallback, SampleCallback } from "./answer/callbacks.ts";
import type { CardDiscoveryOptions } from "./http/card-discovery-options.ts";
import type { SessionOptions } from "./session-options.ts";
import type { Deviation } from "../wire/deviations.ts";
import type { ClientSession } from "./session.ts";

/** What a callback knows of the question that it answers. */
export interface ServerRequestContext extends QuestionContext<ClientSession> {}
/** A question of the server, as middleware for both ways sees it. */
export interface AnswerContext extends AskedRequest<ClientSession> {}

/** Answers a form, or an invitation to a page. Returns or throws an error to refuse. */
export type ElicitHandler = ElicitCallback<ClientSession>;
/** Answers with the reply of a model. Returns or throws an error to refuse. */
export type SampleHandler = SampleCallback<ClientSession>;
/** The roots, or a function that returns them. */
export type Roots = RootsCallback<ClientSession>;

/** Options of a client, whatever its server. All times are in milliseconds; sizes and time limits of calls are the same as for a dispatcher. */
export interface ClientSessionOptions extends SessionOptions<ClientSession> {}

/** Options of `connect()`. */
export interface ConnectOptions extends ClientSessionOptions {
  /**
   * The only revision to speak; `"stateful"`: begins with the handshake and takes the revision that the server chooses. Default:
   * finds out which revision the server speaks.
   */
  revision?: ProtocolVersion | "stateful";
  /**
   * Milliseconds the server has to respond to `server/discover` before the client reports to `onError` and sends `initialize`. They
   * count from the start of a program (`timeouts.start` of {@link ProgramTimeouts}). Default 5 000. Over HTTP a timeout is an error,
   * and the default is `timeout`.
   */
  probeTimeout?: number;
  /** Abandons connecting: `connect()` rejects with `signal.reason`, and nothing is left running. */
  signal?: AbortSignal;
  /** Authorizes requests to a server at a URL, unless its target has its own `auth` ({@link HttpServerParameters}). Default: none. */
  auth?: AuthProvider;
  /**
   * For tests of a server in this process: whether a call whose handler threw rejects with that error as `cause`, and `close()`
   * rejects with it, instead of the error that a client would get. Default false; without effect on other targets.
   */
  raiseExceptions?: boolean;
  /**
   * Whether results with a `ttlMs` (stateless revisions) are cached until they expire, for a day at most, or until the server
   * announces a change. The cache belongs to this client and holds 1 000 results at most. Default true.
   */
  cacheResponses?: boolean;
  /**
   * Whether the client looks for the endpoint of a domain, by its catalog and Server Card, if the URL has no path and the server answers
   * it with 404 or 405 (docs/serving/server-card.md); or how. Default true: within the origin of the URL.
   */
  discover?: boolean | CardDiscoveryOptions;
}

/** The options of a client that hears of every deviation, and not only of the first one of each kind. */
export function onEveryDeviation(callback: (deviation: Deviation) => void): ConnectOptions {
  return { onEveryDeviation: callback };
}
