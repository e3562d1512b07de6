/** `tenon/client`: connecting to servers and calling them. Runs in browsers and workers; Node parts load when used. */
export { connect } from "./connect.ts";
export { Client } from "./client.ts";
export type { AnswerContext } from "./answer-context.ts";
export { ClientSession } from "./client-session.ts";
export { DEFAULT_CLIENT_INFO } from "./identity.ts";
export type { OpenOptions } from "./negotiate.ts";
export type { CallOptions, OutgoingRequest, ToolCallOptions } from "./outgoing-request.ts";
export type { ChangeStream, ListenFilter, ListenOptions, ResourceFilter, ServerChange } from "./changes.ts";
export { FailedToolError, InputRequiredError, ToolOutputValidationError, type ToolOutputFault } from "./errors.ts";
export type { HttpClientLimits, HttpHeaders, HttpServerParameters } from "./http-options.ts";
export {
  ConnectionLostError,
  HttpStatusError,
  SessionLostError,
  statusOf,
  UnusableResponseError,
  type Outcome,
} from "../transport/http-client/http-errors.ts";
export type { Fetch } from "../transport/http-client/fetch.ts";
export type {
  ClientSessionOptions,
  ConnectOptions,
  ElicitHandler,
  LogHandler,
  MessageHandler,
  Roots,
  SampleHandler,
  ServerMessage,
  ServerRequestContext,
} from "./options.ts";
export type { SessionSource } from "../session/session-source.ts";
export type { ProgramParameters } from "./program.ts";
export type { RestartOptions } from "./restart-pace.ts";
export type { Target } from "./target.ts";
export { ToolResult } from "./tool-result.ts";
export type { NoTools, ToolCalls, ToolSignature, ToolsOf } from "../session/typed-tools.ts";
