/**
 * Features as values: a feature is a tool, a resource, a resource template or a prompt, and a source is a live set of them.
 *
 * A server is a source, and so are a group, a filtered source and whatever else implements the interface. `server.mount` serves one.
 */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { SERVED } from "../../dispatch/acceptor.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Caller, Visible } from "../../session/caller.ts";
import type { FeatureFilter, FeatureKind } from "../../session/feature-filter.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { ServerSession } from "../../session/server-session.ts";
import type { FeatureOptions } from "./feature-options.ts";
import type { PromptOptions } from "./prompts.ts";
import type { ResourceOptions, ResourceTemplateOptions } from "./resources.ts";
import type { ToolOptions } from "./tools.ts";

export type { FeatureFilter, FeatureKind };

/** The options of each kind. */
export interface OptionsByKind {
  /** The options of a tool. */
  readonly tool: ToolOptions;
  /** The options of a resource. */
  readonly resource: ResourceOptions;
  /** The options of a resource template. */
  readonly template: ResourceTemplateOptions;
  /** The options of a prompt. */
  readonly prompt: PromptOptions;
}

/** The options of a feature of that kind. */
export type OptionsOf<Kind extends FeatureKind = FeatureKind> = OptionsByKind[Kind] & FeatureOptions;

/** A tool, a resource, a resource template or a prompt, as a value. It does not change: a changed feature is another value. */
export interface Feature<Kind extends FeatureKind = FeatureKind> {
  /** What it is. */
  readonly kind: Kind;
  /** Its name, its URI or its URI template. Unique in its source for its kind, except that versions of a tool or a prompt share a name. */
  readonly id: string;
  /** Its options, with `visible` as the one rule of everything that decides on it in its source. */
  readonly options: OptionsOf<Kind>;
  /** Its item in a list of its source, in the newest revision: its name or URI, its description, and its schemas as JSON Schema. */
  readonly listed: JsonObject;
  /**
   * Serves a request about it: `tools/call`, `prompts/get`, `resources/read`, or `completion/complete` with a reference to it. The params
   * of the context name it by its `id` (of a template: a URI that matches) and are otherwise unchecked. The result is complete: nothing
   * is checked or converted after it.
   * @throws what its handler throws, and McpError -32602 for arguments that do not match
   */
  run(context: RequestContext): MaybePromise<JsonObject>;
  /** The feature that this one was made from, by a mount or a transform. */
  readonly origin?: Feature<Kind> | undefined;
}

/**
 * A change of a source. With `before` and `after` one feature was replaced; with one of them it was removed or added; with neither the
 * list has changed in a way that the source cannot name. With `uri` the content of a resource has changed, and no list.
 */
export interface FeatureChange {
  /** The kind of the feature. */
  readonly kind: FeatureKind;
  /** The feature as it was; absent if it is new. */
  readonly before?: Feature | undefined;
  /** The feature now; absent if it was removed. */
  readonly after?: Feature | undefined;
  /** The resource whose content has changed. */
  readonly uri?: string | undefined;
}

/** A live set of features: a server, a group, or what a function of `tenon/compose` made of them. */
export interface FeatureSource {
  /** The features of that kind, in order; those that callers may not see included. */
  entries(kind: FeatureKind): Iterable<Feature>;
  /** The feature with that name, URI or URI template; if it has versions, the newest. */
  find(kind: FeatureKind, id: string): Feature | undefined;
  /** Calls `listener` with each change from now on. Returns a function that stops it. */
  onFeatureChange(listener: (change: FeatureChange) => void): () => void;
  /**
   * Opens what its handlers share before they run, such as the lifespan of a server. Called by each server that mounts it, before that
   * server serves. Returns a function that closes it, once all that opened it have closed it.
   */
  open?(): Promise<() => Promise<void>>;
  /**
   * Reads again what it cannot hear of. Called by servers that mount it before a list, and before they refuse a name or a URI that they do
   * not know. Returns undefined if there is nothing to wait for.
   */
  refresh?(before: "list" | "refusal"): Promise<unknown> | undefined;
  /** Hears that the roots of a client have changed, and may ask for them. Called by servers that mount it; what it throws is reported. */
  rootsChanged?(session: ServerSession): MaybePromise<void>;
  /** The source that it was made from, so that a server is not mounted on itself; absent if there is none. */
  readonly source?: FeatureSource | undefined;
}

/** An object whose features stand under a symbol, such as an `McpServer`. */
export interface SourceObject {
  /** Its features. */
  readonly [SERVED]: FeatureSource;
}

/** What `server.mount` and the functions of `tenon/compose` take: a server, a group, or another live set of features. */
export type Mountable = FeatureSource | SourceObject;

/**
 * The features of a server, as values: what is registered, and each change of it. Of another source it is the source itself.
 * @example
 * ```ts
 * import { McpServer, sourceOf } from "tenon/server";
 *
 * const server = new McpServer({ name: "sums", version: "1.0.0" });
 * server.tool("add", {}, () => "3");
 * console.log([...sourceOf(server).entries("tool")].map(({ id }) => id)); // [ 'add' ]
 * ```
 */
export function sourceOf(given: Mountable): FeatureSource {
  return SERVED in given ? given[SERVED] : given;
}

/** The requests about one feature. A table over them has a row for each, so the compiler names the tables that lack a new one. */
export type FeatureMethod = "tools/call" | "prompts/get" | "resources/read" | "completion/complete";

/** The row of a method. @throws McpError -32601 if the request is not about a feature */
export function rowOf<Row>(table: Readonly<Record<FeatureMethod, Row>>, method: string): Row {
  if (Object.hasOwn(table, method)) return table[method as FeatureMethod]; // a key of the table
  throw new McpError(ErrorCode.MethodNotFound, "Method not found", method);
}

/** A mount, as the features of its server see it. */
export interface FeatureForwarder {
  readonly options: { readonly visible?: Visible };
  run(feature: Feature, context: RequestContext): MaybePromise<JsonObject>;
  /** The options of a template whose list has the URIs that clients see. */
  templateOptions(options: ResourceTemplateOptions): ResourceTemplateOptions;
}

/** The rule of a server for all its features. See {@link Visible}. */
export type ServerRule = (caller: Caller, feature: Feature) => boolean;

/** A filter, or a function that selects. */
export type FeatureSelector = FeatureFilter | ((feature: Feature) => boolean);

export function isSelected(selector: FeatureSelector, feature: Feature): boolean {
  if (typeof selector === "function") return selector(feature);
  const { names, kinds, tags, version } = selector;
  const { options } = feature;
  if (names?.includes(feature.id) === false || kinds?.includes(feature.kind) === false) return false;
  if (version !== undefined && version !== options.version) return false;
  return tags === undefined || tags.some((tag) => options.tags?.includes(tag));
}
