/** The functions of a file that have a name, with every place that names them. */
import type { ArrowFunctionExpression, FunctionDeclaration, FunctionExpression } from "@babel/types";
import { type Node, walk } from "../source/syntax-tree.ts";
import { type Place, referencesIn, scopeIn } from "./scopes.ts";

export interface LocalFunction {
  readonly name: string;
  readonly node: ArrowFunctionExpression | FunctionDeclaration | FunctionExpression;
  /** The declaration that can be taken out as a whole. */
  readonly statement: Node;
  /** The nodes around the function. */
  readonly around: readonly Node[];
  readonly places: readonly Place[];
  /** Whether the file sees all of its calls: it is not exported, and is used by calls only. */
  readonly isKnown: boolean;
}

export function localFunctions(tree: Node): LocalFunction[] {
  const found: LocalFunction[] = [];
  walk(tree, (node, around) => {
    if (node.type === "FunctionDeclaration" && node.id)
      found.push(
        functionOf(node.id.name, node, { statement: node, around, isExported: around.at(-1)?.type.startsWith("Export") ?? false }),
      );
    if (node.type !== "VariableDeclarator" || node.id.type !== "Identifier") return;
    if (node.init?.type !== "ArrowFunctionExpression" && node.init?.type !== "FunctionExpression") return;
    const statement = around.at(-1)!; // a declarator is in a declaration
    const isExported = around.at(-2)?.type.startsWith("Export") ?? false;
    found.push(functionOf(node.id.name, node.init, { statement, around: [...around, node], isExported }));
  });
  return found;
}

/** Whether a function is `serveStdio` of 2.x, which takes what makes a server. */
export function isServed(callee: Node): boolean {
  return callee.type === "Identifier" && callee.name === "serveStdio";
}

function functionOf(
  name: string,
  node: LocalFunction["node"],
  { statement, around, isExported }: Pick<LocalFunction, "statement" | "around"> & { readonly isExported: boolean },
): LocalFunction {
  const scope = scopeIn(around);
  const places = referencesIn(scope, name, around.slice(0, around.indexOf(scope)));
  const areCalls = places.every((each) => {
    const call = each.around.at(-1);
    return call?.type === "CallExpression" && (call.callee === each.name || isServed(call.callee));
  });
  return { name, node, statement, around, places, isKnown: !isExported && areCalls };
}
