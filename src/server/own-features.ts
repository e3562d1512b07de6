/**
 * A server as a source of features: what it has registered, as values, and each change of it.
 *
 * A feature runs inside the middleware of its server and with its lifespan. That part is loaded with the first request
 * (`nested-requests.ts`), because most servers are sources of nothing.
 */
import { Late } from "../base/late.ts";
import { andThen } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Feature, FeatureChange, FeatureKind } from "./feature-source.ts";
import type { Features } from "./features.ts";
import { describePrompt } from "./prompts.ts";
import type { Definition, Entry, Registry } from "./registry.ts";
import type { RequestChain } from "./request-chain.ts";
import { describeResource, describeTemplate } from "./resources.ts";
import { describeTool } from "./tools.ts";

export class OwnFeatures {
  readonly #registries: ReadonlyMap<FeatureKind, readonly [Registry<Definition>, (entry: Entry<never>) => JsonObject]>;
  readonly #nested: Late<(context: Parameters<Feature["run"]>[0]) => ReturnType<Feature["run"]>>;
  /** The feature of each definition, so that a feature is the same value until it changes. */
  readonly #values = new WeakMap<Definition, Feature>();

  constructor({ tools, resources, templates, prompts }: Features, chain: RequestChain) {
    this.#registries = new Map<FeatureKind, [Registry<Definition>, (entry: Entry<never>) => JsonObject]>([
      ["tool", [tools, describeTool]],
      ["resource", [resources, describeResource]],
      ["template", [templates, describeTemplate]],
      ["prompt", [prompts, describePrompt]],
    ]);
    this.#nested = new Late(async () => (await import("./nested-requests.ts")).nestedHandler(chain));
  }

  /** The enabled features of a kind, in order. */
  entries(kind: FeatureKind): Feature[] {
    return this.#registries.get(kind)![0].entries.map((entry) => this.#valueOf(kind, entry));
  }

  find(kind: FeatureKind, id: string): Feature | undefined {
    const entry = this.#registries.get(kind)![0].find(id);
    return entry && this.#valueOf(kind, entry);
  }

  /** Calls `listener` with each change of the lists. */
  onChange(listener: (change: FeatureChange) => void): () => void {
    const stops = [...this.#registries].map(([kind, [registry]]) =>
      registry.watch((key, before, after) => {
        const [was, is] = [before, after].map(
          (definition) => definition && this.#valueOf(kind, { key, ordinal: 0, definition, enabled: true }),
        );
        listener({ kind, before: was, after: is });
      }),
    );
    return () => stops.forEach((stop) => stop());
  }

  #valueOf(kind: FeatureKind, entry: Entry<Definition>): Feature {
    const known = this.#values.get(entry.definition);
    if (known !== undefined) return known;
    const describe = this.#registries.get(kind)![1];
    const { options } = entry.definition;
    const feature: Feature = {
      kind,
      id: entry.key,
      options,
      get listed() {
        return describe(entry as Entry<never>); // of the registry that made the entry
      },
      run: (context) => andThen(this.#nested.get(), (run) => run(context)),
    };
    this.#values.set(entry.definition, feature);
    return feature;
  }
}
