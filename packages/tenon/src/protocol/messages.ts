/**
 * Every core request and notification by method: the types of its params and its result.
 *
 * These maps make `client.request("tools/call", …)` typed. Which revision has which method, and which side may send it, is data in
 * `methods.ts`.
 */
import type { EmptyResult, NotificationParams, PaginatedRequestParams, RequestParams } from "./base.ts";
import type { ElicitRequestParams, ElicitResult, ElicitationCompleteNotificationParams } from "./elicitation.ts";
import type { InputRequiredResult } from "./input-required.ts";
import type * as lifecycle from "./lifecycle.ts";
import type * as prompts from "./prompts.ts";
import type * as resources from "./resources.ts";
import type * as sampling from "./sampling.ts";
import type * as tasks from "./tasks.ts";
import type { CallToolRequestParams } from "./tool-calls.ts";
import type * as tools from "./tools.ts";

/** Params and result of each request. Optional params may be left out. */
export interface RequestTypes {
  /** Opens a stateful connection: the first message, never cancelled. */
  initialize: { params: lifecycle.InitializeRequestParams; result: lifecycle.InitializeResult };
  /** What a stateless server is and offers. */
  "server/discover": { params?: RequestParams; result: lifecycle.DiscoverResult };
  /** Checks that the peer responds; sent by clients and servers, stateful revisions. */
  ping: { params?: RequestParams; result: EmptyResult };
  /** A page of the server's tools. */
  "tools/list": { params?: PaginatedRequestParams; result: tools.ListToolsResult };
  /** Calls a tool. */
  "tools/call": { params: CallToolRequestParams; result: tools.CallToolResult | InputRequiredResult | tasks.CreateTaskResult };
  /** A page of the server's resources. */
  "resources/list": { params?: PaginatedRequestParams; result: resources.ListResourcesResult };
  /** A page of the server's resource templates. */
  "resources/templates/list": { params?: PaginatedRequestParams; result: resources.ListResourceTemplatesResult };
  /** Reads a resource. */
  "resources/read": { params: resources.ReadResourceRequestParams; result: resources.ReadResourceResult | InputRequiredResult };
  /** Watches a resource; stateful revisions. */
  "resources/subscribe": { params: resources.SubscribeRequestParams; result: EmptyResult };
  /** Ends watching a resource; stateful revisions. */
  "resources/unsubscribe": { params: resources.UnsubscribeRequestParams; result: EmptyResult };
  /** A page of the server's prompts. */
  "prompts/list": { params?: PaginatedRequestParams; result: prompts.ListPromptsResult };
  /** A prompt with its arguments filled in. */
  "prompts/get": { params: prompts.GetPromptRequestParams; result: prompts.GetPromptResult | InputRequiredResult };
  /** Suggested values for an argument or a variable. */
  "completion/complete": { params: prompts.CompleteRequestParams; result: prompts.CompleteResult };
  /** Sets which log messages the client wants; stateful revisions. */
  "logging/setLevel": { params: lifecycle.SetLevelRequestParams; result: EmptyResult };
  /** Opens a stream of changes; stateless revisions. */
  "subscriptions/listen": { params: lifecycle.SubscriptionsListenRequestParams; result: lifecycle.SubscriptionsListenResult };
  /** Uses the client's model. */
  "sampling/createMessage": {
    params: sampling.CreateMessageRequestParams;
    result: sampling.CreateMessageResult | sampling.CreateMessageResultWithTools | tasks.CreateTaskResult;
  };
  /** Lists where the server may work. */
  "roots/list": { params?: RequestParams; result: sampling.ListRootsResult };
  /** Asks the user, with a form or on a page. */
  "elicitation/create": { params: ElicitRequestParams; result: ElicitResult | tasks.CreateTaskResult };
  /** The status of a task; 2025-11-25. */
  "tasks/get": { params: tasks.TaskRequestParams; result: tasks.GetTaskResult };
  /** Waits for a task and returns its result; 2025-11-25. */
  "tasks/result": { params: tasks.TaskRequestParams; result: tasks.GetTaskPayloadResult };
  /** Cancels a task; 2025-11-25. */
  "tasks/cancel": { params: tasks.TaskRequestParams; result: tasks.CancelTaskResult };
  /** A page of the caller's tasks; 2025-11-25. */
  "tasks/list": { params?: PaginatedRequestParams; result: tasks.ListTasksResult };
}

