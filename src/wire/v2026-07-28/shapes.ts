/** What else 2026-07-28 changed: questions travel in results and their answers in params; one request listens for all changes. */
import { SERVER_INFO_KEY, SUBSCRIPTION_ID_KEY } from "../../protocol/meta-keys.ts";
import { withMore, type Dictionary, type Revision } from "../revision.ts";
import { revision as previous } from "../v2025-11-25/shapes.ts";
import { asking, cacheable, core, request, result } from "./core-shapes.ts";

const types: Dictionary = {
  SubscriptionsListenResultMetaObject: `${SUBSCRIPTION_ID_KEY}:string|integer ${SERVER_INFO_KEY}?:Implementation`,
  ToolResultContent: "structuredContent?:any",
  Completion: "values:string[100]",

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
  "resources/list": request,
  "resources/templates/list": request,
  "resources/read": asking,
  "prompts/list": request,
  "prompts/get": asking,
  "completion/complete": request,
  "subscriptions/listen": `${request} notifications:SubscriptionFilter`,
  "roots/list": "= ListRootsRequestParams",
};

const results: Dictionary = {
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

export const revision: Revision = withMore(core, { previous, types, params, results });
