/** Official servers in fields of classes. */
import type { ClassBody } from "@babel/types";
import { type Imports, officialName } from "../source/imports.ts";
import { memberName, type Node, walk } from "../source/syntax-tree.ts";
import type { Place } from "./scopes.ts";
import { CLASSES, type ServerVariable } from "./server-variable.ts";

/** Fields of classes: `this.server = new Server(…)`, or a field with that value. */
export function fieldsOf(tree: Node, imports: Imports): ServerVariable[] {
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