/** Params of each notification. */
export interface NotificationTypes {
  /** The handshake is done. */
  "notifications/initialized": { params?: NotificationParams };
  /** The sender no longer wants the result of a request. */
  "notifications/cancelled": { params: lifecycle.CancelledNotificationParams };
  /** The progress of a request. */
  "notifications/progress": { params: lifecycle.ProgressNotificationParams };
  /** A log message of the server. */
  "notifications/message": { params: lifecycle.LoggingMessageNotificationParams };
  /** The list of tools changed. */
  "notifications/tools/list_changed": { params?: NotificationParams };
  /** The list of prompts changed. */
  "notifications/prompts/list_changed": { params?: NotificationParams };
  /** The list of resources changed. */
  "notifications/resources/list_changed": { params?: NotificationParams };
  /** A watched resource changed. */
  "notifications/resources/updated": { params: resources.ResourceUpdatedNotificationParams };
  /** The list of roots changed; stateful revisions. */
  "notifications/roots/list_changed": { params?: NotificationParams };
  /** The user finished what a page was for; 2025-11-25. */
  "notifications/elicitation/complete": { params: ElicitationCompleteNotificationParams };
  /** The status of a task changed; 2025-11-25. */
  "notifications/tasks/status": { params: tasks.TaskStatusNotificationParams };
  /** Which changes a stream will report; stateless revisions. */
  "notifications/subscriptions/acknowledged": { params: lifecycle.SubscriptionsAcknowledgedNotificationParams };
}

/** A request of the protocol's core, of any revision. */
export type RequestMethod = keyof RequestTypes;
/** A notification of the protocol's core, of any revision. */
export type NotificationMethod = keyof NotificationTypes;
/** The params of a method. */
export type ParamsOf<M extends RequestMethod> = RequestTypes[M]["params"];
/** The result of a method. */
export type ResultOf<M extends RequestMethod> = RequestTypes[M]["result"];

/** A request without its envelope. */
export type RequestOf<M extends RequestMethod> = M extends RequestMethod ? { method: M } & Pick<RequestTypes[M], "params"> : never;
/** A notification without its envelope. */
export type NotificationOf<M extends NotificationMethod> = M extends NotificationMethod
  ? { method: M } & Pick<NotificationTypes[M], "params">
  : never;

/** Requests about tasks, which clients and servers may send (2025-11-25). */
type TaskMethod = "tasks/get" | "tasks/result" | "tasks/cancel" | "tasks/list";
/** Questions: what a server asks its client. */
type AskMethod = "sampling/createMessage" | "roots/list" | "elicitation/create";
/** Notifications that clients and servers may send. */
type SharedNotification = "notifications/cancelled" | "notifications/progress" | "notifications/tasks/status";
/** Notifications that a client may send. */
type ClientNotificationMethod = SharedNotification | "notifications/initialized" | "notifications/roots/list_changed";

/** Every request that a client may send, on some revision. */
export type ClientRequest = RequestOf<Exclude<RequestMethod, AskMethod>>;
/** Every notification that a client may send, on some revision. */
export type ClientNotification = NotificationOf<ClientNotificationMethod>;
/** Every result that a client may send. */
export type ClientResult = ResultOf<AskMethod | TaskMethod | "ping">;
/** Every request that a server may send, on some revision. */
export type ServerRequest = RequestOf<AskMethod | TaskMethod | "ping">;
/** Every notification that a server may send, on some revision. */
export type ServerNotification = NotificationOf<SharedNotification | Exclude<NotificationMethod, ClientNotificationMethod>>;
/** Every result that a server may send. */
export type ServerResult = ResultOf<Exclude<RequestMethod, AskMethod>>;

