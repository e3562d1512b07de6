/** `types.js` of the SDK 1.x: the original, but for the question by which an owner knows the first request of a session. */
import { type InitializeRequest, isInitializeRequest as isOfficialInitializeRequest } from "mcp-sdk-v1/types.js";
import { takesNewest } from "./below/newest-requests.ts";

export * from "mcp-sdk-v1/types.js";

/**
 * Whether a body is the first request of a client, for which the owner makes a transport. Of a revision without a handshake each request
 * is the first one: it has no session, and the transport that is made for it serves it alone.
 */
export const isInitializeRequest = (value: unknown): value is InitializeRequest => isOfficialInitializeRequest(value) || takesNewest(value);
