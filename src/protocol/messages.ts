/**
 * Every core request and notification by method: what its params and its result look like.
 *
 * These maps are what makes `client.request("tools/call", …)` typed. Which revision has which method, and who may
 * send it, is data in `methods.ts`.
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
  initialize: { params: lifecycle.InitializeRequestParams; result: lifecycle.InitializeResult };
  "server/discover": { params?: RequestParams; result: lifecycle.DiscoverResult };
  ping: { params?: RequestParams; result: EmptyResult };
  "tools/list": { params?: PaginatedRequestParams; result: tools.ListToolsResult };
  "tools/call": { params: CallToolRequestParams; result: tools.CallToolResult | InputRequiredResult | tasks.CreateTaskResult };
  "resources/list": { params?: PaginatedRequestParams; result: resources.ListResourcesResult };
  "resources/templates/list": { params?: PaginatedRequestParams; result: resources.ListResourceTemplatesResult };
  "resources/read": { params: resources.ReadResourceRequestParams; result: resources.ReadResourceResult | InputRequiredResult };
  "resources/subscribe": { params: resources.SubscribeRequestParams; result: EmptyResult };
  "resources/unsubscribe": { params: resources.UnsubscribeRequestParams; result: EmptyResult };
  "prompts/list": { params?: PaginatedRequestParams; result: prompts.ListPromptsResult };
  "prompts/get": { params: prompts.GetPromptRequestParams; result: prompts.GetPromptResult | InputRequiredResult };
  "completion/complete": { params: prompts.CompleteRequestParams; result: prompts.CompleteResult };
  "logging/setLevel": { params: lifecycle.SetLevelRequestParams; result: EmptyResult };
  "subscriptions/listen": { params: lifecycle.SubscriptionsListenRequestParams; result: lifecycle.SubscriptionsListenResult };
  "sampling/createMessage": {
    params: sampling.CreateMessageRequestParams;
    result: sampling.CreateMessageResult | sampling.CreateMessageResultWithTools | tasks.CreateTaskResult;
  };
  "roots/list": { params?: RequestParams; result: sampling.ListRootsResult };
  "elicitation/create": { params: ElicitRequestParams; result: ElicitResult | tasks.CreateTaskResult };
  "tasks/get": { params: tasks.TaskRequestParams; result: tasks.GetTaskResult };
  "tasks/result": { params: tasks.TaskRequestParams; result: tasks.GetTaskPayloadResult };
  "tasks/cancel": { params: tasks.TaskRequestParams; result: tasks.CancelTaskResult };
  "tasks/list": { params?: PaginatedRequestParams; result: tasks.ListTasksResult };
}

/** Params of each notification. */
export interface NotificationTypes {
  "notifications/initialized": { params?: NotificationParams };
  "notifications/cancelled": { params: lifecycle.CancelledNotificationParams };
  "notifications/progress": { params: lifecycle.ProgressNotificationParams };
  "notifications/message": { params: lifecycle.LoggingMessageNotificationParams };
  "notifications/tools/list_changed": { params?: NotificationParams };
  "notifications/prompts/list_changed": { params?: NotificationParams };
  "notifications/resources/list_changed": { params?: NotificationParams };
  "notifications/resources/updated": { params: resources.ResourceUpdatedNotificationParams };
  "notifications/roots/list_changed": { params?: NotificationParams };
  "notifications/elicitation/complete": { params: ElicitationCompleteNotificationParams };
  "notifications/tasks/status": { params: tasks.TaskStatusNotificationParams };
  "notifications/subscriptions/acknowledged": { params: lifecycle.SubscriptionsAcknowledgedNotificationParams };
}

export type RequestMethod = keyof RequestTypes;
export type NotificationMethod = keyof NotificationTypes;
export type ParamsOf<M extends RequestMethod> = RequestTypes[M]["params"];
export type ResultOf<M extends RequestMethod> = RequestTypes[M]["result"];