/** `initialize` without its envelope. */
export type InitializeRequest = RequestOf<"initialize">;
/** `server/discover` without its envelope. */
export type DiscoverRequest = RequestOf<"server/discover">;
/** `ping` without its envelope. */
export type PingRequest = RequestOf<"ping">;
/** `tools/list` without its envelope. */
export type ListToolsRequest = RequestOf<"tools/list">;
/** `tools/call` without its envelope. */
export type CallToolRequest = RequestOf<"tools/call">;
/** `resources/list` without its envelope. */
export type ListResourcesRequest = RequestOf<"resources/list">;
/** `resources/templates/list` without its envelope. */
export type ListResourceTemplatesRequest = RequestOf<"resources/templates/list">;
/** `resources/read` without its envelope. */
export type ReadResourceRequest = RequestOf<"resources/read">;
/** `resources/subscribe` without its envelope. */
export type SubscribeRequest = RequestOf<"resources/subscribe">;
/** `resources/unsubscribe` without its envelope. */
export type UnsubscribeRequest = RequestOf<"resources/unsubscribe">;
/** `prompts/list` without its envelope. */
export type ListPromptsRequest = RequestOf<"prompts/list">;
/** `prompts/get` without its envelope. */
export type GetPromptRequest = RequestOf<"prompts/get">;
/** `completion/complete` without its envelope. */
export type CompleteRequest = RequestOf<"completion/complete">;
/** `logging/setLevel` without its envelope. */
export type SetLevelRequest = RequestOf<"logging/setLevel">;
/** `subscriptions/listen` without its envelope. */
export type SubscriptionsListenRequest = RequestOf<"subscriptions/listen">;
/** `sampling/createMessage` without its envelope. */
export type CreateMessageRequest = RequestOf<"sampling/createMessage">;
/** `roots/list` without its envelope. */
export type ListRootsRequest = RequestOf<"roots/list">;
/** `elicitation/create` without its envelope. */
export type ElicitRequest = RequestOf<"elicitation/create">;
/** `tasks/get` without its envelope. */
export type GetTaskRequest = RequestOf<"tasks/get">;
/** `tasks/result` without its envelope. */
export type GetTaskPayloadRequest = RequestOf<"tasks/result">;
/** `tasks/cancel` without its envelope. */
export type CancelTaskRequest = RequestOf<"tasks/cancel">;
/** `tasks/list` without its envelope. */
export type ListTasksRequest = RequestOf<"tasks/list">;

/** `notifications/initialized` without its envelope. */
export type InitializedNotification = NotificationOf<"notifications/initialized">;
/** `notifications/cancelled` without its envelope. */
export type CancelledNotification = NotificationOf<"notifications/cancelled">;
/** `notifications/progress` without its envelope. */
export type ProgressNotification = NotificationOf<"notifications/progress">;
/** `notifications/message` without its envelope. */
export type LoggingMessageNotification = NotificationOf<"notifications/message">;
/** `notifications/tools/list_changed` without its envelope. */
export type ToolListChangedNotification = NotificationOf<"notifications/tools/list_changed">;
/** `notifications/prompts/list_changed` without its envelope. */
export type PromptListChangedNotification = NotificationOf<"notifications/prompts/list_changed">;
/** `notifications/resources/list_changed` without its envelope. */
export type ResourceListChangedNotification = NotificationOf<"notifications/resources/list_changed">;
/** `notifications/resources/updated` without its envelope. */
export type ResourceUpdatedNotification = NotificationOf<"notifications/resources/updated">;
/** `notifications/roots/list_changed` without its envelope. */
export type RootsListChangedNotification = NotificationOf<"notifications/roots/list_changed">;
/** `notifications/elicitation/complete` without its envelope. */
export type ElicitCompleteNotification = NotificationOf<"notifications/elicitation/complete">;
/** `notifications/tasks/status` without its envelope. */
export type TaskStatusNotification = NotificationOf<"notifications/tasks/status">;
/** `notifications/subscriptions/acknowledged` without its envelope. */
export type SubscriptionsAcknowledgedNotification = NotificationOf<"notifications/subscriptions/acknowledged">;
