/**
 * Resources and resource templates as they are registered: what could never be read is refused here. What reads them is
 * loaded with the first request (`resource-methods.ts`).
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Annotations, Icon } from "../protocol/base.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { Completers } from "./completions.ts";
import { assertMatchable } from "./matchable-template.ts";
import type { ResourceReturn } from "./resource-contents.ts";
import type { TemplateVariables } from "./uri-template.ts";

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
   * Scopes that the client's token must have, beside those of the endpoint (docs/auth-server.md). Enforced over HTTP, where
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

/** How a family of resources is described, and who may read them (K2.2). */
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

/** A resource as it is served. */
export interface ResourceDefinition {
  readonly options: ResourceOptions;
  readonly handler: (target: never, context: never) => MaybePromise<ResourceReturn>;
}
export interface TemplateDefinition extends ResourceDefinition {
  readonly options: ResourceTemplateOptions;
}

/** @throws TypeError when `uri` is not an absolute URI */
export function defineResource(uri: string, options: ResourceOptions, handler: ResourceDefinition["handler"]): ResourceDefinition {
  if (!URL.canParse(uri)) throw new TypeError(`Resource URI ${JSON.stringify(uri)} is not an absolute URI`);
  return { options, handler };
}

/** @throws TypeError for a template that is not one, or that cannot be matched unambiguously */
export function defineTemplate(
  template: string,
  options: ResourceTemplateOptions,
  handler: ResourceDefinition["handler"],
): TemplateDefinition {
  assertMatchable(template);
  return { options, handler };
}
