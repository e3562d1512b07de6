/** The `_meta` keys the protocol gives a meaning to. */

/** On every stateless request: the revision it is written in. */
export const PROTOCOL_VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
/** On every stateless request: what the client can do. */
export const CLIENT_CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
/** On stateless requests: who asks. */
export const CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo";
/** On stateless requests: the least severe log message the client wants for this request. */
export const LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel";
/** On stateless results: who answered. */
export const SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo";
/** On everything that travels on a `subscriptions/listen` stream: the id of that request. */
export const SUBSCRIPTION_ID_KEY = "io.modelcontextprotocol/subscriptionId";
/** On messages that belong to a task (2025-11-25). */
export const RELATED_TASK_META_KEY = "io.modelcontextprotocol/related-task";
/** On the answer to a call that became a task: what the model may be told meanwhile (2025-11-25). */
export const MODEL_IMMEDIATE_RESPONSE_KEY = "io.modelcontextprotocol/model-immediate-response";
