/** What the simulation runs: the dispatchers and what they are built of. Mutants are built from this same entry. */
export { createDirectPair } from "../../src/dispatch/direct-dispatcher.ts";
export { JsonRpcDispatcher } from "../../src/dispatch/json-rpc-dispatcher.ts";
export { ConnectionClosedError, McpError } from "../../src/jsonrpc/mcp-error.ts";
export { parseMessage } from "../../src/jsonrpc/parse.ts";
export { stringifyMessage } from "../../src/jsonrpc/serialise.ts";
export { ReceiveQueue } from "../../src/transport/receive-queue.ts";
