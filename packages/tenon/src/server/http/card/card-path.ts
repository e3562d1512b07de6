/** The paths of the card and the catalog, which are served before the endpoint's own: a GET of the endpoint itself opens a stream. */
import { pathOf } from "../endpoint/authorization-gate.ts";
import type { ServerCardOptions } from "./options.ts";

/** Which document a URL asks for: the card, on every path that ends with its name, or the catalog. */
export function cardAt(url: string, { catalog = false }: ServerCardOptions): "card" | "catalog" | undefined {
  if (!/server-card|ai-catalog/.test(url)) return undefined;
  const path = pathOf(url);
  if (catalog && path === "/.well-known/ai-catalog.json") return "catalog";
  return path.endsWith("/server-card") ? "card" : undefined;
}
