/**
 * A group as a source of features, so that a server can mount it: each component is a feature under its name in the group; resources and
 * templates have their servers' own URIs. A request goes to the server that has the component, as a call of the group does.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { CompleteRequestParams } from "../../protocol/prompts.ts";
import {
  rowOf,
  type Feature,
  type FeatureChange,
  type FeatureKind,
  type FeatureMethod,
  type FeatureSource,
} from "../../server/features/feature-source.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { relayOf } from "../../session/asking/questions/question-relay.ts";
import type { CallOptions } from "../../client/call/outgoing-request.ts";
import type { GroupEvents } from "../group-events.ts";
import type { GroupCalls } from "./group-calls.ts";
import type { Catalog } from "./catalog.ts";
import { isMadeUri, isView } from "../../session/uris.ts";
import { KIND_ROWS, KINDS } from "../../upstream/listing.ts";
import { outsideUri } from "./outside-uris.ts";

export class GroupFeatures implements FeatureSource {
  readonly #catalog: Catalog<{ readonly name: string }>;
  readonly #calls: GroupCalls;
  readonly #events: GroupEvents;
  /** The feature of each component, so that a feature is the same value until its server lists it anew. */
  readonly #values = new WeakMap<object, Feature>();

  constructor(catalog: Catalog<{ readonly name: string }>, calls: GroupCalls, events: GroupEvents) {
    this.#catalog = catalog;
    this.#calls = calls;
    this.#events = events;
  }

  entries(kind: FeatureKind): Iterable<Feature> {
    return this.#all(kind).values();
  }

  find(kind: FeatureKind, id: string): Feature | undefined {
    return this.#all(kind).get(id);
  }

  onFeatureChange(listener: (change: FeatureChange) => void): () => void {
    const known = new Map(KINDS.map((kind) => [kind, this.#all(kind)]));
    return this.#events.subscribe((change) => {
      if (change.kind === "resource") return listener({ kind: "resource", uri: change.uri });
      if (change.kind !== "list") return;
      for (const kind of KINDS) {
        const [before, after] = [known.get(kind)!, this.#all(kind)];
        known.set(kind, after);
        for (const id of new Set([...before.keys(), ...after.keys()])) {
          if (before.get(id) !== after.get(id)) listener({ kind, before: before.get(id), after: after.get(id) });
        }
      }
    });
  }

  /** All of a kind by their ids. If several servers have one URI, the first server's wins, except views and skills, which get aliases. */
  #all(kind: FeatureKind): ReadonlyMap<string, Feature> {
    const features = new Map<string, Feature>();
    const idOf = this.#ids(kind);
    for (const [name, component] of this.#catalog.view(kind)) {
      const id = idOf(component) ?? name;
      const known = this.#values.get(component);
      const feature = known?.id === id ? known : this.#valueOf(kind, { name, id, component });
      this.#values.set(component, feature);
      if (!features.has(id)) features.set(id, feature);
    }
    return features;
  }

  /** The URIs of the resources or templates as ids; undefined for what has a name. */
  #ids(kind: FeatureKind): (component: object) => string | undefined {
    if (kind === "tool" || kind === "prompt") return () => undefined;
    const owners = new Map<object, string>();
    const times = new Map<string, number>();
    for (const { owner, component } of this.#catalog.shown(kind)) {
      owners.set(component, owner.name);
      times.set(uriOf(component), (times.get(uriOf(component)) ?? 0) + 1);
    }
    return (component) => {
      const uri = uriOf(component);
      const isShared = isMadeUri(uri) && (isView(uri) || times.get(uri)! > 1); // it was counted
      return isShared ? outsideUri(owners.get(component)!, uri) : uri; // each is shown by its owner
    };
  }

  #valueOf(kind: FeatureKind, { name, id, component }: { name: string; id: string; component: object }): Feature {
    const { title, description, inputSchema } = component as Readonly<Record<string, string>>; // those that its kind has
    const isNamed = kind === "tool" || kind === "prompt";
    const options = {
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(kind === "tool" && { input: inputSchema as unknown as JsonObject }),
      ...((kind === "prompt" || kind === "template") && { complete: {} }),
    };
    return {
      kind,
      id,
      options,
      listed: { ...component, ...(isNamed ? { name } : { [KIND_ROWS[kind].id]: id }) },
      run: (context) => run(this.#calls, name, context),
    };
  }
}

/** A resource has a URI, a template its template. */
function uriOf(component: object): string {
  const { uri, uriTemplate } = component as Readonly<Record<string, string>>; // those that its kind has
  return (uri ?? uriTemplate)!;
}

/** Sends a request about a component to its server. */
async function run(calls: GroupCalls, name: string, context: RequestContext): Promise<JsonObject> {
  const { method, params, signal, meta } = context;
  const options: CallOptions = {
    signal,
    relay: relayOf(context),
    ...(meta.progressToken !== undefined && {
      onProgress: ({ progress, total, message }) => void context.progress(progress, total, message),
    }),
  };
  const args = params["arguments"] as { [name: string]: string }; // checked by the codec
  const { ref, argument, context: values } = params as unknown as CompleteRequestParams;
  const sending: Readonly<Record<FeatureMethod, () => Promise<object>>> = {
    "tools/call": () => calls.tool(name, args, { ...options, validateOutput: false }),
    "prompts/get": () => calls.prompt(name, args, options),
    "resources/read": () => calls.resource(params["uri"] as string, options),
    "completion/complete": () => calls.complete({ ref, argument, ...(values && { context: values }) }, options),
  };
  return { ...(await rowOf(sending, method)()) };
}