/** A request without its envelope. */
export type RequestOf<M extends RequestMethod> = M extends RequestMethod ? { method: M } & Pick<RequestTypes[M], "params"> : never;
/** A notification without its envelope. */
export type NotificationOf<M extends NotificationMethod> = M extends NotificationMethod
  ? { method: M } & Pick<NotificationTypes[M], "params">
  : never;

type TaskMethod = "tasks/get" | "tasks/result" | "tasks/cancel" | "tasks/list";
type AskMethod = "sampling/createMessage" | "roots/list" | "elicitation/create";
type SharedNotification = "notifications/cancelled" | "notifications/progress" | "notifications/tasks/status";
type ClientNotificationMethod = SharedNotification | "notifications/initialized" | "notifications/roots/list_changed";

/** Everything a client may send, on some revision. */
export type ClientRequest = RequestOf<Exclude<RequestMethod, AskMethod>>;
export type ClientNotification = NotificationOf<ClientNotificationMethod>;
/** Everything a client may answer. */
export type ClientResult = ResultOf<AskMethod | TaskMethod | "ping">;
/** Everything a server may ask, on some revision. */
export type ServerRequest = RequestOf<AskMethod | TaskMethod | "ping">;
export type ServerNotification = NotificationOf<SharedNotification | Exclude<NotificationMethod, ClientNotificationMethod>>;
/** Everything a server may answer. */
export type ServerResult = ResultOf<Exclude<RequestMethod, AskMethod>>;

export type InitializeRequest = RequestOf<"initialize">;
export type DiscoverRequest = RequestOf<"server/discover">;
export type PingRequest = RequestOf<"ping">;
export type ListToolsRequest = RequestOf<"tools/list">;
export type CallToolRequest = RequestOf<"tools/call">;
export type ListResourcesRequest = RequestOf<"resources/list">;
export type ListResourceTemplatesRequest = RequestOf<"resources/templates/list">;
export type ReadResourceRequest = RequestOf<"resources/read">;
export type SubscribeRequest = RequestOf<"resources/subscribe">;
export type UnsubscribeRequest = RequestOf<"resources/unsubscribe">;
export type ListPromptsRequest = RequestOf<"prompts/list">;
export type GetPromptRequest = RequestOf<"prompts/get">;
export type CompleteRequest = RequestOf<"completion/complete">;
export type SetLevelRequest = RequestOf<"logging/setLevel">;
export type SubscriptionsListenRequest = RequestOf<"subscriptions/listen">;
export type CreateMessageRequest = RequestOf<"sampling/createMessage">;
export type ListRootsRequest = RequestOf<"roots/list">;
export type ElicitRequest = RequestOf<"elicitation/create">;
export type GetTaskRequest = RequestOf<"tasks/get">;
export type GetTaskPayloadRequest = RequestOf<"tasks/result">;
export type CancelTaskRequest = RequestOf<"tasks/cancel">;
export type ListTasksRequest = RequestOf<"tasks/list">;

export type InitializedNotification = NotificationOf<"notifications/initialized">;
export type CancelledNotification = NotificationOf<"notifications/cancelled">;
export type ProgressNotification = NotificationOf<"notifications/progress">;
export type LoggingMessageNotification = NotificationOf<"notifications/message">;
export type ToolListChangedNotification = NotificationOf<"notifications/tools/list_changed">;
export type PromptListChangedNotification = NotificationOf<"notifications/prompts/list_changed">;
export type ResourceListChangedNotification = NotificationOf<"notifications/resources/list_changed">;
export type ResourceUpdatedNotification = NotificationOf<"notifications/resources/updated">;
export type RootsListChangedNotification = NotificationOf<"notifications/roots/list_changed">;
export type ElicitCompleteNotification = NotificationOf<"notifications/elicitation/complete">;
export type TaskStatusNotification = NotificationOf<"notifications/tasks/status">;
export type SubscriptionsAcknowledgedNotification = NotificationOf<"notifications/subscriptions/acknowledged">;
