/** Messages about the connection itself: opening it, watching for changes, logging, progress and cancellation. */
import type { RequestId } from "../jsonrpc/message.ts";
import type { CacheableResult, Meta, NotificationParams, ProgressToken, RequestParams, Result } from "./base.ts";
import type { ClientCapabilities, Implementation, ServerCapabilities } from "./capabilities.ts";
import type { LoggingLevel } from "./logging.ts";

/** The first message of a stateful connection (MCP schema): the client's identity (`clientInfo`) and what it supports (`capabilities`). */
export type InitializeRequestParams = RequestParams & {
  /** The newest handshake revision that the client supports. */
  protocolVersion: string;
  capabilities: ClientCapabilities;
  clientInfo: Implementation;
};

/** The server's result (MCP schema): its identity (`serverInfo`) and what it offers (`capabilities`). */
export type InitializeResult = Result & {
  /** The revision of this connection; a client that does not support it disconnects. */
  protocolVersion: string;
  capabilities: ServerCapabilities;
  serverInfo: Implementation;
  /** How to use this server, for the model. */
  instructions?: string;
};

/** What a stateless server says about itself (MCP schema): what it offers (`capabilities`); its identity is in `_meta`. */
export type DiscoverResult = CacheableResult & {
  /** The revisions that the server supports; the client chooses one of them for its requests. */
  supportedVersions: readonly string[];
  capabilities: ServerCapabilities;
  /** How to use this server, for the model. */
  instructions?: string;
};

/** The changes that a client wants on a `subscriptions/listen` stream (MCP schema). No others are sent. */
export type SubscriptionFilter = {
  /** Whether to report changes of the list of tools. */
  toolsListChanged?: boolean;
  /** Whether to report changes of the list of prompts. */
  promptsListChanged?: boolean;
  /** Whether to report changes of the lists of resources and resource templates. */
  resourcesListChanged?: boolean;
  /** The resources whose changes to report. URIs, compared byte for byte. */
  resourceSubscriptions?: readonly string[];
  /** Filters of extensions. */
  [filter: string]: unknown;
};
/** Which changes to report: `notifications` (MCP schema). */
export type SubscriptionsListenRequestParams = RequestParams & { notifications: SubscriptionFilter };
/** The stream ended in order (MCP schema). `_meta` carries the subscription id. */
export type SubscriptionsListenResult = Result & { _meta: Meta };
/** First message on the stream (MCP schema): which of the wanted changes the server will report in `notifications`. */
export type SubscriptionsAcknowledgedNotificationParams = NotificationParams & { notifications: SubscriptionFilter };

/** The least severe `level` of log messages that the client wants (MCP schema). Stateful revisions; on later ones it is in `_meta`. */
export type SetLevelRequestParams = RequestParams & { level: LoggingLevel };
/** One log message (MCP schema): how severe it is (`level`), and the part of the server it comes from (`logger`). */
export type LoggingMessageNotificationParams = NotificationParams & {
  level: LoggingLevel;
  logger?: string;
  /** Any JSON value, `null` included. Security: it must not contain secrets. */
  data: unknown;
};

/** One progress notification (MCP schema); `progress` grows with every notification. */
export type ProgressNotificationParams = NotificationParams & {
  /** The token from the `_meta` of the request. */
  progressToken: ProgressToken;
  progress: number;
  /** The value of `progress` when all is done; absent if unknown. */
  total?: number;
  /** For people. Since 2025-03-26. */
  message?: string;
};

/** The sender of a request no longer wants its response (MCP schema). The response may already be on its way. */
export type CancelledNotificationParams = NotificationParams & {
  /** The id of the request. Optional on 2025-11-25 only. */
  requestId?: RequestId;
  /** Why, for logs and people. */
  reason?: string;
};
