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
  /** Opens a stateful connection: the first message, never cancelled (B1). */
  initialize: { params: lifecycle.InitializeRequestParams; result: lifecycle.InitializeResult };
  /** What a stateless server is and offers (B2.5). */
  "server/discover": { params?: RequestParams; result: lifecycle.DiscoverResult };
  /** Whether the other side is still there; from either side, stateful revisions (G9). */
  ping: { params?: RequestParams; result: EmptyResult };
  /** A page of the server's tools (K1). */
  "tools/list": { params?: PaginatedRequestParams; result: tools.ListToolsResult };
  /** Calls a tool (K1). */
  "tools/call": { params: CallToolRequestParams; result: tools.CallToolResult | InputRequiredResult | tasks.CreateTaskResult };
  /** A page of the server's resources (K2). */
  "resources/list": { params?: PaginatedRequestParams; result: resources.ListResourcesResult };
  /** A page of the server's resource templates (K2). */
  "resources/templates/list": { params?: PaginatedRequestParams; result: resources.ListResourceTemplatesResult };
  /** Reads a resource (K2). */
  "resources/read": { params: resources.ReadResourceRequestParams; result: resources.ReadResourceResult | InputRequiredResult };
  /** Watches a resource; stateful revisions (I1). */
  "resources/subscribe": { params: resources.SubscribeRequestParams; result: EmptyResult };
  /** Ends watching a resource; stateful revisions (I1). */
  "resources/unsubscribe": { params: resources.UnsubscribeRequestParams; result: EmptyResult };
  /** A page of the server's prompts (K3). */
  "prompts/list": { params?: PaginatedRequestParams; result: prompts.ListPromptsResult };
  /** A prompt, filled in (K3). */
  "prompts/get": { params: prompts.GetPromptRequestParams; result: prompts.GetPromptResult | InputRequiredResult };
  /** What an argument or a variable could be (K4). */
  "completion/complete": { params: prompts.CompleteRequestParams; result: prompts.CompleteResult };
  /** Which log messages the client wants; stateful revisions (K6). */
  "logging/setLevel": { params: lifecycle.SetLevelRequestParams; result: EmptyResult };
  /** A stream of changes; stateless revisions (I3). */
  "subscriptions/listen": { params: lifecycle.SubscriptionsListenRequestParams; result: lifecycle.SubscriptionsListenResult };
  /** Asks the client's model (L2). */
  "sampling/createMessage": {
    params: sampling.CreateMessageRequestParams;
    result: sampling.CreateMessageResult | sampling.CreateMessageResultWithTools | tasks.CreateTaskResult;
  };
  /** Asks where the server may work (L3). */
  "roots/list": { params?: RequestParams; result: sampling.ListRootsResult };
  /** Asks the user, with a form or on a page (L1). */
  "elicitation/create": { params: ElicitRequestParams; result: ElicitResult | tasks.CreateTaskResult };
  /** How far a task is; 2025-11-25 (N6). */
  "tasks/get": { params: tasks.TaskRequestParams; result: tasks.GetTaskResult };
  /** Waits for a task and takes its result; 2025-11-25 (N6). */
  "tasks/result": { params: tasks.TaskRequestParams; result: tasks.GetTaskPayloadResult };
  /** Ends a task; 2025-11-25 (N6). */
  "tasks/cancel": { params: tasks.TaskRequestParams; result: tasks.CancelTaskResult };
  /** A page of one's tasks; 2025-11-25 (N6). */
  "tasks/list": { params?: PaginatedRequestParams; result: tasks.ListTasksResult };
}

