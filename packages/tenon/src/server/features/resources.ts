/**
 * Resources and resource templates: registers them, lists them, and reads one.
 *
 * A URI is compared byte for byte, then in its normal form: first with the fixed resources, then with the index of templates.
 */
import type { OptionKeys } from "../../base/known-options.ts";
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { isSameEncoded, normalUri } from "../../base/uri-template/normal-uri.ts";
import { byNormalUri, findSpelled } from "../../base/uri-template/spelled-uris.ts";
import { TemplateIndex } from "../../base/uri-template/template-index.ts";
import { UriTemplate, type TemplateVariables } from "../../base/uri-template/uri-template.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Annotations } from "../../protocol/base.ts";
import { ResourceNotFoundError } from "../../protocol/errors.ts";
import type { InputRequiredResult } from "../../protocol/input-required.ts";
import type { Resource } from "../../protocol/content.ts";
import type { ReadResourceResult } from "../../protocol/resources.ts";
import type { Caller } from "../../session/caller.ts";
import { isSpillUri, SPILL_TEMPLATE } from "../../spill/names.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { Completers } from "./completions.ts";
import { FEATURE_OPTIONS, UNSENT_OPTIONS, type FeatureOptions } from "./feature-options.ts";
import type { Definition, RegistryEntry, Registry } from "./registry.ts";
import { toReadResult, type ResourceReturn } from "./resource-contents.ts";

/** The description of a resource, and the scopes that it needs. */
export interface ResourceOptions extends FeatureOptions {
  /** The name for programs. Default: the URI or the template. */
  name?: string;
  /** What the resource is, for users and the model. */
  description?: string;
  /** The MIME type of its contents, unless the handler sets one. */
  mimeType?: string;
  /** Size of the content in bytes, before any encoding; fixed resources only. */
  size?: number;
  /** Its audience, its priority, and when it changed last. */
  annotations?: Annotations;
}

export const RESOURCE_OPTIONS: OptionKeys<ResourceOptions> = {
  name: 1,
  description: 1,
  mimeType: 1,
  size: 1,
  annotations: 1,
  ...FEATURE_OPTIONS,
};

/** A resource that a template lists: its URI, and what a list says of it. The name is the URI unless there is one. */
export type ListedResource =
  | string
  | (Omit<Resource, "name"> & {
      /** The name that programs use. Default: the URI. */
      readonly name?: string;
    });

/** What a template lists: all of its resources, or one page of them and the cursor of the next. */
export type ListedResources =
  | readonly ListedResource[]
  | {
      /** The resources of this page. */
      readonly resources: readonly ListedResource[];
      /** Where the next page begins; absent on the last page. */
      readonly nextCursor?: string | undefined;
    };

/** The description of a family of resources, and the scopes that they need. */
export interface ResourceTemplateOptions<Variable extends string = string, Lifespan = unknown> extends Omit<ResourceOptions, "size"> {
  /**
   * Lists resources of the template in `resources/list`, after the registered ones: at most 10 000 on one page. Called without `cursor`
   * for the first page, then with each `nextCursor` that it returned. What it throws fails the request. When the list has changed, call
   * `server.listChanged("resources")`. Security: a client can make up a cursor. Default: nothing of it is listed.
   */
  list?(context: RequestContext<Lifespan>, cursor?: string): MaybePromise<ListedResources>;
  /** Suggests values for variables of the template. */
  complete?: Completers<Variable>;
}

const { size: _, ...SHARED_OPTIONS } = RESOURCE_OPTIONS;
export const TEMPLATE_OPTIONS: OptionKeys<ResourceTemplateOptions> = { ...SHARED_OPTIONS, list: 1, complete: 1 };

/** Reads a resource. A string is its text, a `Uint8Array` its bytes; `undefined` says that it does not exist. */
export type ReadResource<Lifespan = unknown> = (uri: string, context: RequestContext<Lifespan>) => MaybePromise<ResourceReturn>;
/**
 * Reads a resource that matches a template. Security: the values come from the client, decoded once. Check them before they become part
 * of a path.
 */
export type ReadTemplate<Template extends string, Lifespan = unknown> = (
  variables: TemplateVariables<Template>,
  context: RequestContext<Lifespan>,
) => MaybePromise<ResourceReturn>;

export interface ServedResource extends Definition {
  readonly options: ResourceOptions;
  readonly handler: (target: never, context: never) => MaybePromise<ResourceReturn>;
}
export interface ServedTemplate extends ServedResource {
  readonly options: ResourceTemplateOptions;
  /** Matches a URI and finds its variables. */
  readonly template: UriTemplate;
}

