/**
 * Resources and resource templates: registering, listing, reading and subscribing.
 *
 * A URI is compared byte for byte (CL-17). A fixed resource is found by key, a template through the index; what matches
 * neither does not exist.
 */
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { LimitExceededError } from "../jsonrpc/mcp-error.ts";
import type { Annotations, Icon } from "../protocol/base.ts";
import { ResourceNotFoundError } from "../protocol/errors.ts";
import type { InputRequiredResult } from "../protocol/input-required.ts";
import type { ReadResourceResult } from "../protocol/resources.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { Completers } from "./completions.ts";
import { toReadResult, type ResourceReturn } from "./resource-contents.ts";
import { Registered, Registry, type RegistryOptions } from "./registry.ts";
import { TemplateIndex, UriTemplate, type TemplateVariables } from "./uri-template.ts";

export interface ResourceOptions {
  /** The name programs use. Default: the URI or the template. */
  name?: string;
  /** The name people see. */
  title?: string;
  description?: string;
  mimeType?: string;
  /** Size of the content in bytes, before any encoding; fixed resources only. */
  size?: number;
  /**
   * Scopes that the client's token must have, beside those of the endpoint (docs/auth-server.md). Enforced over HTTP, where
   * there are tokens. What needs them is listed all the same: a client has to know what it could ask for. Default: none.
   */
  scopes?: readonly string[];
  annotations?: Annotations;
  icons?: readonly Icon[];
  _meta?: JsonObject;
}

export interface ResourceTemplateOptions<Variable extends string = string> extends Omit<ResourceOptions, "size"> {
  /** Suggests values for variables of the template. */
  complete?: Completers<Variable>;
}

/** Reads a resource. A string is its text, a `Uint8Array` its bytes; `undefined` says that it does not exist. */
export type ReadResource<Lifespan = unknown> = (uri: string, context: RequestContext<Lifespan>) => MaybePromise<ResourceReturn>;
/** Reads what a template matched. Values are decoded once and are the client's: never use them as a path unchecked. */
export type ReadTemplate<Template extends string, Lifespan = unknown> = (
  variables: TemplateVariables<Template>,
  context: RequestContext<Lifespan>,
) => MaybePromise<ResourceReturn>;

interface ResourceDefinition {
  options: ResourceOptions;
  read: (target: never, context: never) => MaybePromise<ResourceReturn>;
}
interface TemplateDefinition extends ResourceDefinition {
  options: ResourceTemplateOptions;
}

/** Resources one connection can be subscribed to. */
export const MAX_SUBSCRIPTIONS = 1_000;

type Shared<D> = Pick<RegistryOptions<D>, "pageSize" | "onChange">;

export class Resources {
  readonly #fixed: Registry<ResourceDefinition>;
  /** @internal */
  readonly templates: Registry<TemplateDefinition>;
  readonly #index: TemplateIndex<string> = new TemplateIndex();

  constructor(options: Shared<ResourceDefinition | TemplateDefinition>) {
    this.#fixed = new Registry({
      ...options,
      what: "resource",
      member: "resources",
      describe: (uri, { options: own }) => describe("uri", uri, own),
    });
    this.templates = new Registry({
      ...options,
      what: "resource template",
      member: "resourceTemplates",
      describe: (template, { options: own }) => describe("uriTemplate", template, own),
    });
  }

  get used(): boolean {
    return this.#fixed.used || this.templates.used;
  }

  /** @throws TypeError when `uri` is not an absolute URI */
  add(uri: string, options: ResourceOptions, read: ResourceDefinition["read"]): Registered<ResourceOptions> {
    if (!URL.canParse(uri)) throw new TypeError(`Resource URI ${JSON.stringify(uri)} is not an absolute URI`);
    const entry = this.#fixed.add(uri, { options, read });
    return new Registered<ResourceOptions>(this.#fixed, entry as never, (changes) => {
      entry.definition = { ...entry.definition, options: { ...entry.definition.options, ...changes } };
    });
  }

  /** @throws TypeError for a template that is not one, or that cannot be matched unambiguously */
  addTemplate(template: string, options: ResourceTemplateOptions, read: ResourceDefinition["read"]): Registered<ResourceTemplateOptions> {
    const parsed = new UriTemplate(template);
    const entry = this.templates.add(template, { options, read });
    this.#index.add(parsed, template);
    const registry = {
      changed: () => this.templates.changed(entry),
      remove: () => {
        this.#index.remove(template);
        this.templates.remove(entry);
      },
    };
    return new Registered<ResourceTemplateOptions>(registry, entry as never, (changes) => {
      entry.definition = { ...entry.definition, options: { ...entry.definition.options, ...changes } };
    });
  }

  list(context: RequestContext): JsonObject {
    return this.#fixed.page(context.params["cursor"]);
  }

  listTemplates(context: RequestContext): JsonObject {
    return this.templates.page(context.params["cursor"]);
  }

  /** @throws ResourceNotFoundError */
  read(context: RequestContext): MaybePromise<ReadResourceResult | InputRequiredResult> {
    const uri = context.params["uri"] as string; // checked by the codec
    const found = this.find(uri);
    if (found === undefined) throw new ResourceNotFoundError(uri);
    const { read, options } = found.definition;
    const returned = (read as (target: unknown, context: RequestContext) => MaybePromise<ResourceReturn>)(found.target, context); // typed where it was registered
    const toResult = (value: ResourceReturn): ReadResourceResult | InputRequiredResult => toReadResult(value, uri, options.mimeType);
    return isPromise(returned) ? returned.then(toResult) : toResult(returned);
  }

  /** From now on the client hears when that resource changes. @throws ResourceNotFoundError */
  subscribe(context: RequestContext): JsonObject {
    const uri = context.params["uri"] as string; // checked by the codec
    if (this.find(uri) === undefined) throw new ResourceNotFoundError(uri);
    const { subscriptions } = context.connection;
    if (subscriptions.size >= MAX_SUBSCRIPTIONS && !subscriptions.has(uri))
      throw new LimitExceededError("maxSubscriptions", MAX_SUBSCRIPTIONS);
    subscriptions.add(uri);
    return {};
  }

  unsubscribe(context: RequestContext): JsonObject {
    context.connection.subscriptions.delete(context.params["uri"] as string); // checked by the codec
    return {};
  }

  /** The completers of a template, or undefined where there is no such template. */
  completersOf(template: string): Completers | undefined {
    const definition = this.templates.get(template);
    return definition && (definition.options.complete ?? {});
  }

  get hasCompleters(): boolean {
    for (const { options } of this.templates.values()) if (options.complete) return true;
    return false;
  }

  /** @internal What serves a URI. */
  find(uri: string): { definition: ResourceDefinition; target: unknown } | undefined {
    const fixed = this.#fixed.get(uri);
    if (fixed !== undefined) return { definition: fixed, target: uri };
    const match = this.#index.match(uri, (template) => this.templates.get(template) !== undefined);
    return match && { definition: this.templates.get(match.value)!, target: match.variables };
  }
}

function describe(key: "uri" | "uriTemplate", id: string, options: ResourceOptions & ResourceTemplateOptions): JsonObject {
  const { name = id, complete: _, scopes: __, ...rest } = options;
  return { [key]: id, name, ...rest };
}
