/**
 * A source of features that is another source with other features: filtered, renamed, wrapped or transformed.
 *
 * It keeps nothing of the source but a value for each feature, so that it is as live as the source. `server.mount` keeps the index.
 */
import { withName } from "../session/context-view.ts";
import { SERVED } from "../dispatch/acceptor.ts";
import type { Feature, FeatureChange, FeatureKind, FeatureSource, Mountable } from "../server/features/feature-source.ts";
import { compareVersions } from "../server/features/versions.ts";

export interface FeatureMapping {
  /** The feature after the change; undefined if it is left out. The same for the same feature. */
  toOuter(feature: Feature): Feature | undefined;
  /** The feature of the source that has this name after the change. */
  findInner(kind: FeatureKind, id: string): Feature | undefined;
}

/** Whether a value is a live set of features, and not a set of tools. */
export function isSource(value: object): value is Mountable {
  return SERVED in value || typeof (value as Partial<FeatureSource>).onFeatureChange === "function";
}

export class MappedSource implements FeatureSource {
  readonly #source: FeatureSource;
  readonly source: FeatureSource;
  readonly #mapping: FeatureMapping;
  /** What became of each feature, so that it is the same value until it changes. */
  readonly #known = new WeakMap<Feature, { readonly outer: Feature | undefined }>();
  declare readonly open?: NonNullable<FeatureSource["open"]>;
  declare readonly refresh?: NonNullable<FeatureSource["refresh"]>;
  declare readonly rootsChanged?: NonNullable<FeatureSource["rootsChanged"]>;

  constructor(source: FeatureSource, mapping: FeatureMapping) {
    this.#source = source;
    this.source = source;
    this.#mapping = mapping;
    if (source.open !== undefined) this.open = () => source.open!();
    if (source.refresh !== undefined) this.refresh = (before) => source.refresh!(before);
    if (source.rootsChanged !== undefined) this.rootsChanged = (session) => source.rootsChanged!(session);
  }

  *entries(kind: FeatureKind): Iterable<Feature> {
    for (const feature of this.#source.entries(kind)) {
      const outer = this.#outer(feature);
      if (outer !== undefined) yield outer;
    }
  }

  find(kind: FeatureKind, id: string): Feature | undefined {
    const feature = this.#mapping.findInner(kind, id);
    if (feature?.options.version !== undefined) return this.#newest(kind, id);
    const outer = feature && this.#outer(feature);
    return outer?.id === id ? outer : undefined;
  }

  /** The newest version that is not left out. */
  #newest(kind: FeatureKind, id: string): Feature | undefined {
    const versions = [...this.entries(kind)].filter((feature) => feature.id === id);
    return versions.sort((a, b) => compareVersions(b.options.version ?? "", a.options.version ?? ""))[0];
  }

  onFeatureChange(listener: (change: FeatureChange) => void): () => void {
    return this.#source.onFeatureChange((change) => {
      const { kind, before, after, uri } = change;
      if (uri !== undefined) return this.#isLeftOut(uri) ? undefined : listener(change);
      const [was, is] = [before && this.#outer(before), after && this.#outer(after)];
      const isUnnamed = before === undefined && after === undefined;
      if (isUnnamed || was !== undefined || is !== undefined) listener({ kind, before: was, after: is });
    });
  }

  #isLeftOut(uri: string): boolean {
    const resource = this.#source.find("resource", uri);
    return resource !== undefined && this.#outer(resource) === undefined;
  }

  #outer(feature: Feature): Feature | undefined {
    let known = this.#known.get(feature);
    if (known === undefined) {
      known = { outer: this.#mapping.toOuter(feature) };
      this.#known.set(feature, known);
    }
    return known.outer;
  }
}

/** The feature under another name. Its handler gets its own name. */
export function renamed(feature: Feature, id: string): Feature {
  if (feature.id === id) return feature;
  return {
    kind: feature.kind,
    id,
    options: feature.options,
    get listed() {
      return { ...feature.listed, name: id };
    },
    run: (context) => feature.run(withName(context, feature.id)),
    origin: feature,
  };
}
