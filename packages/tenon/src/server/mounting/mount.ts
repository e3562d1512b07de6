/**
 * A mount: keeps the features of a source among a server's, under a prefix, for as long as it lasts.
 *
 * Each feature becomes an entry of the server's own registries, so that every look-up, list and notification treats it as one of the
 * server's. Only running it differs: `mounted-requests.ts` forwards the request, and is loaded with the first one.
 */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import { Late } from "../../base/late.ts";
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { prefixed, prefixOf } from "../../base/text/naming.ts";
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Visible } from "../../session/caller.ts";
import { aliasOf, hasMetaUri, isMadeUri, schemeOf, withMetaUris } from "../../session/uris.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { ListedResource, ResourceTemplateOptions } from "../features/resources.ts";
import { FEATURE_KINDS, type FeatureKind } from "../../session/feature-filter.ts";
import type { Features } from "../features/features.ts";
import {
  isSelected,
  type Feature,
  type FeatureChange,
  type FeatureSelector,
  type FeatureSource,
  type Mountable,
  sourceOf,
} from "../features/feature-source.ts";
import { versionOf } from "../features/versions.ts";

/** Options of `server.mount`. */
export interface MountOptions {
  /** Which features to mount. Default: all. */
  only?: FeatureSelector;
  /** Who sees them, besides their own rules: see `visible` of a tool. Default: all callers. */
  visible?: Visible;
  /**
   * The URI that clients see instead of a URI or a URI template of the source. It must give each its own, and keep the variables of a
   * template. Default: the same URI, because links in results name it. A view or a skill whose URI the server has already gets an alias,
   * such as `ui://b+show/view.html`.
   */
  uris?: (uri: string) => string;
}

const MOUNT_OPTIONS: OptionKeys<MountOptions> = { only: 1, visible: 1, uris: 1 };
/** The list of each kind of feature, as clients are notified of it. */
const LIST_OF = { tool: "tools", prompt: "prompts", resource: "resources", template: "resources" } as const;

export interface MountingServer extends FeatureSource {
  readonly features: Features;
  readonly mounts: { readonly all: Set<Mount> };
  resourceUpdated(uri: string): void;
  listChanged(list: (typeof LIST_OF)[FeatureKind]): void;
}

/** A source that a server serves under a prefix. */
export class Mount {
  /** The prefix of its names, without `__`. */
  readonly prefix: string;
  /** What is mounted. */
  readonly source: Mountable;
  /** @internal The features of what is mounted. */
  readonly features: FeatureSource;
  /** @internal */
  readonly options: MountOptions;
  readonly #server: MountingServer;
  readonly #report: (error: unknown) => void;
  readonly #adopted = new Map<string, { readonly entry: ReturnType<Features["adopt"]>; readonly feature: Feature }>();
  /** The URIs that clients see instead of URIs that the server has already. */
  readonly #aliases = new Map<string, string>();
  /** Those for whom it has opened its source: its server, servers that have mounted that one, and itself if it came later. */
  readonly #holders = new Set<object>();
  #open: Late<() => Promise<void>> | undefined;
  readonly #forward = new Late(async () => (await import("./mounted-requests.ts")).forward);
  readonly #stop: () => void;
  #ended = false;

