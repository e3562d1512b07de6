/** Finds what is listed under a URI by another spelling of it: with a fragment, or in another form, as clients write it that parse URIs. */
import { normalUri } from "./normal-uri.ts";
import { withoutFragment } from "./uri-template.ts";

/** What is listed, by its URI as it was written. */
export interface ListedUris<Item> {
  find(uri: string): Item | undefined;
  /** What is listed under a URI that is not in its normal form, by the normal form. */
  spelled(): ReadonlyMap<string, Item>;
}

/** The normal form of a URI without its fragment: one text for all that a server may take as the same URI. */
export function plainUri(uri: string): string {
  return normalUri(withoutFragment(uri));
}

export function findSpelled<Item>(listed: ListedUris<Item>, uri: string): Item | undefined {
  const plain = withoutFragment(uri);
  const found = plain === uri ? undefined : listed.find(plain);
  if (found !== undefined) return found;
  const normal = normalUri(plain);
  return listed.spelled().get(normal) ?? listed.find(normal);
}

/** The items whose URI is not in its normal form, by that form. The first of two that are equal then. */
export function byNormalUri<Item>(items: readonly Item[], uriOf: (item: Item) => string): ReadonlyMap<string, Item> {
  const spelled = new Map<string, Item>();
  for (const item of items) addSpelled(spelled, uriOf(item), item);
  return spelled;
}

/** Adds one item to the map that {@link byNormalUri} makes. */
export function addSpelled<Item>(spelled: Map<string, Item>, uri: string, item: Item): void {
  const normal = normalUri(uri);
  if (normal !== uri && !spelled.has(normal)) spelled.set(normal, item);
}
