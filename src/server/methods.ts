/** The method table of a server: what answers each method, and which capability must be there for it (A6.2). */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ServerCapabilities } from "../protocol/capabilities.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { Features } from "./features.ts";
import { discover, initialize, setLevel } from "./lifecycle.ts";
import { callTool, listTools } from "./tools.ts";

interface ServerMethod {
  /** Absent: it is in the table of `on-demand.ts`, which is loaded with the first request for one of those. */
  readonly handle?: (features: Features, context: RequestContext) => MaybePromise<JsonObject>;
  /** Whether a server with these capabilities has the method. Absent: every server has. */
  readonly served?: (capabilities: ServerCapabilities) => unknown;
}

const withTools = (capabilities: ServerCapabilities): unknown => capabilities.tools;
const ofResources: ServerMethod = { served: (capabilities) => capabilities.resources };
const ofSubscriptions: ServerMethod = { served: (capabilities) => capabilities.resources?.subscribe };
const ofPrompts: ServerMethod = { served: (capabilities) => capabilities.prompts };

export const SERVER_METHODS: ReadonlyMap<string, ServerMethod> = new Map<string, ServerMethod>([
  ["initialize", { handle: initialize }],
  ["server/discover", { handle: discover }],
  ["ping", { handle: () => ({}) }],
  ["tools/list", { handle: listTools, served: withTools }],
  ["tools/call", { handle: callTool, served: withTools }],
  ["logging/setLevel", { handle: setLevel, served: (capabilities) => capabilities.logging }],
  ["resources/list", ofResources],
  ["resources/templates/list", ofResources],
  ["resources/read", ofResources],
  ["resources/subscribe", ofSubscriptions],
  ["resources/unsubscribe", ofSubscriptions],
  ["prompts/list", ofPrompts],
  ["prompts/get", ofPrompts],
  ["completion/complete", { served: (capabilities) => capabilities.completions }],
  ["subscriptions/listen", {}],
]);
