/**
 * Which names mean the same thing: the places that refer to what one scope binds.
 *
 * A name that an inner scope binds anew means something else there. `var` counts where it is written, as `let` does.
 */
import { type Node, walk } from "../source/syntax-tree.ts";

/** A name, or `this.name`, where it is used. */
export interface Place {
  readonly name: Node;
  /** The nodes around it, outermost first. */
  readonly around: readonly Node[];
}

export function isFunction(node: Node): boolean {
  return /Function(?:Expression|Declaration)$|^(?:Object|Class|ClassPrivate)Method$/.test(node.type);
}

function isScope(node: Node): boolean {
  return isFunction(node) || /^(?:Program|BlockStatement|StaticBlock|CatchClause|SwitchStatement|For(?:In|Of)?Statement)$/.test(node.type);
}

export function scopeIn(around: readonly Node[]): Node {
  return around.findLast(isScope) ?? around[0]!; // the outermost node is the file
}

/** The names that a pattern binds: `a`, `{ a, b: c }`, `[a]`, `a = 1`, `...a`. */
export function namesOf(pattern: Node): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((each) => namesOf(each.type === "ObjectProperty" ? each.value : each));
    case "ArrayPattern":
      return pattern.elements.flatMap((each) => (each === null ? [] : namesOf(each)));
    case "AssignmentPattern":
      return namesOf(pattern.left);
    case "RestElement":
      return namesOf(pattern.argument);
    case "TSParameterProperty":
      return namesOf(pattern.parameter);
    default:
      return [];
  }
}

function declaredBy(node: Node): string[] {
  if ((node.type === "ExportNamedDeclaration" || node.type === "ExportDefaultDeclaration") && node.declaration)
    return declaredBy(node.declaration);
  if (node.type === "VariableDeclaration") return node.declarations.flatMap(({ id }) => namesOf(id));
  if (node.type === "ImportDeclaration") return node.specifiers.map(({ local }) => local.name);
  return (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") && node.id ? [node.id.name] : [];
}

function boundIn(scope: Node): string[] {
  const own = scope.type === "FunctionExpression" && scope.id ? [scope.id.name] : [];
  if ("params" in scope && Array.isArray(scope.params)) return [...own, ...(scope.params as Node[]).flatMap(namesOf)]; // parameters are patterns
  if (scope.type === "CatchClause") return scope.param ? namesOf(scope.param) : [];
  if (scope.type === "ForStatement") return scope.init ? declaredBy(scope.init) : [];
  if (scope.type === "ForInStatement" || scope.type === "ForOfStatement") return declaredBy(scope.left);
  if (scope.type === "SwitchStatement") return scope.cases.flatMap(({ consequent }) => consequent.flatMap(declaredBy));
  return "body" in scope && Array.isArray(scope.body) ? (scope.body as Node[]).flatMap(declaredBy) : []; // statements
}

/** The places that refer to what `scope` binds under a name. @param around the nodes around the scope */
export function referencesIn(scope: Node, name: string, around: readonly Node[]): Place[] {
  const places: Place[] = [];
  walk(
    scope,
    (node, outer) => {
      if (node !== scope && isScope(node) && boundIn(node).includes(name)) return false;
      if (node.type === "Identifier" && node.name === name && isReference(node, outer.at(-1))) places.push({ name: node, around: outer });
      return undefined;
    },
    around,
  );
  return places;
}

/** Whether a name is read or written there, and is neither declared nor the name of a member. */
export function isReference(node: Node, parent: Node | undefined): boolean {
  if (parent === undefined) return true;
  if (/^(?:Import|Labeled|Break|Continue|TS(?:Type|Property|Method|Qualified|Interface|Enum|Parameter|Expression))/.test(parent.type))
    return false;
  if ("property" in parent && parent.property === node) return "computed" in parent && parent.computed;
  if ("key" in parent && parent.key === node) return "computed" in parent && (parent.computed ?? false);
  if ("id" in parent && parent.id === node) return false;
  return !("params" in parent && Array.isArray(parent.params) && (parent.params as unknown[]).includes(node)); // a list of nodes
}

export type Range = Pick<Node, "start" | "end">;

/** Whether a stretch lies within another. */
export function isWithin(node: Range, { start, end }: Range): boolean {
  return node.start! >= start! && node.end! <= end!; // nodes of a parsed file have their places
}
