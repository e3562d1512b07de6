/** The official servers of a file, and every place that names them: variables, fields of classes, parameters, and what a function makes. */
import type { Identifier, ClassBody } from "@babel/types";
import { type Imports, officialName } from "../source/imports.ts";
import { type Node, walk, memberName } from "../source/syntax-tree.ts";
import { type LocalFunction, localFunctions } from "./local-functions.ts";
import { argumentAt, factoryAt } from "./place-kinds.ts";
import { type Place, referencesIn, scopeIn } from "./scopes.ts";
import { CLASSES, type ServerVariable } from "./server-variable.ts";

/** The variables that one `const` gives their value, each with the places that name it. */
export function variablesOf(tree: Node, imports: Imports, official: readonly string[]): ServerVariable[] {
  const found: ServerVariable[] = [];
  walk(tree, (node, around) => {
    if (node.type !== "VariableDeclarator" || node.id.type !== "Identifier" || node.init?.type !== "NewExpression") return;
    const name = officialName(node.init.callee, imports);
    if (name === undefined || !official.includes(name)) return;
    const isExported = around.at(-2)?.type === "ExportNamedDeclaration";
    found.push({ ...boundBy(node.id, around), official: name, made: node.init, isExported });
  });
  return found;
}

function boundBy(id: Identifier, around: readonly Node[]): Pick<ServerVariable, "name" | "around" | "places"> {
  const scope = scopeIn(around);
  return { name: id.name, around, places: referencesIn(scope, id.name, around.slice(0, around.indexOf(scope))) };
}

export function serversOf(tree: Node, imports: Imports): { servers: ServerVariable[]; functions: readonly LocalFunction[] } {
  const functions = localFunctions(tree);
  const servers = [...variablesOf(tree, imports, CLASSES), ...fieldsOf(tree, imports)];
  for (const each of functions) servers.push(...typedParameters(each, imports));
  for (const server of servers) {
    for (const place of server.places) {
      const next = [...resultsOf(server, place, functions), ...parameterFor(server, place, functions)];
      for (const one of next)
        if (!servers.some((known) => known.name === one.name && known.places[0]?.name === one.places[0]?.name)) servers.push(one);
    }
  }
  return { servers, functions };
}

/** Parameters whose type is an official server. */
function typedParameters({ node, around, isKnown }: LocalFunction, imports: Imports): ServerVariable[] {
  return node.params.flatMap((parameter) => {
    if (parameter.type !== "Identifier" || parameter.typeAnnotation?.type !== "TSTypeAnnotation") return [];
    const type = parameter.typeAnnotation.typeAnnotation;
    const official = type.type === "TSTypeReference" ? officialName(type.typeName, imports) : undefined;
    return official === undefined || !CLASSES.includes(official)
      ? []
      : [parameterOf(node, parameter, { around, official, isExported: !isKnown })];
  });
}

function parameterOf(
  node: LocalFunction["node"],
  parameter: Identifier,
  { around, official, isExported }: { around: readonly Node[]; official: string; isExported: boolean },
): ServerVariable {
  return { name: parameter.name, official, made: undefined, around, places: referencesIn(node, parameter.name, around), isExported };
}

/** The parameter that gets a server which is passed to a function of the file. */
function parameterFor({ official }: ServerVariable, place: Place, functions: readonly LocalFunction[]): ServerVariable[] {
  const taken = argumentAt(place, functions);
  const parameter = taken?.by.node.params[taken.index];
  if (taken === undefined || parameter?.type !== "Identifier") return [];
  return [parameterOf(taken.by.node, parameter, { around: taken.by.around, official, isExported: !taken.by.isKnown })];
}

/** What holds the server that a function returns: a variable at each call, or the call itself. */
function resultsOf({ official }: ServerVariable, place: Place, functions: readonly LocalFunction[]): ServerVariable[] {
  const factory = factoryAt(place, functions);
  const calls = (factory?.places ?? []).filter((each) => {
    const call = each.around.at(-1);
    return call?.type === "CallExpression" && call.callee === each.name;
  });
  return calls.map((each) => {
    const outer = [...each.around];
    let made = outer.pop()!; // the call
    if (outer.at(-1)?.type === "AwaitExpression") made = outer.pop()!;
    const parent = outer.at(-1);
    if (parent?.type === "VariableDeclarator" && parent.id.type === "Identifier")
      return { ...boundBy(parent.id, outer), official, made: undefined, isExported: outer.at(-3)?.type === "ExportNamedDeclaration" };
    return { name: "", official, made: undefined, around: outer, places: [{ name: made, around: outer }], isExported: false };
  });
}

/** Official servers in fields of classes: `this.server = new Server(…)`, or a field with that value. */
function fieldsOf(tree: Node, imports: Imports): ServerVariable[] {
  const found: ServerVariable[] = [];
  walk(tree, (node, around) => {
    if (node.type !== "NewExpression") return;
    const official = officialName(node.callee, imports);
    const parent = around.at(-1);
    const body = around.findLast((each) => each.type === "ClassBody");
    if (official === undefined || !CLASSES.includes(official) || parent === undefined || body === undefined) return;
    const field =
      parent.type === "AssignmentExpression" && parent.right === node
        ? fieldName(parent.left)
        : isField(parent)
          ? keyName(parent.key)
          : undefined;
    if (field === undefined) return;
    const places = placesOfField(body, field, around.slice(0, around.indexOf(body))).filter(
      ({ name }) => !("left" in parent && parent.left === name),
    );
    found.push({ name: `this.${field}`, official, made: node, around, places, isExported: isOpen(body, field, around) });
  });
  return found;
}

type Field = Extract<Node, { type: "ClassProperty" | "ClassPrivateProperty" }>;
const isField = (node: Node): node is Field => node.type === "ClassProperty" || node.type === "ClassPrivateProperty";

function keyName(key: Node): string | undefined {
  if (key.type === "PrivateName") return `#${key.id.name}`;
  return key.type === "Identifier" ? key.name : undefined;
}

/** The field that `this.server` or `this.#server` names. */
function fieldName(node: Node): string | undefined {
  if (node.type !== "MemberExpression" || node.object.type !== "ThisExpression") return undefined;
  return node.property.type === "PrivateName" ? `#${node.property.id.name}` : memberName(node);
}

function placesOfField(body: Node, field: string, outer: readonly Node[]): Place[] {
  const places: Place[] = [];
  walk(
    body,
    (node, around) => {
      if (node !== body && node.type === "ClassBody") return false;
      if (fieldName(node) === field) places.push({ name: node, around });
      return undefined;
    },
    outer,
  );
  return places;
}

/** Whether code outside the class can reach a field from another file. */
function isOpen(body: ClassBody, field: string, around: readonly Node[]): boolean {
  const owner = around[around.indexOf(body) - 2];
  if (owner === undefined || !owner.type.startsWith("Export") || field.startsWith("#")) return false;
  const declared = body.body.find((each) => isField(each) && keyName(each.key) === field);
  return !(declared !== undefined && "accessibility" in declared && declared.accessibility === "private");
}