export interface Resources {
  readonly resources: Registry<ServedResource>;
  readonly templates: Registry<ServedTemplate>;
}

/** @throws TypeError if `uri` is not an absolute URI */
export function defineResource(uri: string, options: ResourceOptions, handler: ServedResource["handler"]): ServedResource {
  if (!URL.canParse(uri)) throw new TypeError(`Resource URI ${JSON.stringify(uri)} is not an absolute URI`);
  return { options, handler };
}

/** @throws TypeError if `template` is not a URI template, or cannot be matched unambiguously */
export function defineTemplate(template: string, options: ResourceTemplateOptions, handler: ServedResource["handler"]): ServedTemplate {
  return { options, handler, template: new UriTemplate(template) };
}

export function listTemplates({ templates }: Resources, context: RequestContext): JsonObject {
  return templates.page(context.params["cursor"], "resourceTemplates", describeTemplate, context);
}

const UNSENT = ["complete", "list", ...UNSENT_OPTIONS];

export function describeResource({ key, definition: { options } }: RegistryEntry<ServedResource>): JsonObject {
  return describe("uri", key, options);
}

export function describeTemplate({ key, definition: { options } }: RegistryEntry<ServedTemplate>): JsonObject {
  return describe("uriTemplate", key, options);
}

function describe(key: "uri" | "uriTemplate", id: string, options: ResourceOptions): JsonObject {
  const rest: JsonObject = { ...options, name: options.name ?? id };
  for (const option of UNSENT) delete rest[option];
  return { [key]: id, name: id, ...rest };
}

/** @throws ResourceNotFoundError */
export function readResource(resources: Resources, context: RequestContext): MaybePromise<ReadResourceResult | InputRequiredResult> {
  const uri = context.params["uri"] as string; // checked by the codec
  const found = findResource(resources, uri, context);
  if (found === undefined) throw new ResourceNotFoundError(uri);
  const { definition, target } = found;
  if (definition.forward !== undefined) return definition.forward(context) as ReturnType<typeof readResource>; // the result of a resource
  const handler = definition.handler as (target: unknown, context: RequestContext) => MaybePromise<ResourceReturn>; // typed where it was registered
  return andThen(handler(target, context), (value) => toReadResult(value, uri, definition.options.mimeType));
}

/** The definition that serves a URI, and the first argument of its handler. */
export interface FoundResource {
  readonly definition: ServedResource;
  readonly target: unknown;
}

/** What serves a URI for a caller. A resource that the caller must not know of stays unknown if a template matches it. */
export function findResource({ resources, templates }: Resources, uri: string, caller?: Caller): FoundResource | undefined {
  const spillTemplate = isSpillUri(uri) ? templates.find(SPILL_TEMPLATE)?.definition : undefined;
  // Security: the link of a result may be all that protects it, so that no mounted server sees one, nor answers for one that has expired.
  if (spillTemplate?.own === true) {
    const target = spillTemplate.template.match(uri);
    return target && { definition: spillTemplate, target };
  }
  const listed = resources.find(uri);
  const spelled = listed === undefined ? spelledIn(resources, uri) : undefined;
  const fixed = listed ?? (spelled !== undefined && isSameEncoded(spelled.key, uri) ? spelled : undefined);
  if (fixed !== undefined) return resources.allows(fixed, caller) ? { definition: fixed.definition, target: uri } : undefined;
  const exact = templates.derived("index", () => indexOf(templates, ({ template }) => template)).match(uri);
  // A host in other letters is another value for a template, so that a template that matches the URI as it was sent goes first.
  if (exact === undefined && spelled !== undefined)
    return resources.allows(spelled, caller) ? { definition: spelled.definition, target: uri } : undefined;
  const match = exact ?? templates.derived("normal", () => indexOf(templates, ({ template }) => template.normal)).match(normalUri(uri));
  if (match === undefined || !templates.allows(match.value, caller)) return undefined;
  return { definition: match.value.definition, target: match.variables };
}

/** A fixed resource by another spelling of its URI. */
function spelledIn(resources: Resources["resources"], uri: string): RegistryEntry<ServedResource> | undefined {
  const spelled = (): ReadonlyMap<string, RegistryEntry<ServedResource>> =>
    resources.derived("spelled", () => byNormalUri(resources.entries, ({ key }) => key));
  return findSpelled({ find: (one) => resources.find(one), spelled }, uri);
}

function indexOf(
  templates: Registry<ServedTemplate>,
  form: (definition: ServedTemplate) => UriTemplate,
): TemplateIndex<RegistryEntry<ServedTemplate>> {
  return new TemplateIndex(templates.entries.map((entry) => [form(entry.definition), entry]));
}
