/**
 * What 2026-07-28 changed: no connection state any more. Every request says who asks (`_meta`), every result what kind
 * it is, questions travel in results, lists can be kept; core tasks are gone.
 */
import {
  CLIENT_CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  LOG_LEVEL_KEY,
  PROTOCOL_VERSION_KEY,
  SERVER_INFO_KEY,
  SUBSCRIPTION_ID_KEY,
} from "../../protocol/meta-keys.ts";
import type { Revision } from "../revision.ts";
import { extend, type Dictionary } from "../shape.ts";
import { revision as previous } from "../v2025-11-25/shapes.ts";

// Checked when the identity is read from it, and only then.
const request = { "_meta?": "any" };
const notice = { "_meta?": "NotificationMetaObject" };
const answers = { "inputResponses?": "{InputResponse}", "requestState?": "string" };
const result = { "_meta?": "ResultMetaObject", "resultType?": "string" };
const cacheable = { ...result, "ttlMs?": "integer", "cacheScope?": "'public'|'private'" };

const types: Dictionary = extend(previous.types, {
  RequestMetaObject: {
    [PROTOCOL_VERSION_KEY]: "string",
    [CLIENT_CAPABILITIES_KEY]: "ClientCapabilities",
    [`${CLIENT_INFO_KEY}?`]: "Implementation",
    [`${LOG_LEVEL_KEY}?`]: "LoggingLevel",
  },
  NotificationMetaObject: { [`${SUBSCRIPTION_ID_KEY}?`]: "string|integer" },
  ResultMetaObject: { [`${SERVER_INFO_KEY}?`]: "Implementation" },
  SubscriptionsListenResultMetaObject: { [SUBSCRIPTION_ID_KEY]: "string|integer", [`${SERVER_INFO_KEY}?`]: "Implementation" },
  SubscriptionFilter: {
    "toolsListChanged?": "boolean",
    "promptsListChanged?": "boolean",
    "resourcesListChanged?": "boolean",
    "resourceSubscriptions?": "string[]",
  },
  ClientCapabilities: { "extensions?": "{object}", "roots?": "object", "tasks?": null },
  ServerCapabilities: { "extensions?": "{object}", "tasks?": null },

  Tool: { "outputSchema?": "AnySchema", "execution?": null },
  ObjectSchema: { "properties?": "any", "required?": "any" },
  AnySchema: { "$schema?": "string" },
  CallToolResult: { ...result, "content?": null, content: "ContentBlock[]", "structuredContent?": "any" },
  ToolResultContent: { "structuredContent?": "any" },

  // Questions and answers are bare objects: no envelope, and `_meta` only where it says something.
  CreateMessageRequestParams: { "_meta?": null, "task?": null },
  ElicitRequestFormParams: { "_meta?": null, "task?": null },
  ElicitRequestURLParams: { "_meta?": null, "task?": null, elicitationId: null },
  ElicitResult: { "_meta?": null },
  ListRootsResult: { "_meta?": null },
  ElicitRequest: { method: "'elicitation/create'", params: "ElicitRequestParams" },
  CreateMessageRequest: { method: "'sampling/createMessage'", params: "CreateMessageRequestParams" },
  ListRootsRequest: { method: "'roots/list'", "params?": { "_meta?": "object" } },
  InputRequest: "ElicitRequest|CreateMessageRequest|ListRootsRequest",
  InputResponse: "ElicitResult|ListRootsResult|CreateMessageResult",
  InputRequiredResult: { ...result, "inputRequests?": "{InputRequest}", "requestState?": "string" },
});

const params: Dictionary = extend(previous.params, {
  "server/discover": request,
  "tools/list": request,
  "tools/call": { ...request, ...answers, "task?": null },
  "resources/list": request,
  "resources/templates/list": request,
  "resources/read": { ...request, ...answers },
  "prompts/list": request,
  "prompts/get": { ...request, ...answers },
  "completion/complete": request,
  "subscriptions/listen": { ...request, notifications: "SubscriptionFilter" },
  "roots/list": { "_meta?": "object" },
  "notifications/subscriptions/acknowledged": { ...notice, notifications: "SubscriptionFilter" },
  "notifications/cancelled": { ...notice, "requestId?": null, requestId: "string|integer" },
  "notifications/progress": notice,
  "notifications/message": notice,
  "notifications/tools/list_changed": notice,
  "notifications/prompts/list_changed": notice,
  "notifications/resources/list_changed": notice,
  "notifications/resources/updated": notice,
});

const results: Dictionary = extend(previous.results, {
  "server/discover": { ...cacheable, supportedVersions: "string[]", capabilities: "ServerCapabilities", "instructions?": "string" },
  "tools/list": cacheable,
  "tools/call": "CallToolResult",
  "resources/list": cacheable,
  "resources/templates/list": cacheable,
  "resources/read": cacheable,
  "prompts/list": cacheable,
  "prompts/get": result,
  "completion/complete": { ...result, completion: { values: "hundredStrings", "total?": "integer", "hasMore?": "boolean" } },
  "subscriptions/listen": { ...result, "_meta?": null, _meta: "SubscriptionsListenResultMetaObject" },
  "sampling/createMessage": "CreateMessageResult",
  "elicitation/create": "ElicitResult",
});

export const revision: Revision<"2026-07-28"> = { version: "2026-07-28", types, params, results };
