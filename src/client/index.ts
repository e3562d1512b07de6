/** `tenon/client`: connecting to servers and calling them. Runs in browsers and workers; Node parts load when used. */
export { connect } from "./connect.ts";
export { Client } from "./client.ts";
export type { AnswerContext } from "./answer-context.ts";
export type { CallOptions, OutgoingRequest, ToolCallOptions } from "./outgoing-request.ts";
export { ChangeStream, type ListenFilter, type ServerChange } from "./changes.ts";
export { InputRequiredError, ToolOutputValidationError, type ToolOutputFault } from "./errors.ts";
export type { HttpClientLimits, HttpHeaders, HttpServerParameters } from "./http-options.ts";
export {
  ConnectionLostError,
  HttpStatusError,
  SessionLostError,
  statusOf,
  UnusableResponseError,
  type Outcome,
} from "../transport/http-client/http-errors.ts";
export type { Fetch } from "../transport/http-client/endpoint.ts";
export type {
  ConnectOptions,
  ElicitHandler,
  LogHandler,
  MessageHandler,
  Roots,
  SampleHandler,
  ServerMessage,
  ServerRequestContext,
} from "./options.ts";
export type { Target } from "./target.ts";
export { ToolResult } from "./tool-result.ts";
