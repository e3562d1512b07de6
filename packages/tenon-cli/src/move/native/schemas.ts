/** The schemas of 1.x as Tenon takes them: raw shapes become objects, and `completable()` becomes the option `complete`. */
import type { ObjectExpression } from "@babel/types";
import type { Node } from "../source/syntax-tree.ts";
import { constantIn, keyOf, type Source, StaysError, textOf } from "./pieces.ts";

/** A schema as text. @throws StaysError if it cannot be seen whether it is a raw shape or a schema */
export function schemaText(source: Source, node: Node): string {
  if (source.zod === undefined) throw new StaysError("its schema is not of zod 4.2 or newer");
  if (node.type === "ObjectExpression") return `${source.zod}.object(${textOf(source, node)})`;
  if (node.type === "MemberExpression" && keyOf(node.property) === "shape") return textOf(source, node.object);
  if (isOfZod(source, node)) return textOf(source, node);
  const constant = node.type === "Identifier" ? constantIn(source.tree, node.name) : undefined;
  if (constant?.type === "ObjectExpression") return `${source.zod}.object(${textOf(source, node)})`;
  if (constant !== undefined && isOfZod(source, constant)) return textOf(source, node);
  throw new StaysError("its schema is written elsewhere, and may be a raw shape");
}

/** Whether an expression is a call such as `z.string().optional()`. */
function isOfZod(source: Source, node: Node): boolean {
  if (node.type === "CallExpression") return isOfZod(source, node.callee);
  if (node.type === "MemberExpression") return isOfZod(source, node.object);
  return node.type === "Identifier" && node.name === source.zod;
}

/** Whether an object is a raw shape, and not a list of annotations. */
export function isShape(source: Source, node: ObjectExpression): boolean {
  return node.properties.every(
    (property) => property.type === "ObjectProperty" && (isOfZod(source, property.value) || isCompletable(source, property.value)),
  );
}

function isCompletable(source: Source, node: Node): boolean {
  return node.type === "CallExpression" && node.callee.type === "Identifier" && node.callee.name === source.completable;
}

/** The arguments of a prompt: the schema, and the completers as the option `complete`. */
export function promptOptions(source: Source, shape: Node): string[] {
  if (shape.type !== "ObjectExpression") return [`input: ${schemaText(source, shape)}`];
  const [members, completers]: [string[], string[]] = [[], []];
  for (const property of shape.properties) {
    const key = property.type === "ObjectProperty" ? keyOf(property.key) : undefined;
    if (
      property.type === "ObjectProperty" &&
      key !== undefined &&
      property.value.type === "CallExpression" &&
      isCompletable(source, property.value)
    ) {
      const [schema, completer] = property.value.arguments;
      if (schema === undefined || completer === undefined) throw new StaysError("its completable() lacks an argument");
      members.push(`${textOf(source, property.key)}: ${textOf(source, schema)}`);
      completers.push(`${textOf(source, property.key)}: ${textOf(source, completer)}`);
    } else members.push(textOf(source, property));
  }
  if (completers.length === 0) return [`input: ${schemaText(source, shape)}`];
  if (source.zod === undefined) throw new StaysError("its schema is not of zod 4.2 or newer");
  return [`input: ${source.zod}.object({ ${members.join(", ")} })`, `complete: { ${completers.join(", ")} }`];
}
