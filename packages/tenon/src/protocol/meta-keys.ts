/** The `_meta` keys that the protocol defines. */

/** On every stateless request: its revision. */
export const PROTOCOL_VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
/** On every stateless request: the client's capabilities. */
export const CLIENT_CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
/** On stateless requests: the client's identity. */
export const CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo";
/** On stateless requests: the least severe log message the client wants for this request. */
export const LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel";
/** On stateless results: the server's identity. */
export const SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo";
/** On every message of a `subscriptions/listen` stream: the id of that request. */
export const SUBSCRIPTION_ID_KEY = "io.modelcontextprotocol/subscriptionId";
/** On messages that belong to a task (2025-11-25). */
export const RELATED_TASK_META_KEY = "io.modelcontextprotocol/related-task";
/** On the result of a call that became a task: text for the model to use in the meantime (2025-11-25). */
export const MODEL_IMMEDIATE_RESPONSE_KEY = "io.modelcontextprotocol/model-immediate-response";
