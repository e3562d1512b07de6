/** `rename()` and `wrap()`: a live source with other names, or with middleware around each of its features. */
import { McpUsageError } from "../jsonrpc/mcp-error.ts";
import type { Middleware } from "../session/handler.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { ToolsOf, TypedServer } from "../session/tools/typed-tools.ts";
import { sourceOf, type Feature, type FeatureSource, type Mountable } from "../server/features/feature-source.ts";
import { MappedSource, renamed } from "./mapped-source.ts";

/**
 * A source whose tools and prompts have other names: those that `name` returns. Resources keep their URIs. Old names are unknown.
 * @param name returns the name of a feature, always the same for the same feature
 * @example
 * ```ts
 * import { rename } from "tenon/compose";
 * import { McpServer } from "tenon/server";
 *
 * const files = new McpServer({ name: "files", version: "1.0.0" });
 * files.tool("read", {}, () => "text");
 * const source = rename(files, ({ id }) => `file_${id}`);
 * console.log([...source.entries("tool")].map(({ id }) => id)); // [ 'file_read' ]
 * ```
 */
export function rename(subject: Mountable, name: (feature: Feature) => string): FeatureSource {
  const source = sourceOf(subject);
  const toOuter = (feature: Feature): Feature =>
    feature.kind === "tool" || feature.kind === "prompt" ? renamed(feature, name(feature)) : feature;
  return new MappedSource(source, {
    toOuter,
    findInner: (kind, id) => [...source.entries(kind)].find((feature) => toOuter(feature).id === id),
  });
}

/**
 * A source whose requests pass a middleware, beside the middleware of the server which serves it. It runs for calls, reads, prompts and completions
 * of these features only. It must pass on the context that it gets. Callers know the types of the tools as they know the types of the source.
 */
export function wrap<Source extends Mountable>(
  subject: Source,
  middleware: Middleware<RequestContext>,
): FeatureSource & TypedServer<ToolsOf<Source>> {
  const source = sourceOf(subject);
  const running = new WeakMap<RequestContext, Feature>();
  const handler = middleware((context) => {
    const feature = running.get(context);
    if (feature === undefined) throw new McpUsageError("The middleware of wrap() must pass on the context that it gets");
    return feature.run(context);
  });
  const toOuter = (feature: Feature): Feature => ({
    kind: feature.kind,
    id: feature.id,
    options: feature.options,
    get listed() {
      return feature.listed;
    },
    run(context) {
      running.set(context, feature);
      return handler(context);
    },
    origin: feature,
  });
  return new MappedSource(source, { toOuter, findInner: (kind, id) => source.find(kind, id) });
}
