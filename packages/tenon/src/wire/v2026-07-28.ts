/**
 * What 2026-07-28 changed: connections have no state. Every request names its sender in `_meta` and every result its kind;
 * questions travel in results and answers in params; one request subscribes to all changes; lists may be cached; core tasks are
 * gone.
 */
import {
  CLIENT_CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  LOG_LEVEL_KEY,
  PROTOCOL_VERSION_KEY,
  SERVER_INFO_KEY,
  SUBSCRIPTION_ID_KEY,
} from "../protocol/meta-keys.ts";
import type { Revision } from "./revision.ts";
import { v20251125 } from "./v2025-11-25.ts";

// `decodeIdentity` checks it, so that no request is checked twice.
const request = "_meta?:any";
const mayAsk = `${request} inputResponses?:{InputResponse} requestState?`;
const result = "_meta?:ResultMetaObject resultType?";
const cacheable = `${result} ttlMs?:integer cacheScope?:'public'|'private'`;

export const v20260728: Revision = {
  version: "2026-07-28",
  previous: v20251125,
  facts: { visitsPages: false },

  params: {
    "server/discover": request,
    "tools/list": request,
    "tools/call": `${mayAsk} -task`,
    "resources/list": request,
    "resources/templates/list": request,
    "resources/read": mayAsk,
    "prompts/list": request,
    "prompts/get": mayAsk,
    "completion/complete": request,
    "subscriptions/listen": `${request} notifications:SubscriptionFilter`,
    "roots/list": "= ListRootsRequestParams",

    "notifications/subscriptions/acknowledged": "_meta?:NotificationMetaObject notifications:SubscriptionFilter",
    "notifications/cancelled": "requestId:string|integer",
  },

  results: {
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
  },

  types: {
    RequestMetaObject:
      `${PROTOCOL_VERSION_KEY} ${CLIENT_CAPABILITIES_KEY}:ClientCapabilities ` +
      `${CLIENT_INFO_KEY}?:Implementation ${LOG_LEVEL_KEY}?:LoggingLevel`,
    NotificationMetaObject: `${SUBSCRIPTION_ID_KEY}?:string|integer`,
    ResultMetaObject: `${SERVER_INFO_KEY}?:Implementation`,
    ClientCapabilities: "extensions?:{object} roots?:object -tasks",
    ServerCapabilities: "extensions?:{object} -tasks",

    Tool: "outputSchema?:AnySchema -execution",
    ObjectSchema: "properties?:open required?:openList",
    AnySchema: "$schema?",
    CallToolResult: `${result} content:ContentBlock[] structuredContent?:any`,
    ToolResultContent: "structuredContent?:any",
    Completion: "values:string[100]",

    SubscriptionFilter:
      "toolsListChanged?:boolean promptsListChanged?:boolean resourcesListChanged?:boolean resourceSubscriptions?:string[]",
    SubscriptionsListenResultMetaObject: `${SUBSCRIPTION_ID_KEY}:string|integer ${SERVER_INFO_KEY}?:Implementation`,

    InputRequiredResult: `${result} inputRequests?:{InputRequest} requestState?`,
    InputRequest: "= ElicitRequest|CreateMessageRequest|ListRootsRequest",
    ElicitRequest: "method:'elicitation/create' params:ElicitRequestParams",
    CreateMessageRequest: "method:'sampling/createMessage' params:CreateMessageRequestParams",
    ListRootsRequest: "method:'roots/list' params?:ListRootsRequestParams",
    ListRootsRequestParams: "_meta?:object",
    InputResponse: "= ElicitResult|ListRootsResult|CreateMessageResult",
    // Questions and answers are bare objects: they carry `_meta` only if it has content.
    CreateMessageRequestParams: "-_meta -task",
    ElicitRequestFormParams: "-_meta -task",
    ElicitRequestURLParams: "-_meta -task -elicitationId",
    ElicitResult: "-_meta",
    ListRootsResult: "-_meta",
  },
};
