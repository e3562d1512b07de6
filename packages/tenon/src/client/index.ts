/** `tenon/client`: connects to servers and calls them. Runs in browsers and workers; parts that need Node are loaded when used. */
export { connect } from "./connect.ts";
export { Client } from "./client.ts";
export { ClientSession } from "./session.ts";
export { DEFAULT_CLIENT_INFO } from "./identity.ts";
export type { OpenOptions } from "./opening.ts";
export type { CallOptions, OutgoingRequest, ResultOptions, ToolCallOptions } from "./call/outgoing-request.ts";
export type { ChangeStream } from "./listen/change-stream.ts";
export type { Listening } from "./listen/listen.ts";
export type { ListenFilter, ListenOptions, ResourceFilter, ServerChange } from "./listen/changes.ts";
export { FailedToolError, InputRequiredError, ToolOutputValidationError, type ToolOutputFault } from "./errors.ts";
export type { HttpClientLimits, HttpHeaders, HttpServerParameters } from "./http/options.ts";
export {
  ConnectionClosedError,
  ConnectionLostError,
  ErrorCode,
  LimitExceededError,
  McpError,
  McpUsageError,
  ProtocolViolationError,
  RequestTimeoutError,
  type ErrorData,
  type Outcome,
} from "../jsonrpc/mcp-error.ts";
export {
  MissingClientCapabilityError,
  ResourceNotFoundError,
  StatelessModeNotSupported,
  UnsupportedVersionError,
  UrlElicitationRequiredError,
} from "../protocol/errors.ts";
export { HttpStatusError, SessionLostError, statusOf, UnusableResponseError } from "./http/errors.ts";
export type { Fetch } from "./http/fetch.ts";
export type { ClientLimits } from "./session-options.ts";
export type { NotificationHandler, NotificationOptions } from "./notification-listener.ts";
export type { LogHandler, MessageHandler, ServerMessage } from "./inbox.ts";
export type { Deviation, DeviationKind } from "../wire/deviations.ts";
export type {
  AnswerContext,
  ClientSessionOptions,
  ConnectOptions,
  ElicitHandler,
  Roots,
  SampleHandler,
  ServerRequestContext,
} from "./options.ts";
export type { SessionSource } from "../session/session-source.ts";
export type { ProgramParameters } from "./program/open.ts";
export type { RestartOptions } from "./program/restart-pace.ts";
export type { Target } from "./target.ts";
export { displayName } from "../protocol/display-name.ts";
export { ToolResult } from "./result.ts";
export type { NoTools, ToolCalls, ToolSignature, ToolsOf } from "../session/tools/typed-tools.ts";
export type { DiscoveredCard, CardDiscoveryOptions } from "./http/card-discovery-options.ts";
