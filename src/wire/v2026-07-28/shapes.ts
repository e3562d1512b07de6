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
import type { Dictionary } from "../shape.ts";
import { revision as previous } from "../v2025-11-25/shapes.ts";

// Checked when the identity is read from it, and only then.
const request = "_meta?:any";
const notice = "_meta?:NotificationMetaObject";
const asking = `${request} inputResponses?:{InputResponse} requestState?`;
const result = "_meta?:ResultMetaObject resultType?";
const cacheable = `${result} ttlMs?:integer cacheScope?:'public'|'private'`;

const types: Dictionary = {
  RequestMetaObject:
    `${PROTOCOL_VERSION_KEY} ${CLIENT_CAPABILITIES_KEY}:ClientCapabilities ` +
    `${CLIENT_INFO_KEY}?:Implementation ${LOG_LEVEL_KEY}?:LoggingLevel`,
  NotificationMetaObject: `${SUBSCRIPTION_ID_KEY}?:string|integer`,
  ResultMetaObject: `${SERVER_INFO_KEY}?:Implementation`,
  SubscriptionsListenResultMetaObject: `${SUBSCRIPTION_ID_KEY}:string|integer ${SERVER_INFO_KEY}?:Implementation`,
  SubscriptionFilter: "toolsListChanged?:boolean promptsListChanged?:boolean resourcesListChanged?:boolean resourceSubscriptions?:string[]",
  ClientCapabilities: "extensions?:{object} roots?:object -tasks",
  ServerCapabilities: "extensions?:{object} -tasks",

  Tool: "outputSchema?:AnySchema -execution",
  ObjectSchema: "properties?:any required?:any",
  AnySchema: "$schema?",
  CallToolResult: `${result} content:ContentBlock[] structuredContent?:any`,
  ToolResultContent: "structuredContent?:any",
  Completion: "values:hundredStrings",

  // Questions and answers are bare objects: no envelope, and `_meta` only where it says something.
  CreateMessageRequestParams: "-_meta -task",
  ElicitRequestFormParams: "-_meta -task",
  ElicitRequestURLParams: "-_meta -task -elicitationId",
  ElicitResult: "-_meta",
  ListRootsResult: "-_meta",
  ElicitRequest: "method:'elicitation/create' params:ElicitRequestParams",
  CreateMessageRequest: "method:'sampling/createMessage' params:CreateMessageRequestParams",
  ListRootsRequest: "method:'roots/list' params?:ListRootsRequestParams",
  ListRootsRequestParams: "_meta?:object",
  InputRequest: "= ElicitRequest|CreateMessageRequest|ListRootsRequest",
  InputResponse: "= ElicitResult|ListRootsResult|CreateMessageResult",
  InputRequiredResult: `${result} inputRequests?:{InputRequest} requestState?`,
};

const params: Dictionary = {
  "server/discover": request,
  "tools/list": request,
  "tools/call": `${asking} -task`,
  "resources/list": request,
  "resources/templates/list": request,
  "resources/read": asking,
  "prompts/list": request,
  "prompts/get": asking,
  "completion/complete": request,
  "subscriptions/listen": `${request} notifications:SubscriptionFilter`,
  "roots/list": "= ListRootsRequestParams",
  "notifications/subscriptions/acknowledged": `${notice} notifications:SubscriptionFilter`,
  "notifications/cancelled": `${notice} requestId:string|integer`,
  "notifications/progress": notice,
  "notifications/message": notice,
  "notifications/tools/list_changed": notice,
  "notifications/prompts/list_changed": notice,
  "notifications/resources/list_changed": notice,
  "notifications/resources/updated": notice,
};

const results: Dictionary = {
  "server/discover": `${cacheable} supportedVersions:string[] capabilities:ServerCapabilities instructions?`,
  "tools/list": cacheable,
  "tools/call": "= CallToolResult",
  "resources/list": cacheable,
  "resources/templates/list": cacheable,
  "resources/read": cacheable,
  "prompts/list": cacheable,
  "prompts/get": result,
  "completion/complete": result,
  "subscriptions/listen": `${result} _meta:SubscriptionsListenResultMetaObject`,
  "sampling/createMessage": "= CreateMessageResult",
  "elicitation/create": "= ElicitResult",
};

export const revision: Revision<"2026-07-28"> = { version: "2026-07-28", previous, types, params, results };
