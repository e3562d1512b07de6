/**
 * Resources and resource templates as clients ask for them: listing, reading and subscribing. Loaded with the first request.
 *
 * A URI is compared byte for byte (CL-17). A fixed resource is found by key, a template through the index; what matches
 * neither does not exist.
 */
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { LimitExceededError } from "../jsonrpc/mcp-error.ts";
import { ResourceNotFoundError } from "../protocol/errors.ts";
import type { InputRequiredResult } from "../protocol/input-required.ts";
import type { ReadResourceResult } from "../protocol/resources.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { Features } from "./features.ts";
import type { Entry } from "./registry.ts";
import { toReadResult, type ResourceReturn } from "./resource-contents.ts";
import type { ResourceDefinition, ResourceOptions, ResourceTemplateOptions, TemplateDefinition } from "./resources.ts";
import { TemplateIndex, UriTemplate } from "./uri-template.ts";

/** Resources one connection can be subscribed to. */
export const MAX_SUBSCRIPTIONS = 1_000;

type Resources = Pick<Features, "resources" | "templates">;

export function listResources({ resources }: Resources, context: RequestContext): JsonObject {
  return resources.page(context.params["cursor"], "resources", ({ key, definition }) => describe("uri", key, definition.options));
}

export function listTemplates({ templates }: Resources, context: RequestContext): JsonObject {
  return templates.page(context.params["cursor"], "resourceTemplates", ({ key, definition }) =>
    describe("uriTemplate", key, definition.options),
  );
}

function describe(key: "uri" | "uriTemplate", id: string, options: ResourceOptions & ResourceTemplateOptions): JsonObject {
  const { name = id, complete: _, scopes: __, ...rest } = options;
  return { [key]: id, name, ...rest };
}

/** @throws ResourceNotFoundError */
export function readResource(features: Resources, context: RequestContext): MaybePromise<ReadResourceResult | InputRequiredResult> {
  const uri = context.params["uri"] as string; // checked by the codec
  const { definition, target } = foundOrThrow(features, uri);
  const handler = definition.handler as (target: unknown, context: RequestContext) => MaybePromise<ResourceReturn>; // typed where it was registered
  return andThen(handler(target, context), (value) => toReadResult(value, uri, definition.options.mimeType));
}

/** From now on the client hears when that resource changes. @throws ResourceNotFoundError */
export function subscribe(features: Resources, context: RequestContext): JsonObject {
  const uri = context.params["uri"] as string; // checked by the codec
  foundOrThrow(features, uri);
  const subscriptions = (context.connection.subscriptions ??= new Set());
  if (subscriptions.size >= MAX_SUBSCRIPTIONS && !subscriptions.has(uri))
    throw new LimitExceededError("maxSubscriptions", MAX_SUBSCRIPTIONS);
  subscriptions.add(uri);
  return {};
}

export function unsubscribe(_features: Resources, context: RequestContext): JsonObject {
  context.connection.subscriptions?.delete(context.params["uri"] as string); // checked by the codec
  return {};
}

/** What serves a URI, and what its handler is given. */
export interface FoundResource {
  readonly definition: ResourceDefinition;
  readonly target: unknown;
}

export function findResource({ resources, templates }: Resources, uri: string): FoundResource | undefined {
  const fixed = resources.get(uri);
  if (fixed !== undefined) return { definition: fixed, target: uri };
  const match = templates.derived("index", () => new TemplateIndex(templates.entries.map(matcherOf))).match(uri);
  return match && { definition: match.value, target: match.variables };
}

function foundOrThrow(features: Resources, uri: string): FoundResource {
  const found = findResource(features, uri);
  if (found === undefined) throw new ResourceNotFoundError(uri);
  return found;
}

const matchers = new WeakMap<TemplateDefinition, UriTemplate>();

/** Made once, however often the set changes. */
function matcherOf({ key, definition }: Entry<TemplateDefinition>): readonly [UriTemplate, TemplateDefinition] {
  let matcher = matchers.get(definition);
  if (matcher === undefined) matchers.set(definition, (matcher = new UriTemplate(key)));
  return [matcher, definition];
}
