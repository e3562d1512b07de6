/**
 * The usual low-level server: a list of tools, and a `switch` over their names. Each tool of it is registered by itself.
 *
 * It is taken apart only if the list and the switch have the same names, and each case ends by itself. Tenon checks the arguments against
 * the schema of the list before the case runs, and answers unknown names itself.
 */
import type { ObjectPattern, Statement, SwitchCase, SwitchStatement } from "@babel/types";
import type { Splice } from "../../hosts/file-edit.ts";
import { memberName, type Node, walk } from "../source/syntax-tree.ts";
import { memberSplices, spliced, type Written } from "./handlers.ts";
import { listedTools, nameOf, optionsText } from "./listed-tools.ts";
import { dedented, indentAt, keyOf, replace, type Source } from "./pieces.ts";
import { isReference } from "./scopes.ts";
import { thrownSplices } from "./thrown-errors.ts";

/** The registrations without their receiver: `tool("add", { … }, (args) => { … })`; undefined if it is not of this shape. */
export function switchTools(source: Source, list: Written, call: Written): string[] | undefined {
  const tools = listedTools(source.tree, list);
  const parts = callParts(call);
  if (tools === undefined || parts === undefined) return undefined;
  const cases = parts.cases.filter(({ test }) => test);
  const names = cases.map(({ test }) => (test?.type === "StringLiteral" ? test.value : ""));
  if (tools.length !== names.length || !names.every((name) => tools.some((tool) => nameOf(tool.object) === name))) return undefined;
  const texts = cases.map((each, index) => {
    const tool = tools.find(({ object }) => nameOf(object) === names[index])!; // each has one
    const options = optionsText(source, tool);
    const handler = caseText(source, each, parts, indentAt(source.text, call.start!)); // it has its place
    return options === undefined || handler === undefined ? undefined : `tool(${JSON.stringify(names[index])}, ${options}, ${handler})`;
  });
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

interface CallParts {
  readonly request: string;
  readonly extra: string | undefined;
  /** The local names of the tool's name and of its arguments. */
  readonly name: string | undefined;
  readonly args: string;
  readonly cases: readonly SwitchCase[];
}

function callParts({ body, params }: Written): CallParts | undefined {
  const [request, extra] = params;
  if (body.type !== "BlockStatement" || request?.type !== "Identifier" || (extra !== undefined && extra.type !== "Identifier"))
    return undefined;
  const names: { name?: string; args?: string } = {};
  let found: SwitchStatement | undefined;
  for (const statement of body.body) {
    if (statement.type === "SwitchStatement" && found === undefined) found = statement;
    else if (
      found === undefined ? !readsParams(statement, request.name, names) && !isGuard(statement) : statement.type !== "ThrowStatement"
    )
      return undefined;
  }
  const on = found?.discriminant;
  const isByName = on?.type === "Identifier" ? on.name === names.name : on !== undefined && pathOf(on) === `${request.name}.params.name`;
  if (found === undefined || !isByName) return undefined;
  return { request: request.name, extra: extra?.name, name: names.name, args: names.args ?? "args", cases: found.cases };
}

/** `request.params.name` as text, without `?` and `!`. */
function pathOf(node: Node): string | undefined {
  if (node.type === "Identifier") return node.name;
  if (node.type === "TSNonNullExpression") return pathOf(node.expression);
  const member = memberName(node);
  const object = member !== undefined && "object" in node && node.object ? pathOf(node.object) : undefined;
  return object === undefined ? undefined : `${object}.${member}`;
}

/** Whether a statement only gives names to parts of the params. */
function readsParams(statement: Statement, request: string, names: { name?: string; args?: string }): boolean {
  if (statement.type !== "VariableDeclaration") return false;
  return statement.declarations.every(({ id, init }) => {
    const path = init ? pathOf(init) : undefined;
    if (id.type === "ObjectPattern") return path === `${request}.params` && readsPattern(id, names);
    if (id.type !== "Identifier") return false;
    if (path === `${request}.params.name`) names.name = id.name;
    else if (path === `${request}.params.arguments`) names.args = id.name;
    else return false;
    return true;
  });
}

function readsPattern({ properties }: ObjectPattern, names: { name?: string; args?: string }): boolean {
  return properties.every((property) => {
    if (property.type !== "ObjectProperty") return false;
    const value = property.value.type === "AssignmentPattern" ? property.value.left : property.value;
    if (value.type !== "Identifier") return false;
    const key = keyOf(property.key);
    if (key === "name") names.name = value.name;
    else if (key === "arguments") names.args = value.name;
    else return false;
    return true;
  });
}

/** `if (!args) throw …`: Tenon always gives an object. */
function isGuard(statement: Statement): boolean {
  if (
    statement.type !== "IfStatement" ||
    statement.alternate ||
    statement.test.type !== "UnaryExpression" ||
    statement.test.operator !== "!"
  )
    return false;
  const path = pathOf(statement.test.argument);
  return path !== undefined && /^args$|arguments$/.test(path) && endsIn(statement.consequent);
}

function endsIn(statement: Node | undefined): boolean {
  if (statement?.type === "BlockStatement") return endsIn(statement.body.at(-1));
  return statement?.type === "ReturnStatement" || statement?.type === "ThrowStatement";
}

/** One case as a handler; undefined if it needs more than the arguments, or does not end by itself. */
function caseText(source: Source, { consequent }: SwitchCase, parts: CallParts, indent: string): string | undefined {
  const [first, more] = consequent;
  if (first === undefined || !endsIn(consequent.at(-1)) || !consequent.every((each) => standsAlone(each, parts))) return undefined;
  const { args, extra } = parts;
  const inside = consequent.map((each) => spliced(source, each, caseSplices(source, each, parts)));
  const usesExtra = extra !== undefined && consequent.some((each) => mentions(each, extra));
  const isBlock = more === undefined && first.type === "BlockStatement";
  const body = isBlock
    ? dedented(inside[0]!, indent)
    : `{\n${inside.map((each) => `${indent}  ${dedented(each, `${indent}  `)}`).join("\n")}\n${indent}}`;
  return `async (${args}${usesExtra ? `, ${extra}` : ""}) => ${body}`;
}

/** Whether a statement of a case uses nothing of the request but its arguments, and does not leave the switch. */
function standsAlone(statement: Node, { request, name }: CallParts): boolean {
  let isAlone = true;
  walk(statement, (node, around) => {
    if (pathOf(node) === `${request}.params.arguments`) return false;
    const uses = node.type === "Identifier" && (node.name === request || node.name === name) && isReference(node, around.at(-1));
    if (node.type === "BreakStatement" || uses) isAlone = false;
    return undefined;
  });
  return isAlone;
}

function caseSplices(source: Source, statement: Node, { request, extra, args }: CallParts): Splice[] {
  const splices = thrownSplices(source, statement, "request");
  walk(statement, (node) => {
    if (pathOf(node) !== `${request}.params.arguments`) return undefined;
    splices.push(replace(node, args));
    return false;
  });
  return extra === undefined ? splices : [...splices, ...memberSplices(statement, extra)];
}

function mentions(node: Node, name: string): boolean {
  let found = false;
  walk(node, (each) => {
    if (each.type === "Identifier" && each.name === name) found = true;
  });
  return found;
}
