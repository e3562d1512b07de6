/** Opening a connection, watching for changes, logging, progress and cancellation: everything that is about the talk itself. */
import type { RequestId } from "../jsonrpc/message.ts";
import type { CacheableResult, Meta, NotificationParams, ProgressToken, RequestParams, Result } from "./base.ts";
import type { ClientCapabilities, Implementation, ServerCapabilities } from "./capabilities.ts";
import type { LoggingLevel } from "./logging.ts";

/** The first message of a stateful connection. */
export type InitializeRequestParams = RequestParams & {
  /** The newest handshake revision the client speaks. */
  protocolVersion: string;
  capabilities: ClientCapabilities;
  clientInfo: Implementation;
};

export type InitializeResult = Result & {
  /** The revision both sides speak from now on; the client leaves if it cannot. */
  protocolVersion: string;
  capabilities: ServerCapabilities;
  serverInfo: Implementation;
  /** How to use this server, for the model. */
  instructions?: string;
};

/** What a stateless server says about itself; who it is stands in `_meta`. */
export type DiscoverResult = CacheableResult & {
  supportedVersions: readonly string[];
  capabilities: ServerCapabilities;
  instructions?: string;
};

/** The changes a client wants to hear of on a `subscriptions/listen` stream. */
export type SubscriptionFilter = {
  toolsListChanged?: boolean;
  promptsListChanged?: boolean;
  resourcesListChanged?: boolean;
  /** URIs, compared byte for byte. */
  resourceSubscriptions?: readonly string[];
  /** What extensions listen for. */
  [filter: string]: unknown;
};
export type SubscriptionsListenRequestParams = RequestParams & { notifications: SubscriptionFilter };
/** The stream has ended in good order. `_meta` carries the subscription id. */
export type SubscriptionsListenResult = Result & { _meta: Meta };
/** First message on the stream: which of the wanted changes the server will report. */
export type SubscriptionsAcknowledgedNotificationParams = NotificationParams & { notifications: SubscriptionFilter };

export type SetLevelRequestParams = RequestParams & { level: LoggingLevel };
export type LoggingMessageNotificationParams = NotificationParams & {
  level: LoggingLevel;
  logger?: string;
  /** Any JSON value, `null` included. */
  data: unknown;
};

/** One step of progress; `progress` grows with every notification. */
export type ProgressNotificationParams = NotificationParams & {
  progressToken: ProgressToken;
  progress: number;
  total?: number;
  message?: string;
};

export type CancelledNotificationParams = NotificationParams & {
  /** Optional on 2025-11-25 only. */
  requestId?: RequestId;
  /** For logs and people. */
  reason?: string;
};
