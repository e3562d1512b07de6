/** What a client is told when it connects: who it is, what it can answer, and its limits. */
import type { AuthProvider } from "../auth/login/authorizer.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { ErrorData } from "../jsonrpc/mcp-error.ts";
import type { JsonObject, RequestId } from "../jsonrpc/message.ts";
import type { RequestMeta } from "../protocol/base.ts";
import type { ExtensionCapabilities, Implementation, SamplingCapability } from "../protocol/capabilities.ts";
import type { ElicitRequestParams, ElicitResult } from "../protocol/elicitation.ts";
import type { LoggingMessageNotificationParams } from "../protocol/lifecycle.ts";
import type { LoggingLevel } from "../protocol/logging.ts";
import type { CreateMessageRequestParams, CreateMessageResult, CreateMessageResultWithTools, Root } from "../protocol/sampling.ts";
import type { ProtocolVersion } from "../protocol/versions.ts";
import type { JsonSchemaValidator } from "../schema/json-schema-validator.ts";
import type { Clock } from "../base/clock.ts";
import type { DispatcherLimits } from "../dispatch/limits.ts";
import type { Extension } from "../session/extension.ts";
import type { Middleware } from "../session/handler.ts";
import type { OutgoingRequest } from "./call/outgoing-request.ts";
import type { ClientSession } from "./session.ts";

/** The server's request that a callback answers. */
export interface ServerRequestContext {
  /** Of the server's request; of a question in a result, the name it has there. */
  readonly requestId: RequestId;
  /** The request's `_meta`, if it has one. */
  readonly meta: RequestMeta | undefined;
  /** Aborts when the server cancels, the call it belongs to is given up, or the connection ends. */
  readonly signal: AbortSignal;
  /** The session that is asked: a callback may make calls of its own (CS-73, CS-78). */
  readonly session: ClientSession;
}

/** Answers a form or an invitation to a page. May return or throw an error for the server (CV-15). */
export type ElicitHandler = (params: ElicitRequestParams, context: ServerRequestContext) => MaybePromise<ElicitResult | ErrorData>;
/** Lets a model answer. May return or throw an error for the server. */
export type SampleHandler = (
  params: CreateMessageRequestParams,
  context: ServerRequestContext,
) => MaybePromise<CreateMessageResult | CreateMessageResultWithTools | ErrorData>;
/** The roots, or what answers with them. */
export type Roots = readonly Root[] | ((context: ServerRequestContext) => MaybePromise<readonly Root[] | ErrorData>);
/** Told of each log message of the server, in order. */
export type LogHandler = (message: LoggingMessageNotificationParams) => MaybePromise<void>;

/** A notification as it arrived. */
export interface ServerMessage {
  /** Such as `notifications/message`. */
  method: string;
  /** Checked where the revision has the method; `{}` where there were none. */
  params: JsonObject;
}
/** Told of each notification of the server, in order. */
export type MessageHandler = (message: ServerMessage) => MaybePromise<void>;

/** Options of a client, whatever its server. All times are in milliseconds; sizes and time limits of calls are those of a dispatcher. */
export interface ClientSessionOptions extends Partial<DispatcherLimits> {
  /** Who this client says it is. Default {@link DEFAULT_CLIENT_INFO}. */
  clientInfo?: Implementation;

  /** What every request goes through, those of the handshake included; the first is outermost. More: {@link Client.use}. Default: none. */
  middleware?: readonly Middleware<OutgoingRequest>[];

  /** Answers elicitation; declares the capability. Default: not declared, and what is asked all the same is refused. */
  onElicit?: ElicitHandler;
  /** The kinds of elicitation `onElicit` takes. Default both. */
  elicitationModes?: readonly ("form" | "url")[];
  /**
   * Answers sampling; declares the capability. Default: not declared, and refused.
   * @deprecated in the protocol as of 2026-07-28, where it still works: servers are to ask a model themselves.
   */
  onSample?: SampleHandler;
  /**
   * What is declared beside `sampling` itself: `{ tools: {} }`, `{ context: {} }`. Default: nothing.
   * @deprecated in the protocol as of 2026-07-28, where it still works: servers are to ask a model themselves.
   */
  samplingCapabilities?: SamplingCapability;
  /**
   * Declares `roots` and answers with them. Default: not declared, and refused.
   * @deprecated in the protocol as of 2026-07-28, where it still works: give directories as arguments, or as configuration.
   */
  roots?: Roots;
  /**
   * Times a call is sent again with answers to what the server asks in its result (stateless revisions), or once the user
   * has been on a page (2025-11-25). Default 10; 0 to get such results as they are, in {@link InputRequiredError} and
   * `UrlElicitationRequiredError`, and answer by hand.
   */
  maxRounds?: number;
  /**
   * Answers of this client that may lie in each other: a callback that calls a tool, whose handler asks, and so on. The
   * question that would go deeper is refused. Default 8.
   */
  maxDepth?: number;
  /**
   * Milliseconds the user has to finish what a page is for, where a server refuses a call until then (-32042, 2025-11-25).
   * Counted against no other time limit. Default 600 000 (10 minutes).
   */
  visitTimeout?: number;
  /** Capabilities outside the protocol that this client declares, by name. Default: none. */
  experimental?: { [name: string]: JsonObject };
  /** What is spoken beyond the core of the protocol, such as `tasks()` of `tenon/ext/tasks`; or only declared, by id. Default: nothing. */
  extensions?: readonly Extension[] | ExtensionCapabilities;

  /**
   * Told of log messages of the server. Default: nobody.
   * @deprecated in the protocol as of 2026-07-28, where it still works: servers are to write to stderr, or to trace with OpenTelemetry.
   */
  onLog?: LogHandler;
  /**
   * The least severe log message wanted. Default: what the server decides; on stateless revisions none.
   * @deprecated in the protocol as of 2026-07-28, where it still works: servers are to write to stderr, or to trace with OpenTelemetry.
   */
  logLevel?: LoggingLevel;
  /** Told of every notification of the server, after those with a callback of their own. Default: nobody. */
  onMessage?: MessageHandler;
  /** Told of everything that is dropped or goes wrong outside a call, callbacks of the user included. Default: nobody. */
  onError?: (error: Error) => void;

  /** Whether structured results are checked against the tool's output schema. Default true; costs one `tools/list`. */
  validateOutput?: boolean;
  /** What runs those schemas. Default: Tenon's own choice for the runtime. */
  validator?: JsonSchemaValidator;
  /** What all time limits go by. Default: the system's; tests give one that stands still. */
  clock?: Clock;
  /**
   * @internal What becomes of a result that may be malformed. `check` returns it as it is used, and throws where it
   * is malformed.
   */
  salvage?: (method: string, result: JsonObject, check: (result: JsonObject) => JsonObject) => JsonObject;
}
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
