/**
 * What 2026-07-28 changed for every session: no connection state any more. Every request says who asks (`_meta`), every
 * result what kind it is, lists can be kept; core tasks are gone.
 */
import {
  CLIENT_CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  LOG_LEVEL_KEY,
  PROTOCOL_VERSION_KEY,
  SERVER_INFO_KEY,
  SUBSCRIPTION_ID_KEY,
} from "../../protocol/meta-keys.ts";
import type { Dictionary, Revision } from "../revision.ts";
import { core as previous } from "../v2025-11-25/core-shapes.ts";

// Checked when the identity is read from it, and only then.
export const request = "_meta?:any";
export const asking: string = `${request} inputResponses?:{InputResponse} requestState?`;
export const result = "_meta?:ResultMetaObject resultType?";
export const cacheable: string = `${result} ttlMs?:integer cacheScope?:'public'|'private'`;

const types: Dictionary = {
  RequestMetaObject:
    `${PROTOCOL_VERSION_KEY} ${CLIENT_CAPABILITIES_KEY}:ClientCapabilities ` +
    `${CLIENT_INFO_KEY}?:Implementation ${LOG_LEVEL_KEY}?:LoggingLevel`,
  NotificationMetaObject: `${SUBSCRIPTION_ID_KEY}?:string|integer`,
  ResultMetaObject: `${SERVER_INFO_KEY}?:Implementation`,
  SubscriptionFilter: "toolsListChanged?:boolean promptsListChanged?:boolean resourcesListChanged?:boolean resourceSubscriptions?:string[]",
  ClientCapabilities: "extensions?:{object} roots?:object -tasks",
  ServerCapabilities: "extensions?:{object} -tasks",

  Tool: "outputSchema?:AnySchema -execution",
  ObjectSchema: "properties?:any required?:any",
  AnySchema: "$schema?",
  CallToolResult: `${result} content:ContentBlock[] structuredContent?:any`,
  // Nothing fits: params that bring answers wait for all shapes.
  InputResponse: "= 'late'",
};

const params: Dictionary = {
  "server/discover": request,
  "tools/list": request,
  "tools/call": `${asking} -task`,
  "notifications/subscriptions/acknowledged": "_meta?:NotificationMetaObject notifications:SubscriptionFilter",
  "notifications/cancelled": "requestId:string|integer",
};

const results: Dictionary = {
  "server/discover": `${cacheable} supportedVersions:string[] capabilities:ServerCapabilities instructions?`,
  "tools/list": cacheable,
  "tools/call": "= CallToolResult",
};

export const core: Revision = { version: "2026-07-28", previous, invalidToolInput: "result", types, params, results };
