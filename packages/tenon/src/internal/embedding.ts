/**
 * `tenon/internal/embedding`: what a layer above a server uses, such as `tenon-sdk-v1`. No promise: any release may change or remove a name.
 *
 * It is apart from `tenon/internal`, so that a server that is served through a layer does not load what only the command uses.
 */
export { onAbort } from "../base/abort.ts";
export { acceptorOf } from "../dispatch/acceptor.ts";
export { JsonRpcDispatcher } from "../dispatch/json-rpc-dispatcher.ts";
export { ConnectionClosedError, McpError } from "../jsonrpc/mcp-error.ts";
export { isJsonObject } from "../jsonrpc/message.ts";
export { LOG_LEVEL_KEY, PROTOCOL_VERSION_KEY, SERVER_INFO_KEY } from "../protocol/meta-keys.ts";
export { isStatefulVersion, isSupportedVersion, LATEST_HANDSHAKE_VERSION, LATEST_PROTOCOL_VERSION } from "../protocol/versions.ts";
export { StdioTransport } from "../node/stdio/stdio-transport.ts";
export { embedHandlers, type EmbeddedHandlers, toolExtensionOf } from "../server/embed-handlers.ts";
export { McpServer } from "../server/mcp-server.ts";
export { sourceOf } from "../server/features/feature-source.ts";
export { ListPage } from "../session/list-page.ts";
export { ReceiveQueue } from "../transport/receive-queue.ts";
