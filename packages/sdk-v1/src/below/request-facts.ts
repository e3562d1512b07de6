/** What an HTTP transport of 1.x says of the request that is being served. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { MessageExtraInfo } from "mcp-sdk-v1/types.js";

/** What the transport knows of the request beside its message, for handlers that run in it. */
export const requestFacts: AsyncLocalStorage<MessageExtraInfo> = new AsyncLocalStorage<MessageExtraInfo>();
