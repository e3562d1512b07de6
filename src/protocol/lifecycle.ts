/** Opening a connection, watching for changes, logging, progress and cancellation: everything that is about the talk itself. */
import type { RequestId } from "../jsonrpc/message.ts";
import type { CacheableResult, Meta, NotificationParams, ProgressToken, RequestParams, Result } from "./base.ts";
import type { ClientCapabilities, Implementation, ServerCapabilities } from "./capabilities.ts";
import type { LoggingLevel } from "./logging.ts";

/** The first message of a stateful connection: who the client is (`clientInfo`) and what it can answer (`capabilities`) (TY-20). */
export type InitializeRequestParams = RequestParams & {
  /** The newest handshake revision the client speaks. */
  protocolVersion: string;
  capabilities: ClientCapabilities;
  clientInfo: Implementation;
};

/** The server's answer: who it is (`serverInfo`) and what it offers (`capabilities`) (TY-21). */
export type InitializeResult = Result & {
  /** The revision both sides speak from now on; the client leaves if it cannot. */
  protocolVersion: string;
  capabilities: ServerCapabilities;
  serverInfo: Implementation;
  /** How to use this server, for the model. */
  instructions?: string;
};

/** What a stateless server says about itself: what it offers (`capabilities`); who it is stands in `_meta` (B2.5). */
export type DiscoverResult = CacheableResult & {
  /** The revisions it serves; a client speaks one of them from then on, with every request. */
  supportedVersions: readonly string[];
  capabilities: ServerCapabilities;
  /** How to use this server, for the model. */
  instructions?: string;
};

/** The changes a client wants to hear of on a `subscriptions/listen` stream (I3). What is not asked for is not sent. */
export type SubscriptionFilter = {
  /** That there are other tools. */
  toolsListChanged?: boolean;
  /** That there are other prompts. */
  promptsListChanged?: boolean;
  /** That there are other resources or resource templates. */
  resourcesListChanged?: boolean;
  /** That one of these resources changed. URIs, compared byte for byte. */
  resourceSubscriptions?: readonly string[];
  /** What extensions listen for. */
  [filter: string]: unknown;
};
/** Which changes to hear of: `notifications` (I3). */
export type SubscriptionsListenRequestParams = RequestParams & { notifications: SubscriptionFilter };
/** The stream has ended in good order (I8). `_meta` carries the subscription id. */
export type SubscriptionsListenResult = Result & { _meta: Meta };
/** First message on the stream: which of the wanted changes the server will report in `notifications` (I4). */
export type SubscriptionsAcknowledgedNotificationParams = NotificationParams & { notifications: SubscriptionFilter };

/** The least severe `level` of log messages that the client wants (TY-31). Stateful revisions; later ones say it in `_meta`. */
export type SetLevelRequestParams = RequestParams & { level: LoggingLevel };
/** One log message (TY-33): how severe it is (`level`), and the part of the server it comes from (`logger`). */
export type LoggingMessageNotificationParams = NotificationParams & {
  level: LoggingLevel;
  logger?: string;
  /** Any JSON value, `null` included. Security: must hold no secrets (K6.3). */
  data: unknown;
};

/** One step of progress (TY-34); `progress` grows with every notification. */
export type ProgressNotificationParams = NotificationParams & {
  /** What the request gave in its `_meta`. */
  progressToken: ProgressToken;
  progress: number;
  /** What `progress` is when all is done; absent where nobody knows. */
  total?: number;
  /** For people. Not before 2025-03-26. */
  message?: string;
};

/** Whoever sent a request does not want its answer any more (TY-35, G1). It may cross the answer on its way. */
export type CancelledNotificationParams = NotificationParams & {
  /** Which request. Optional on 2025-11-25 only. */
  requestId?: RequestId;
  /** Why, for logs and people. */
  reason?: string;
};
