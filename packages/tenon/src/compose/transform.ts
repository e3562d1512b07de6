/** `transform()`: changes of one tool, or of tools of a set. `transform-tool.ts` makes them. */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { AnySchema } from "../schema/standard-schema.ts";
import type { ToolDefinition, ToolSet } from "../server/features/tool.ts";
import type { ToolOutput } from "../server/features/tools.ts";
import { sourceOf, type FeatureSource, type Mountable } from "../server/features/feature-source.ts";
import type { RequestContext } from "../session/request-context.ts";
import { isSource, MappedSource } from "./mapped-source.ts";
import { assertToolChange, transformFeature } from "./transform-feature.ts";
import { transformTool, type ToolChange } from "./transform-tool.ts";
import type {
  ArgumentChange,
  ArgumentChanges,
  ArgumentsAfter,
  DataAfter,
  KnownChanges,
  SetAfter,
  SetChanges,
  TransformOptions,
} from "./types.ts";

/**
 * A tool with other arguments, another description or another result. The original does not change.
 *
 * A renamed argument is known by its new name only, a pinned one is not known at all. The schema that clients see is rewritten once, here.
 * @throws TypeError if an argument does not exist, if two get the same name, or if the schema names a changed argument elsewhere than in
 * the root's `properties`, `required` and `dependentRequired`: inside a `$ref`, or in a `oneOf` of the root. The error has the path
 * @example
 * ```ts
 * import { connect } from "tenon/client";
 * import { transform } from "tenon/compose";
 * import { McpServer, tool } from "tenon/server";
 * import * as z from "zod";
 *
 * const search = tool({ input: z.object({ q: z.string(), key: z.string() }) }, ({ q, key }) => `${q} with ${key}`);
 * const find = transform(search, { arguments: { q: { name: "query" }, key: { pin: "secret" } } });
 * const server = new McpServer({ name: "office", version: "1.0.0" }, { tools: { find } });
 * await using client = await connect(server);
 * console.log(await client.call.find({ query: "cats" })); // cats with secret
 * ```
 */
export function transform<
  Args,
  Data,
  Lifespan,
  // oxlint-disable-next-line typescript/no-empty-object-type -- no changes
  const Changes extends ArgumentChanges<Args> = {},
  const Output extends AnySchema | undefined = undefined,
  Returned extends ToolOutput<Output> = never,
>(
  tool: ToolDefinition<Args, Data, Lifespan>,
  options: TransformOptions<Args, Data, Changes, Output, Returned>,
): ToolDefinition<ArgumentsAfter<Args, Changes>, DataAfter<Data, Output, Returned>, Lifespan>;
/**
 * A set of tools of which some are changed, by name: as for one tool, and `name` is the tool's new name. The other tools stay.
 * @throws TypeError as for one tool; and if a tool does not exist, or two get the same name
 */
export function transform<Tools extends ToolSet, const Changes extends SetChanges<Tools>>(
  tools: Tools,
  changes: Changes & KnownChanges<Tools, Changes>,
): SetAfter<Tools, Changes>;
/**
 * A server or a group, some of whose tools are changed, by name. It is live: tools that come later are changed too. Arguments are checked
 * by the changed schema first, and then by the source.
 * @throws TypeError if an option does not exist, or contradicts another. If the schema of a tool does not allow its changes, what lists or
 * mounts the source throws
 */
export function transform(source: Mountable, changes: SourceChanges): FeatureSource;
export function transform(subject: ToolDefinition | ToolSet | Mountable, changes: object): unknown {
  if (isSource(subject)) return transformSource(sourceOf(subject), changes as SourceChanges);
  return isTool(subject) ? transformTool(subject, changes, "transform()") : transformSet(subject, changes as Record<string, ToolChange>);
}

/** The changes of tools of a live source, by their names. Nothing of it is typed, because its tools are known when it runs. */
export interface SourceChanges {
  /** The changes of a tool, and its new name. */
  readonly [name: string]: SourceChange;
}

/** The changes of one tool of a live source. */
export interface SourceChange {
  /** The name of the tool. Default: the name stays. */
  readonly name?: string;
  /** The name that users see. Default: the old title. */
  readonly title?: string;
  /** What the tool does and when to use it, for the model. Default: the old description. */
  readonly describe?: string;
  /** Changes of arguments by their names. Default: the arguments stay. */
  readonly arguments?: { readonly [name: string]: ArgumentChange<string | number | boolean | null | readonly unknown[] | JsonObject> };
  /** Makes the result from the tool's data: its structured content, or its text if it has none. Default: the result stays. */
  readonly result?: (data: never, context: RequestContext) => unknown;
  /** The schema of what `result` returns. Default: the tool's own schema, or none if there is a `result`. */
  readonly output?: AnySchema;
}

const what = (id: string): string => `transform() of tool "${id}"`;

function transformSource(source: FeatureSource, changes: SourceChanges): FeatureSource {
  for (const [id, change] of Object.entries(changes)) assertToolChange(change, what(id));
  const own = (id: string): SourceChange | undefined => (Object.hasOwn(changes, id) ? changes[id] : undefined);
  const oldNames = new Map(Object.entries(changes).map(([id, { name = id }]) => [name, id]));
  return new MappedSource(source, {
    toOuter: (feature) => {
      const change = feature.kind === "tool" ? own(feature.id) : undefined;
      return change === undefined ? feature : transformFeature(feature, change, what(feature.id));
    },
    findInner: (kind, id) => source.find(kind, kind === "tool" ? (oldNames.get(id) ?? id) : id),
  });
}

function isTool(subject: ToolDefinition | ToolSet): subject is ToolDefinition {
  return typeof (subject as Partial<ToolDefinition>).handler === "function";
}

function transformSet(tools: ToolSet, changes: Readonly<Record<string, ToolChange>>): ToolSet {
  const unknown = Object.keys(changes).find((name) => !Object.hasOwn(tools, name));
  if (unknown !== undefined)
    throw new TypeError(`transform(): there is no tool "${unknown}". There are: ${Object.keys(tools).join(", ")}.`);
  const after = new Map<string, ToolDefinition>();
  for (const [old, tool] of Object.entries(tools)) {
    const { name = old, ...change } = Object.hasOwn(changes, old) ? changes[old]! : {};
    if (after.has(name)) throw new TypeError(`transform(): two tools would have the name "${name}"`);
    after.set(name, Object.keys(change).length === 0 ? tool : transformTool(tool, change, `transform() of tool "${old}"`));
  }
  return Object.fromEntries(after);
}
