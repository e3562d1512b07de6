/**
 * Resources and resource templates: registering them, listing them, and reading one.
 *
 * A URI is compared byte for byte. A fixed resource is found by its key, a template through the index. What matches neither does
 * not exist.
 */
import type { OptionKeys } from "../base/known-options.ts";
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import { TemplateIndex } from "../base/uri-template/template-index.ts";
import { UriTemplate, type TemplateVariables } from "../base/uri-template/uri-template.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Annotations, Icon } from "../protocol/base.ts";
import { ResourceNotFoundError } from "../protocol/errors.ts";
import type { InputRequiredResult } from "../protocol/input-required.ts";
import type { ReadResourceResult } from "../protocol/resources.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { Completers } from "./completions.ts";
import type { Registry } from "./registry.ts";
import { toReadResult, type ResourceReturn } from "./resource-contents.ts";

/** How a resource is described, and who may read it (TY-40). */
export interface ResourceOptions {
  /** The name programs use. Default: the URI or the template. */
  name?: string;
  /** The name people see. */
  title?: string;
  /** What it is, for people and the model. */
  description?: string;
  /** Of what it is read as, unless the handler says otherwise. */
  mimeType?: string;
  /** Size of the content in bytes, before any encoding; fixed resources only. */
  size?: number;
  /**
   * Scopes that the client's token must have, beside those of the endpoint (docs/servers/authorization.md). Enforced over HTTP, where
   * there are tokens. What needs them is listed all the same: a client has to know what it could ask for. Default: none.
   */
  scopes?: readonly string[];
  /** Who it is for, how much it matters, and when it changed last. */
  annotations?: Annotations;
  /** What clients may show. */
  icons?: readonly Icon[];
  /** Free-form, in lists; passed on as it is. */
  _meta?: JsonObject;
}

export const RESOURCE_OPTIONS: OptionKeys<ResourceOptions> = {
  name: 1,
  title: 1,
  description: 1,
  mimeType: 1,
  size: 1,
  scopes: 1,
  annotations: 1,
  icons: 1,
  _meta: 1,
};

/** How a family of resources is described, and who may read them (K2.2). */
export interface ResourceTemplateOptions<Variable extends string = string> extends Omit<ResourceOptions, "size"> {
  /** Suggests values for variables of the template. */
  complete?: Completers<Variable>;
}

export const TEMPLATE_OPTIONS: OptionKeys<ResourceTemplateOptions> = {
  name: 1,
  title: 1,
  description: 1,
  mimeType: 1,
  scopes: 1,
  annotations: 1,
  icons: 1,
  _meta: 1,
  complete: 1,
};

/** Reads a resource. A string is its text, a `Uint8Array` its bytes; `undefined` says that it does not exist. */
export type ReadResource<Lifespan = unknown> = (uri: string, context: RequestContext<Lifespan>) => MaybePromise<ResourceReturn>;
/** Reads what a template matched. Values are decoded once and are the client's: never use them as a path unchecked. */
export type ReadTemplate<Template extends string, Lifespan = unknown> = (
  variables: TemplateVariables<Template>,
  context: RequestContext<Lifespan>,
) => MaybePromise<ResourceReturn>;

/** A resource as it is served. */
export interface ServedResource {
  readonly options: ResourceOptions;
  readonly handler: (target: never, context: never) => MaybePromise<ResourceReturn>;
}
export interface ServedTemplate extends ServedResource {
  readonly options: ResourceTemplateOptions;
  /** Finds out which variables a URI was made from. */
  readonly template: UriTemplate;
}

/** What a server offers to read, both kinds of it. */
export interface Resources {
  readonly resources: Registry<ServedResource>;
  readonly templates: Registry<ServedTemplate>;
}

/** @throws TypeError if `uri` is not an absolute URI */
export function defineResource(uri: string, options: ResourceOptions, handler: ServedResource["handler"]): ServedResource {
  if (!URL.canParse(uri)) throw new TypeError(`Resource URI ${JSON.stringify(uri)} is not an absolute URI`);
  return { options, handler };
}

/** @throws TypeError if `template` is no URI template, or one that cannot be matched unambiguously */
export function defineTemplate(template: string, options: ResourceTemplateOptions, handler: ServedResource["handler"]): ServedTemplate {
  return { options, handler, template: new UriTemplate(template) };
}

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
export function readResource(resources: Resources, context: RequestContext): MaybePromise<ReadResourceResult | InputRequiredResult> {
  const uri = context.params["uri"] as string; // checked by the codec
  const found = findResource(resources, uri);
  if (found === undefined) throw new ResourceNotFoundError(uri);
  const { definition, target } = found;
  const handler = definition.handler as (target: unknown, context: RequestContext) => MaybePromise<ResourceReturn>; // typed where it was registered
  return andThen(handler(target, context), (value) => toReadResult(value, uri, definition.options.mimeType));
}

/** What serves a URI, and what its handler is given. */
export interface FoundResource {
  readonly definition: ServedResource;
  readonly target: unknown;
}

export function findResource({ resources, templates }: Resources, uri: string): FoundResource | undefined {
  const fixed = resources.get(uri);
  if (fixed !== undefined) return { definition: fixed, target: uri };
  const match = templates.derived("index", () => indexOf(templates)).match(uri);
  return match && { definition: match.value, target: match.variables };
}

function indexOf(templates: Registry<ServedTemplate>): TemplateIndex<ServedTemplate> {
  return new TemplateIndex(templates.entries.map(({ definition }) => [definition.template, definition]));
}
