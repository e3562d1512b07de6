/** The method table of a server: what answers each method, and which capability must be there for it (A6.2). */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ServerCapabilities } from "../protocol/capabilities.ts";
import type { ServerExtensions } from "../session/extension.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { Changes } from "./changes.ts";
import type { Closing } from "./closing.ts";
import { discover, initialize, setLevel, type ServerFacts } from "./lifecycle.ts";
import type { Prompts } from "./prompts.ts";
import type { Resources } from "./resources.ts";
import type { Tools } from "./tools.ts";

/** What the methods of a server work on. */
export interface Features {
  readonly facts: ServerFacts;
  /** All that are in use, as one. */
  extensions?: ServerExtensions;
  readonly tools: Tools;
  readonly resources: Resources;
  readonly prompts: Prompts;
  readonly changes: Changes;
  /** Tells when the server closes. */
  readonly closing: Closing;
  readonly scopes: MethodScopes | undefined;
}

/** What a token must have for a method, whatever else its params name. */
export type MethodScopes = Readonly<Record<string, readonly string[]>>;

interface ServerMethod {
  readonly handle: (features: Features, context: RequestContext) => MaybePromise<JsonObject>;
  /** Whether a server with these capabilities has the method. Absent: every server has. */
  readonly served?: (capabilities: ServerCapabilities) => unknown;
}

const withTools = (capabilities: ServerCapabilities): unknown => capabilities.tools;
const withResources = (capabilities: ServerCapabilities): unknown => capabilities.resources;
const withSubscribe = (capabilities: ServerCapabilities): unknown => capabilities.resources?.subscribe;
const withPrompts = (capabilities: ServerCapabilities): unknown => capabilities.prompts;

export const SERVER_METHODS: ReadonlyMap<string, ServerMethod> = new Map<string, ServerMethod>([
  ["initialize", { handle: ({ facts }, context) => initialize(facts, context) }],
  ["server/discover", { handle: ({ facts }) => discover(facts) }],
  ["ping", { handle: () => ({}) }],
  ["tools/list", { handle: ({ tools }, context) => tools.list(context), served: withTools }],
  ["tools/call", { handle: ({ tools }, context) => tools.call(context), served: withTools }],
  ["resources/list", { handle: ({ resources }, context) => resources.list(context), served: withResources }],
  ["resources/templates/list", { handle: ({ resources }, context) => resources.listTemplates(context), served: withResources }],
  ["resources/read", { handle: ({ resources }, context) => resources.read(context), served: withResources }],
  ["resources/subscribe", { handle: ({ resources }, context) => resources.subscribe(context), served: withSubscribe }],
  ["resources/unsubscribe", { handle: ({ resources }, context) => resources.unsubscribe(context), served: withSubscribe }],
  ["prompts/list", { handle: ({ prompts }, context) => prompts.list(context), served: withPrompts }],
  ["prompts/get", { handle: ({ prompts }, context) => prompts.get(context), served: withPrompts }],
  ["completion/complete", { handle: complete, served: (capabilities) => capabilities.completions }],
  ["logging/setLevel", { handle: (_features, context) => setLevel(context), served: (capabilities) => capabilities.logging }],
  ["subscriptions/listen", { handle: listen }],
]);

/** Few servers complete anything; what it takes is loaded with the first. */
async function complete(features: Features, context: RequestContext): Promise<JsonObject> {
  return (await import("./completions.ts")).complete(features, context);
}

/** Stays open by design; what it takes is loaded with the first. */
async function listen(features: Features, context: RequestContext): Promise<JsonObject> {
  context.keepOpen();
  const opened = await import("./listen.ts");
  return opened.listen(features, context);
}
