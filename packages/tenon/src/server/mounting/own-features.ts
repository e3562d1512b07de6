/**
 * A server as a source of features: what it has registered, as values, and each change of it.
 *
 * A feature runs inside the middleware of its server and with its lifespan. That part is loaded with the first request
 * (`nested-requests.ts`), because most servers are sources of nothing.
 */
import { Late } from "../../base/late.ts";
import { andThen } from "../../base/maybe-promise.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { FeatureOptions } from "../features/feature-options.ts";
import type { Feature, FeatureChange, FeatureKind, ServerRule } from "../features/feature-source.ts";
import type { Features } from "../features/features.ts";
import type { GuardedEntry } from "../guard.ts";
import { describePrompt } from "../features/prompts.ts";
import type { Definition, RegistryEntry, Registry } from "../features/registry.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { RequestChain } from "../serving/request-chain.ts";
import { describeResource, describeTemplate, type ListedResources, type ResourceTemplateOptions } from "../features/resources.ts";
import { describeTool } from "../features/tools.ts";
import { nameOf, versionOf } from "../features/versions.ts";

interface ServerOfFeatures {
  readonly features: Features;
  readonly chain: RequestChain;
  /** The rule for all features; undefined if there is none. */
  readonly rule: () => ServerRule | undefined;
}

export class OwnFeatures {
  readonly #registries: ReadonlyMap<FeatureKind, readonly [Registry<Definition>, (entry: RegistryEntry<never>) => JsonObject]>;
  readonly #listeners = new Set<(change: FeatureChange) => void>();
  readonly #nested: Late<(context: RequestContext, name: string | undefined) => ReturnType<Feature["run"]>>;
  /** The feature of each definition, so that a feature is the same value until it changes. */
  readonly #values = new WeakMap<object, Feature>();

  readonly #server: ServerOfFeatures;

  constructor(server: ServerOfFeatures) {
    const { tools, resources, templates, prompts } = server.features;
    this.#server = server;
    this.#registries = new Map<FeatureKind, [Registry<Definition>, (entry: RegistryEntry<never>) => JsonObject]>([
      ["tool", [tools, describeTool]],
      ["resource", [resources, describeResource]],
      ["template", [templates, describeTemplate]],
      ["prompt", [prompts, describePrompt]],
    ]);
    this.#nested = new Late(async () => (await import("./nested-requests.ts")).nestedHandler(server.chain));
  }

  entries(kind: FeatureKind): Feature[] {
    return this.#registries
      .get(kind)![0]
      .entries.filter(isOffered)
      .map((entry) => this.valueOf(kind, entry));
  }

  find(kind: FeatureKind, id: string): Feature | undefined {
    const entry = this.#registries.get(kind)![0].find(id);
    return entry && isOffered(entry) ? this.valueOf(kind, entry) : undefined;
  }

  registered(kind: FeatureKind): readonly RegistryEntry<Definition>[] {
    return this.#registries.get(kind)![0].entries;
  }

  /** Makes all values again, because there are rules now. */
  refresh(): void {
    for (const [kind, [registry]] of this.#registries) {
      for (const entry of registry.entries.filter(isOffered)) {
        const before = this.#values.get(entry.definition);
        this.#values.delete(entry.definition);
        this.announce({ kind, before, after: this.valueOf(kind, entry) });
      }
    }
  }

  /** Tells the listeners of a change that no registration has made: of a list that a handler makes, or of the content of a resource. */
  announce(change: FeatureChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  /** Calls `listener` with each change of the lists, and with what is announced. Returns a function that stops it. */
  onChange(listener: (change: FeatureChange) => void): () => void {
    const stops = [...this.#registries].map(([kind, [registry]]) =>
      registry.watch((key, before, after) => {
        if ((before ?? after)?.own === true) return;
        const [was, is] = [before, after].map((definition) => definition && this.valueOf(kind, { key, definition }));
        listener({ kind, before: was, after: is });
      }),
    );
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      stops.forEach((stop) => stop());
    };
  }

  /** The feature of an entry, the same until its definition changes. */
  valueOf(kind: FeatureKind, entry: GuardedEntry): Feature {
    const { key, definition } = entry;
    const known = this.#values.get(definition);
    if (known !== undefined) return known;
    const describe = this.#registries.get(kind)![1];
    const version = versionOf(kind, definition.options);
    const id = nameOf(key, version);
    const feature: Feature = {
      kind,
      id,
      options: this.#optionsOf(kind, entry),
      get listed() {
        const item = (definition as Definition).listed ?? describe(entry as RegistryEntry<never>); // of the registry that made the entry
        return version === undefined ? item : { ...item, name: id };
      },
      run: (context) => andThen(this.#nested.get(), (run) => run(context, version && key)),
    };
    this.#values.set(definition, feature);
    return feature;
  }

  /** The options of an entry, with all rules that decide on it as one. */
  #optionsOf(kind: FeatureKind, entry: GuardedEntry): FeatureOptions {
    const { features, chain, rule } = this.#server;
    const { mountRule } = entry.definition;
    const options = withLifespan(entry.definition.options, chain);
    if (options.visible === undefined && mountRule === undefined && rule() === undefined) return options;
    return { ...options, visible: (caller) => features.guard?.loaded?.permits(kind, entry, caller, chain.lifespan) === true };
  }
}

/** Whether servers that mount this one get a feature. */
function isOffered({ definition }: RegistryEntry<Definition>): boolean {
  return definition.own !== true;
}

/** The options of a resource template whose `list` runs with the lifespan of its server; others as they are. */
function withLifespan(options: ResourceTemplateOptions, chain: RequestChain): FeatureOptions {
  if (options.list === undefined) return options;
  const list = async (context: RequestContext, cursor?: string): Promise<ListedResources> => {
    const { viewFor } = await import("./nested-requests.ts");
    return options.list!(viewFor(chain, context), cursor);
  };
  return { ...options, list } as FeatureOptions;
}
