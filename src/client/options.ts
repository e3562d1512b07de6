/** The options and callbacks of a client as users see them: with the session that callbacks are handed. */
import type { AuthProvider } from "../auth/login/authorizer.ts";
import type { ProtocolVersion } from "../protocol/versions.ts";
import type { AskedRequest, ElicitCallback, QuestionContext, RootsCallback, SampleCallback } from "./answer/callbacks.ts";
import type { SessionOptions } from "./session-options.ts";
import type { ClientSession } from "./session.ts";

/** The server's request that a callback answers. */
export interface ServerRequestContext extends QuestionContext<ClientSession> {}
/** A question of the server, on its way to the callback that answers it: what middleware for both ways sees. */
export interface AnswerContext extends AskedRequest<ClientSession> {}

/** Answers a form or an invitation to a page. May return or throw an error for the server. */
export type ElicitHandler = ElicitCallback<ClientSession>;
/** Lets a model answer. May return or throw an error for the server. */
export type SampleHandler = SampleCallback<ClientSession>;
/** The roots, or a function that returns them. */
export type Roots = RootsCallback<ClientSession>;

/** Options of a client, whatever its server. All times are in milliseconds; sizes and time limits of calls are those of a dispatcher. */
export interface ClientSessionOptions extends SessionOptions<ClientSession> {}

/** Options of `connect()`. */
export interface ConnectOptions extends ClientSessionOptions {
  /**
   * Speaks this revision or fails; `"stateful"`: begins with the handshake and takes the revision the server answers.
   * Default: finds out which one the server speaks.
   */
  revision?: ProtocolVersion | "stateful";
  /**
   * Milliseconds the server has to say whether it speaks a stateless revision before `initialize` is sent. Default 5 000;
   * over HTTP, where silence says nothing and is an error, `timeout`.
   */
  probeTimeout?: number;
  /** Abandons connecting: `connect()` rejects with `signal.reason`, and nothing is left running. */
  signal?: AbortSignal;
  /** Authorizes requests to a server at a URL, where its target does not say how (`HttpServerParameters.auth`). Default: nothing does. */
  auth?: AuthProvider;
  /**
   * For tests of a server in this process: whether a call whose handler threw rejects with that error as `cause`, and
   * `close()` with it, instead of what a client would be told. Default false; without effect on other targets.
   */
  raiseExceptions?: boolean;
  /**
   * Whether results that the server declares fresh for a while (`ttlMs`, stateless revisions) are kept and given again
   * until then, for a day at most, or until the server says that they changed. Private to this client; 1 000 at most. Default true.
   */
  cacheResponses?: boolean;
}
