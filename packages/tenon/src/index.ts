/** `tenon`: servers and clients in one import, with their shared errors and types. Everything that needs Node is in `tenon/node`. */
export {
  ConnectionClosedError,
  ErrorCode,
  LimitExceededError,
  McpError,
  McpUsageError,
  NoBackChannelError,
  ProtocolViolationError,
  RequestTimeoutError,
  type ErrorData,
} from "./jsonrpc/mcp-error.ts";
export {
  MissingClientCapabilityError,
  ResourceNotFoundError,
  StatelessModeNotSupported,
  UnsupportedVersionError,
  UrlElicitationRequiredError,
} from "./protocol/errors.ts";
export { QuestionFailedError } from "./session/question-failed-error.ts";
export type * from "./protocol/types.ts";
export { contentAsList } from "./protocol/content.ts";
export { LOGGING_LEVELS } from "./protocol/logging.ts";
export {
  LATEST_HANDSHAKE_VERSION,
  LATEST_PROTOCOL_VERSION,
  STATEFUL_VERSIONS,
  STATELESS_VERSIONS,
  SUPPORTED_PROTOCOL_VERSIONS,
  type ProtocolVersion,
} from "./protocol/versions.ts";
export {
  coerceRequestId,
  isRequestId,
  type JSONRPCError,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type JsonObject,
  type RequestId,
} from "./jsonrpc/message.ts";
export { parseJsonRpcMessage } from "./jsonrpc/parse.ts";
export type { JsonLimits } from "./jsonrpc/json-limits.ts";
export type { AnySchema, InferInput, InferOutput, JsonSchema, StandardSchema } from "./schema/standard-schema.ts";
export { withJsonSchema } from "./schema/standard-schema.ts";
export { createJsonSchemaValidator, type JsonSchemaCheck, type JsonSchemaValidator } from "./schema/json-schema-validator.ts";
export { acceptorOf, SERVED, type Acceptor, type HttpRules, type Servable, type ServedObject } from "./dispatch/acceptor.ts";
export type { Clock } from "./base/clock.ts";
export type { Dispatcher, InboundRequest, Outbound, Progress, ProgressCallback, RequestOptions } from "./dispatch/dispatcher.ts";
export { createDirectPair, type DirectDispatcherOptions } from "./dispatch/direct-dispatcher.ts";
export { JsonRpcDispatcher, type JsonRpcDispatcherOptions } from "./dispatch/json-rpc-dispatcher.ts";
export type { CallTimes, ConnectionLimits, LimitOptions } from "./dispatch/limits.ts";
export { createMemoryPair, type MemoryPairOptions } from "./transport/memory.ts";
export type { PostingPort } from "./transport/posting-port.ts";
export { portTransport, type PortTransportOptions } from "./transport/port-transport.ts";
export type { MaybePromise } from "./base/maybe-promise.ts";
export { MalformedMessage, type Incoming, type Outgoing } from "./jsonrpc/incoming.ts";
export type { SendOptions, Transport } from "./transport/transport.ts";
export {
  audio,
  expandUriTemplate,
  file,
  image,
  inputRequired,
  McpServer,
  resourceLink,
  text,
  tool,
  ToolError,
  type AuthInfo,
  type Handler,
  type HandlerContext,
  type McpServerOptions,
  type Elicited,
  type FlatForm,
  type Middleware,
  type TwoWayMiddleware,
  type Registered,
  type RequestContext,
  type RequestStateOptions,
  type ServerSession,
} from "./server/index.ts";
export {
  type ChangeStream,
  Client,
  ClientSession,
  connect,
  ConnectionLostError,
  HttpStatusError,
  displayName,
  FailedToolError,
  InputRequiredError,
  SessionLostError,
  statusOf,
  ToolOutputValidationError,
  ToolResult,
  UnusableResponseError,
  type ClientSessionOptions,
  type ConnectOptions,
  type Deviation,
  type DeviationKind,
  type HttpServerParameters,
  type ServerChange,
  type SessionSource,
  type ProgramParameters,
  type RestartOptions,
  type Target,
} from "./client/index.ts";
