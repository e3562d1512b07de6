/** The tools that a low-level server lists, where the list is written in place: their names, and their options as Tenon takes them. */
import type { BlockStatement, ObjectExpression } from "@babel/types";
import type { Node } from "../source/syntax-tree.ts";
import type { Written } from "./handlers.ts";
import { constantIn, keyOf, type Source, textOf } from "./pieces.ts";

export interface Listed {
  readonly object: ObjectExpression;
  readonly variable: string | undefined;
}

/** The tools of `() => ({ tools: [{ … }, NAMED] })`. */
export function listedTools(tree: Node, { body }: Written): Listed[] | undefined {
  const returned = body.type === "BlockStatement" ? onlyReturn(body) : body;
  const [member, more] = returned?.type === "ObjectExpression" ? returned.properties : [];
  if (more !== undefined || member?.type !== "ObjectProperty" || keyOf(member.key) !== "tools") return undefined;
  const list = member.value.type === "Identifier" ? constantIn(tree, member.value.name) : member.value;
  if (list?.type !== "ArrayExpression") return undefined;
  const tools = list.elements.map((each): Listed | undefined => {
    if (each?.type === "ObjectExpression") return { object: each, variable: undefined };
    const object = each?.type === "Identifier" ? constantIn(tree, each.name) : undefined;
    return object?.type === "ObjectExpression" && each?.type === "Identifier" ? { object, variable: each.name } : undefined;
  });
  return tools.every((each) => each !== undefined) ? tools : undefined;
}

function onlyReturn({ body }: BlockStatement): Node | undefined {
  const [first, more] = body;
  return more === undefined && first?.type === "ReturnStatement" ? (first.argument ?? undefined) : undefined;
}

export function nameOf(tool: ObjectExpression): string | undefined {
  const name = tool.properties.find((each) => each.type === "ObjectProperty" && keyOf(each.key) === "name");
  return name?.type === "ObjectProperty" && name.value.type === "StringLiteral" ? name.value.value : undefined;
}

const OPTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    title: "title",
    description: "description",
    inputSchema: "input",
    outputSchema: "output",
    annotations: "annotations",
    icons: "icons",
    _meta: "_meta",
  }),
);

export function optionsText(source: Source, { object, variable }: Listed): string | undefined {
  const options = object.properties.map((property) => {
    const key = property.type === "ObjectProperty" ? keyOf(property.key) : undefined;
    if (key === "name") return "";
    const name = OPTIONS.get(key ?? "");
    if (property.type !== "ObjectProperty" || name === undefined) return undefined;
    if ((name === "input" || name === "output") && property.value.type !== "ObjectExpression") return undefined;
    return `${name}: ${variable === undefined ? textOf(source, property.value) : `${variable}.${key}`}`;
  });
  if (options.includes(undefined)) return undefined;
  const list = options.filter((each) => each !== "");
  return list.length === 0 ? "{}" : `{ ${list.join(", ")} }`;
}
