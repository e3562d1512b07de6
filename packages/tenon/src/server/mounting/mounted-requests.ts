/** Forwards a request about a mounted feature: its source knows the feature by another name, and maybe by another URI. */
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { expandUriTemplate } from "../../base/uri-template/template-expansion.ts";
import { UriTemplate } from "../../base/uri-template/uri-template.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { withUris } from "../../session/uris.ts";
import { viewOf } from "../../session/context-view.ts";
import { FEATURE_KINDS, type Selection } from "../../session/feature-filter.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { isSelected, rowOf, type Feature, type FeatureMethod, type FeatureSource } from "../features/feature-source.ts";

/** A mount: what it serves, and how its names and URIs are those that clients see. */
interface Mount {
  readonly features: FeatureSource;
  readonly options: { readonly uris?: (uri: string) => string };
  /** Whether clients see other URIs than the source writes. */
  readonly renamesUris: boolean;
  nameOf(feature: Feature): string;
  uriOf(uri: string): string;
}

/** Runs a request with a feature of a mount, and returns its result with the URIs that clients see. */
export function forward(mount: Mount, feature: Feature, context: RequestContext): MaybePromise<JsonObject> {
  const translated = (selections: readonly Selection[]): Selection[] => selections.flatMap((selection) => outside(mount, selection));
  const view = viewOf(context, {
    params: rowOf(INSIDE, context.method)(feature, context.params, mount),
    calledAs: context.calledAs ?? String(context.params["name"]),
    hide: (...selections) => context.hide(...translated(selections)),
    show: (...selections) => context.show(...translated(selections)),
  });
  return mount.renamesUris ? andThen(feature.run(view), (result) => outsideResult(mount, feature, result, context)) : feature.run(view);
}

type ToInside = (feature: Feature, params: JsonObject, mount: Mount) => JsonObject;

const named: ToInside = ({ id }, params) => ({ ...params, name: id });

/** The params as the source of the feature reads them. */
const INSIDE: Readonly<Record<FeatureMethod, ToInside>> = {
  "tools/call": named,
  "prompts/get": named,
  "resources/read": (feature, params, mount) => ({
    ...params,
    uri: feature.kind === "resource" ? feature.id : sourceUri(mount, feature, params["uri"] as string), // checked by the codec
  }),
  "completion/complete": ({ kind, id }, params) => ({
    ...params,
    ref: kind === "prompt" ? { type: "ref/prompt", name: id } : { type: "ref/resource", uri: id },
  }),
};

/** The URI of the source for a URI that matches the template that clients see. */
function sourceUri(mount: Mount, feature: Feature, uri: string): string {
  if (mount.options.uris === undefined) return uri;
  const variables = new UriTemplate(mount.nameOf(feature)).match(uri);
  return expandUriTemplate(feature.id, variables ?? {});
}

/** What a handler of the source hides or shows, by the names that clients see. */
function outside(mount: Mount, selection: Selection): Selection[] {
  const isMeant = (feature: Feature): boolean =>
    typeof selection === "string" ? feature.id === selection : isSelected(selection, feature);
  return FEATURE_KINDS.flatMap((kind) =>
    [...mount.features.entries(kind)].filter(isMeant).map((feature) => ({
      kinds: [kind],
      names: [mount.nameOf(feature)],
      ...(feature.options.version !== undefined && { version: feature.options.version }),
    })),
  );
}

/** A result whose page, contents, links and embedded resources have the URIs that clients see. */
function outsideResult(mount: Mount, feature: Feature, result: JsonObject, { params }: RequestContext): JsonObject {
  const isAsked = "contents" in result && feature.kind === "template";
  return withUris(result, (uri) => (isAsked ? (params["uri"] as string) : mount.uriOf(uri))); // checked by the codec
}
