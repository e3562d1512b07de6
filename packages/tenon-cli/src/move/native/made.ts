/** Where a file makes its servers: `new McpServer(info, options)` with what Tenon knows of the options. */
import type { Splice } from "../../hosts/file-edit.ts";
import { officialName } from "../source/imports.ts";
import { type Node, walk } from "../source/syntax-tree.ts";
import { insertAt, keyOf, replace, type Source, textOf } from "./pieces.ts";
import type { ServerVariable } from "./server-variable.ts";

/** Capabilities that Tenon finds out by itself. */
const DERIVED = new Set(["logging", "tools", "resources", "prompts", "completions"]);

interface More {
  readonly options: readonly string[];
  readonly handles: boolean;
}

/** Whether Tenon has all options of a server. */
export function isMade(source: Source, server: ServerVariable): boolean {
  return server.made === undefined || madeSplices(source, server, { options: [], handles: true }) !== undefined;
}

/**
 * The options of a server as Tenon has them; undefined if it has nothing of the kind.
 * @param more options that the file sets otherwise, and whether handlers of methods are set: what they serve must be declared
 */
export function madeSplices(source: Source, { made, official }: ServerVariable, more: More): Splice[] | undefined {
  const [info, options] = made?.arguments ?? [];
  if (made === undefined || info === undefined || (options !== undefined && options.type !== "ObjectExpression")) return undefined;
  const members: string[] = [];
  for (const property of options?.properties ?? []) {
    if (property.type !== "ObjectProperty") return undefined;
    const key = keyOf(property.key);
    if (key === "instructions") members.push(textOf(source, property));
    else if (key !== "capabilities" || !isKnown(property.value)) return undefined;
    else if (official === "Server" && more.handles) members.push(textOf(source, property));
  }
  const all = [...members, ...more.options];
  const name = official === "Server" ? [replace(made.callee, "McpServer")] : [];
  if (options === undefined) return [...name, ...(all.length === 0 ? [] : [insertAt(info.end!, `, { ${all.join(", ")} }`)])]; // it has its place
  if (all.length > 0) return [...name, replace(options, `{ ${all.join(", ")} }`)];
  return [...name, { offset: info.end!, length: options.end! - info.end!, text: "" }]; // they have their places
}

function isKnown(capabilities: Node): boolean {
  return (
    capabilities.type === "ObjectExpression" &&
    capabilities.properties.every((each) => each.type === "ObjectProperty" && DERIVED.has(keyOf(each.key) ?? ""))
  );
}

/** The types that name a low-level server. */
export function typeSplices({ imports }: Source, tree: Node): Splice[] {
  const splices: Splice[] = [];
  walk(tree, (node) => {
    if (node.type === "TSTypeReference" && node.typeName.type === "Identifier" && officialName(node.typeName, imports) === "Server")
      splices.push(replace(node.typeName, "McpServer"));
  });
  return splices;
}
