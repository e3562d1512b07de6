/**
 * The syntax tree of a source file, in TypeScript or JavaScript.
 *
 * The parser goes on after an error, because a file need not compile to be looked at. It is not the compiler's: from release 7 on the
 * compiler has none that runs in this process.
 */
import { parse, type ParserPlugin } from "@babel/parser";
import type { File, Node } from "@babel/types";

export type { Node } from "@babel/types";

/** The tree of a file. @throws SyntaxError if nothing can be made of the text */
export function treeOf(text: string, path: string): File {
  const typed = /\.[cm]?tsx?$/.test(path);
  const plugins: ParserPlugin[] = [
    ...(typed ? (["typescript"] as const) : []),
    ...(/\.(?:jsx|tsx|js)$/.test(path) ? (["jsx"] as const) : []),
    "decorators-legacy",
    "explicitResourceManagement",
  ];
  return parse(text, {
    sourceType: "unambiguous",
    errorRecovery: true,
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    allowImportExportEverywhere: true,
    allowSuperOutsideMethod: true,
    allowUndeclaredExports: true,
    plugins,
  });
}

/** Calls `visit` with each node below `node` and the nodes around it, outermost first. Children are left out if it returns false. */
export function walk(node: Node, visit: (node: Node, around: readonly Node[]) => boolean | void, around: readonly Node[] = []): void {
  if (visit(node, around) === false) return;
  const inside = [...around, node];
  for (const child of childrenOf(node)) walk(child, visit, inside);
}

/** The nodes directly below one, in the order of its members. */
function childrenOf(node: Node): Node[] {
  return Object.entries(node).flatMap(([name, value]: [string, unknown]) => {
    if (name.endsWith("omments") || name === "loc" || name === "extra") return [];
    return (Array.isArray(value) ? value : [value]).filter(isNode);
  });
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string" && "start" in value;
}

/** The name of a member that is read by its name: `a.b` and `a["b"]` give "b". */
export function memberName(node: Node): string | undefined {
  if (node.type !== "MemberExpression" && node.type !== "OptionalMemberExpression") return undefined;
  const { property, computed } = node;
  if (!computed) return property.type === "Identifier" ? property.name : undefined;
  return property.type === "StringLiteral" ? property.value : undefined;
}