  /** @internal */
  constructor(prefix: string, source: Mountable, options: MountOptions, server: MountingServer, report: (error: unknown) => void) {
    assertKnown(`mount "${prefix}"`, options, MOUNT_OPTIONS);
    if (prefix === "" || prefixOf(prefix) !== prefix)
      throw new RangeError(`Prefix ${JSON.stringify(prefix)} must be 1 to 32 of A-Z a-z 0-9 _ -, without "__" and without "_" at an end`);
    this.prefix = prefix;
    this.source = source;
    this.features = sourceOf(source);
    this.options = options;
    this.#server = server;
    this.#report = report;
    const features = FEATURE_KINDS.flatMap((kind) => [...this.features.entries(kind)]).filter((feature) => this.#takes(feature));
    for (const feature of features) this.#makeAlias(feature);
    for (const feature of features) {
      const conflict = server.features.conflict(feature, this.nameOf(feature));
      if (conflict) throw new McpUsageError(`Mount "${prefix}": the ${feature.kind} "${this.nameOf(feature)}" ${conflict}`);
    }
    this.#adoptAll(features);
    this.#stop = this.features.onFeatureChange((change) => this.#apply(change));
  }

  /** Removes its features, and closes what it has opened of the source. Idempotent. */
  async unmount(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#stop();
    for (const { entry } of this.#adopted.values()) entry.remove();
    this.#server.mounts.all.delete(this);
    this.#holders.clear();
    await this.close(this);
  }

  /** @internal Opens what the features share, once for all holders. @throws what the source throws */
  open(holder: object): MaybePromise<unknown> {
    this.#holders.add(holder);
    this.#open ??= new Late(async () => (await this.features.open?.()) ?? (() => Promise.resolve()));
    return this.#open.get();
  }

  /** @internal Closes with the last holder what {@link open} has opened, unless it failed. */
  async close(holder: object): Promise<void> {
    for (const leaving of [holder, this]) this.#holders.delete(leaving);
    if (this.#holders.size > 0) return;
    const close = this.#open?.loaded;
    this.#open = undefined;
    await close?.();
  }

  /** @internal Runs a request with a feature of the source. */
  run(feature: Feature, context: RequestContext): MaybePromise<JsonObject> {
    const opened = this.#open?.loaded ?? this.open(this);
    return andThen(opened, () => andThen(this.#forward.get(), (forward) => forward(this, feature, context)));
  }

  /** @internal The name, the URI or the template of a feature, as clients see it. */
  nameOf({ kind, id }: Pick<Feature, "kind" | "id">): string {
    return kind === "tool" || kind === "prompt" ? prefixed(this.prefix, id) : this.uriOf(id);
  }

  /** @internal A URI of the source, as clients see it. */
  uriOf(uri: string): string {
    return this.options.uris?.(uri) ?? this.#aliases.get(uri) ?? uri;
  }

  /** @internal Whether clients see other URIs than the source writes. */
  get renamesUris(): boolean {
    return this.options.uris !== undefined || this.#aliases.size > 0;
  }

  /** A view or a skill whose URI the server has already gets an alias, as behind a gateway. */
  #makeAlias(feature: Feature): void {
    const { kind, id } = feature;
    if (kind !== "resource" || this.options.uris !== undefined || this.#aliases.has(id) || !isMadeUri(id)) return;
    if (this.#server.features.conflict(feature, id) !== undefined) this.#aliases.set(id, aliasOf(schemeOf(this.prefix), id));
  }

  #outside(feature: Feature): Feature {
    if (feature.kind !== "tool" || !hasMetaUri(feature.listed["_meta"])) return feature;
    const listed = withMetaUris(feature.listed, (uri) => this.uriOf(uri));
    const { kind, id, options } = feature;
    return listed === feature.listed ? feature : { kind, id, options, listed, run: (context) => feature.run(context), origin: feature };
  }

  /** @internal The options of a template whose list has the URIs that clients see. */
  templateOptions(options: ResourceTemplateOptions): ResourceTemplateOptions {
    if (options.list === undefined || this.options.uris === undefined) return options;
    const renamed = (item: ListedResource): ListedResource =>
      typeof item === "string" ? this.uriOf(item) : { ...item, uri: this.uriOf(item.uri) };
    return {
      ...options,
      list: async (context, cursor) => {
        const listed = await options.list!(context, cursor);
        return "resources" in listed ? { ...listed, resources: listed.resources.map(renamed) } : listed.map(renamed);
      },
    };
  }

  #takes(feature: Feature): boolean {
    return this.options.only === undefined || isSelected(this.options.only, feature);
  }

  /** @throws what the registration of one throws; then none is registered */
  #adoptAll(features: readonly Feature[]): void {
    try {
      for (const feature of features) this.#adopt(feature);
    } catch (error) {
      for (const { entry } of this.#adopted.values()) entry.remove();
      throw error;
    }
  }

  #adopt(feature: Feature): void {
    try {
      const entry = this.#server.features.adopt(this.#outside(feature), this.nameOf(feature), this);
      this.#adopted.set(identityOf(feature), { entry, feature });
    } catch (error) {
      if (this.#stop === undefined) throw error;
      this.#report(error);
    }
  }

  #apply({ kind, before, after, uri }: FeatureChange): void {
    if (uri !== undefined) return this.#server.resourceUpdated(this.uriOf(uri));
    if (before === undefined && after === undefined) return this.#server.listChanged(LIST_OF[kind]);
    const wanted = after && this.#takes(after) ? after : undefined;
    const identity = identityOf((before ?? after)!); // it has one of them
    const known = this.#adopted.get(identity);
    if (known !== undefined && wanted !== undefined && identityOf(wanted) === identity) {
      this.#adopted.set(identity, { entry: known.entry, feature: wanted });
      return known.entry.replace(this.#outside(wanted));
    }
    this.#adopted.delete(identity);
    known?.entry.remove();
    if (wanted !== undefined) this.#adoptLater(wanted);
  }

  /** Adopts a feature that is new. If it gets an alias, the tools that name it are renamed too. */
  #adoptLater(feature: Feature): void {
    const before = this.#aliases.size;
    this.#makeAlias(feature);
    this.#adopt(feature);
    if (this.#aliases.size === before) return;
    for (const { entry, feature: tool } of this.#adopted.values()) if (hasMetaUri(tool.listed["_meta"])) entry.replace(this.#outside(tool));
  }
}

function identityOf({ kind, id, options }: Feature): string {
  return JSON.stringify([kind, id, versionOf(kind, options)]);
}