/** Params of each notification. */
export interface NotificationTypes {
  /** The handshake is done (B1.5). */
  "notifications/initialized": { params?: NotificationParams };
  /** An answer is not wanted any more (G1). */
  "notifications/cancelled": { params: lifecycle.CancelledNotificationParams };
  /** How far a request has come (G6). */
  "notifications/progress": { params: lifecycle.ProgressNotificationParams };
  /** A log message of the server (K6). */
  "notifications/message": { params: lifecycle.LoggingMessageNotificationParams };
  /** There are other tools (I1). */
  "notifications/tools/list_changed": { params?: NotificationParams };
  /** There are other prompts (I1). */
  "notifications/prompts/list_changed": { params?: NotificationParams };
  /** There are other resources (I1). */
  "notifications/resources/list_changed": { params?: NotificationParams };
  /** A resource that is watched changed (I1). */
  "notifications/resources/updated": { params: resources.ResourceUpdatedNotificationParams };
  /** The client has other roots; stateful revisions (L3.1). */
  "notifications/roots/list_changed": { params?: NotificationParams };
  /** What the user did on a page is done; 2025-11-25 (L1.8). */
  "notifications/elicitation/complete": { params: ElicitationCompleteNotificationParams };
  /** A task has come further; 2025-11-25 (N9). */
  "notifications/tasks/status": { params: tasks.TaskStatusNotificationParams };
  /** Which changes a stream will tell; stateless revisions (I4). */
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

/** What either side may ask of the other's tasks (2025-11-25). */
type TaskMethod = "tasks/get" | "tasks/result" | "tasks/cancel" | "tasks/list";
/** What a server asks a client. */
type AskMethod = "sampling/createMessage" | "roots/list" | "elicitation/create";
/** What either side may tell. */
type SharedNotification = "notifications/cancelled" | "notifications/progress" | "notifications/tasks/status";
/** What a client may tell. */
type ClientNotificationMethod = SharedNotification | "notifications/initialized" | "notifications/roots/list_changed";

/** Everything a client may send, on some revision. */
export type ClientRequest = RequestOf<Exclude<RequestMethod, AskMethod>>;
/** Everything a client may tell, on some revision. */
export type ClientNotification = NotificationOf<ClientNotificationMethod>;
/** Everything a client may answer. */
export type ClientResult = ResultOf<AskMethod | TaskMethod | "ping">;
/** Everything a server may ask, on some revision. */
export type ServerRequest = RequestOf<AskMethod | TaskMethod | "ping">;
/** Everything a server may tell, on some revision. */
export type ServerNotification = NotificationOf<SharedNotification | Exclude<NotificationMethod, ClientNotificationMethod>>;
/** Everything a server may answer. */
export type ServerResult = ResultOf<Exclude<RequestMethod, AskMethod>>;

/** `initialize` without its envelope (TY-20). */
export type InitializeRequest = RequestOf<"initialize">;
/** `server/discover` without its envelope (B2.5). */
export type DiscoverRequest = RequestOf<"server/discover">;
/** `ping` without its envelope (TY-30). */
export type PingRequest = RequestOf<"ping">;
/** `tools/list` without its envelope (TY-55). */
export type ListToolsRequest = RequestOf<"tools/list">;
/** `tools/call` without its envelope (TY-56). */
export type CallToolRequest = RequestOf<"tools/call">;
/** `resources/list` without its envelope (TY-41). */
export type ListResourcesRequest = RequestOf<"resources/list">;
/** `resources/templates/list` without its envelope (TY-42). */
export type ListResourceTemplatesRequest = RequestOf<"resources/templates/list">;
/** `resources/read` without its envelope (TY-43). */
export type ReadResourceRequest = RequestOf<"resources/read">;
/** `resources/subscribe` without its envelope (TY-45). */
export type SubscribeRequest = RequestOf<"resources/subscribe">;
/** `resources/unsubscribe` without its envelope (TY-45). */
export type UnsubscribeRequest = RequestOf<"resources/unsubscribe">;
/** `prompts/list` without its envelope (TY-50). */
export type ListPromptsRequest = RequestOf<"prompts/list">;
/** `prompts/get` without its envelope (TY-51). */
export type GetPromptRequest = RequestOf<"prompts/get">;
/** `completion/complete` without its envelope (TY-59). */
export type CompleteRequest = RequestOf<"completion/complete">;
/** `logging/setLevel` without its envelope (TY-31). */
export type SetLevelRequest = RequestOf<"logging/setLevel">;
/** `subscriptions/listen` without its envelope (I3). */
export type SubscriptionsListenRequest = RequestOf<"subscriptions/listen">;
/** `sampling/createMessage` without its envelope (TY-70). */
export type CreateMessageRequest = RequestOf<"sampling/createMessage">;
/** `roots/list` without its envelope (TY-88). */
export type ListRootsRequest = RequestOf<"roots/list">;
/** `elicitation/create` without its envelope (TY-83, TY-84). */
export type ElicitRequest = RequestOf<"elicitation/create">;
/** `tasks/get` without its envelope (N6). */
export type GetTaskRequest = RequestOf<"tasks/get">;
/** `tasks/result` without its envelope (N6). */
export type GetTaskPayloadRequest = RequestOf<"tasks/result">;
/** `tasks/cancel` without its envelope (N6). */
export type CancelTaskRequest = RequestOf<"tasks/cancel">;
/** `tasks/list` without its envelope (N6). */
export type ListTasksRequest = RequestOf<"tasks/list">;

/** `notifications/initialized` without its envelope (TY-22). */
export type InitializedNotification = NotificationOf<"notifications/initialized">;
/** `notifications/cancelled` without its envelope (TY-35). */
export type CancelledNotification = NotificationOf<"notifications/cancelled">;
/** `notifications/progress` without its envelope (TY-34). */
export type ProgressNotification = NotificationOf<"notifications/progress">;
/** `notifications/message` without its envelope (TY-33). */
export type LoggingMessageNotification = NotificationOf<"notifications/message">;
/** `notifications/tools/list_changed` without its envelope (TY-58). */
export type ToolListChangedNotification = NotificationOf<"notifications/tools/list_changed">;
/** `notifications/prompts/list_changed` without its envelope (TY-53). */
export type PromptListChangedNotification = NotificationOf<"notifications/prompts/list_changed">;
/** `notifications/resources/list_changed` without its envelope (TY-47). */
export type ResourceListChangedNotification = NotificationOf<"notifications/resources/list_changed">;
/** `notifications/resources/updated` without its envelope (TY-46). */
export type ResourceUpdatedNotification = NotificationOf<"notifications/resources/updated">;
/** `notifications/roots/list_changed` without its envelope (TY-89). */
export type RootsListChangedNotification = NotificationOf<"notifications/roots/list_changed">;
/** `notifications/elicitation/complete` without its envelope (TY-87). */
export type ElicitCompleteNotification = NotificationOf<"notifications/elicitation/complete">;
/** `notifications/tasks/status` without its envelope (N9). */
export type TaskStatusNotification = NotificationOf<"notifications/tasks/status">;
/** `notifications/subscriptions/acknowledged` without its envelope (I4). */
export type SubscriptionsAcknowledgedNotification = NotificationOf<"notifications/subscriptions/acknowledged">;
