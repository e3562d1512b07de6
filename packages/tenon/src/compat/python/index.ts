/**
 * `tenon/compat/python`: sessions as the Python SDK has them, for programs that move from it: a session whose requests the program
 * answers itself, streams of messages, response routers. New programs need `tenon/client` and `tenon/server` only.
 */
export type {
  ClientMessageMetadata,
  MessageMetadata,
  MessageReader,
  MessageWriter,
  ServerMessageMetadata,
  SessionMessage,
  TransportStreams,
} from "../../transport/session-message.ts";
export type { RunInContext } from "../../base/async-context.ts";
export { createContextStreams, type ContextWriter } from "./context-streams.ts";
export { StreamTransport } from "../../transport/stream-transport.ts";
export { toStreams } from "./transport-streams.ts";
export type { SessionSource } from "../../session/session-source.ts";
export { nextTaskRequestId } from "../../protocol/tasks.ts";
export { BaseSession, type BaseSessionOptions, type SessionIncoming, type SessionRequest } from "./base-session.ts";
export { RequestResponder, type RequestResponderOptions, type ResponseSender } from "./request-responder.ts";
export type { ResponseRouter } from "./response-router.ts";
export { assertSamplingTools, assertToolResultBalance, supportsSamplingTools } from "../../session/sampling-rules.ts";
export { buildCreateMessageRequest, buildElicitFormRequest, buildElicitUrlRequest, type BuildRequestOptions } from "./request-builders.ts";
