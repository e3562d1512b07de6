/**
 * `tenon/session`: the parts that sessions are made of, for authors of hosts, transports and proxies. Most programs need
 * `tenon/client` and `tenon/server` only.
 */
export type {
  ClientMessageMetadata,
  MessageMetadata,
  MessageReader,
  MessageWriter,
  ServerMessageMetadata,
  SessionMessage,
  TransportStreams,
} from "../transport/session-message.ts";
export type { RunInContext } from "../base/async-context.ts";
export { createContextStreams, type ContextWriter } from "../transport/context-streams.ts";
export { StreamTransport } from "../transport/stream-transport.ts";
export { toStreams } from "../transport/transport-streams.ts";
export type { SessionSource } from "./session-source.ts";
export { BaseSession, type BaseSessionOptions, type SessionIncoming, type SessionRequest } from "./base-session.ts";
export { RequestResponder, type RequestResponderOptions, type ResponseSender } from "./request-responder.ts";
export { RoutedTransport, type ResponseRouter } from "./response-router.ts";
export { assertSamplingTools, assertToolResultBalance, supportsSamplingTools } from "./sampling-rules.ts";
export {
  buildCreateMessageRequest,
  buildElicitFormRequest,
  buildElicitUrlRequest,
  nextTaskRequestId,
  type BuildRequestOptions,
} from "./request-builders.ts";
