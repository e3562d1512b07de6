/** The variables of a file that hold an official `McpServer`, and every place that names them. */
import type { CallExpression, Identifier, NewExpression } from "@babel/types";
import { type Imports, officialName } from "../source/imports.ts";
import { type Node, walk } from "../source/syntax-tree.ts";

export interface Place {
  readonly name: Identifier;
  /** The nodes around it, outermost first. */
  readonly around: readonly Node[];
}

export interface ServerVariable {
  readonly name: string;
  readonly made: NewExpression;
  readonly places: readonly Place[];
  /** Whether other files may use it. */
  readonly isExported: boolean;
}

/** Variables that one `const` gives their value, each with the places that name it. A name that is bound twice is left out. */
export function variablesOf(tree: Node, imports: Imports, official: string): ServerVariable[] {
  const found: Omit<ServerVariable, "places">[] = [];
  const bound = new Map<string, number>();
  walk(tree, (node, around) => {
    for (const name of boundBy(node)) bound.set(name, (bound.get(name) ?? 0) + 1);
    if (node.type !== "VariableDeclarator" || node.id.type !== "Identifier" || node.init?.type !== "NewExpression") return;
    if (officialName(node.init.callee, imports) !== official) return;
    found.push({ name: node.id.name, made: node.init, isExported: around.at(-2)?.type === "ExportNamedDeclaration" });
  });
  return found.filter(({ name }) => bound.get(name) === 1).map((each) => ({ ...each, places: placesOf(tree, each.name) }));
}

/** The names that a node binds. */
function boundBy(node: Node): string[] {
  if (node.type === "VariableDeclarator") return node.id.type === "Identifier" ? [node.id.name] : [];
  if (!("params" in node) || !Array.isArray(node.params)) return [];
  return (node.params as readonly Node[]).flatMap((parameter) => (parameter.type === "Identifier" ? [parameter.name] : [])); // parameters are nodes
}

function placesOf(tree: Node, name: string): Place[] {
  const places: Place[] = [];
  walk(tree, (node, around) => {
    const parent = around.at(-1);
    if (node.type !== "Identifier" || node.name !== name || parent === undefined) return;
    if (parent.type === "VariableDeclarator" && parent.id === node) return;
    if ("property" in parent && parent.property === node && !("computed" in parent && parent.computed)) return;
    if (parent.type === "ObjectProperty" && parent.key === node && !parent.shorthand) return;
    places.push({ name: node, around });
  });
  return places;
}

/** The call of a method on the variable: `server.tool(…)`. */
export function callAt({ name, around }: Place): { method: string; call: CallExpression } | undefined {
  const [call, member] = [around.at(-2), around.at(-1)];
  if (member?.type !== "MemberExpression" || member.object !== name || member.property.type !== "Identifier") return undefined;
  return call?.type === "CallExpression" && call.callee === member ? { method: member.property.name, call } : undefined;
}
