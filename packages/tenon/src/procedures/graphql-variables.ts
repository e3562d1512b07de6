/** The JSON Schema of the variables of an operation: the arguments of its tool. */
import type { GraphQLSchema, OperationDefinitionNode, TypeNode } from "graphql";
import type { JsonObject } from "../jsonrpc/message.ts";

export type Library = typeof import("graphql");

const SCALARS: ReadonlyMap<string, JsonObject> = new Map([
  ["Int", { type: "integer" }],
  ["Float", { type: "number" }],
  ["String", { type: "string" }],
  ["Boolean", { type: "boolean" }],
  ["ID", { type: "string" }],
  ["Date", { type: "string", format: "date" }],
  ["DateTime", { type: "string", format: "date-time" }],
]);

/** Whose types the variables have. */
export interface TypeSource {
  readonly library: Library;
  readonly schema: GraphQLSchema;
}

/** An object with a member for each variable. The schema says its enums and input objects; a scalar that is not known takes any value. */
export function schemaOfVariables({ variableDefinitions = [] }: OperationDefinitionNode, source: TypeSource): JsonObject {
  const { library } = source;
  const $defs: Record<string, JsonObject> = {};
  const properties = variableDefinitions.map(({ variable, type }) => [variable.name.value, toSchema(type, source, $defs)] as const);
  const required = variableDefinitions.filter(
    ({ type, defaultValue }) => type.kind === library.Kind.NON_NULL_TYPE && defaultValue === undefined,
  );
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: required.map(({ variable }) => variable.name.value),
    additionalProperties: false,
    ...(Object.keys($defs).length > 0 && { $defs }),
  };
}

function toSchema(type: TypeNode, source: TypeSource, $defs: Record<string, JsonObject>): JsonObject {
  const { library, schema } = source;
  if (type.kind === library.Kind.NON_NULL_TYPE) return toSchema(type.type, source, $defs);
  if (type.kind === library.Kind.LIST_TYPE) return { type: "array", items: toSchema(type.type, source, $defs) };
  const name = type.name.value;
  const named = schema.getType(name);
  if (library.isEnumType(named)) return { type: "string", enum: named.getValues().map((value) => value.name) };
  if (!library.isInputObjectType(named)) return SCALARS.get(name) ?? {};
  if ($defs[name] === undefined) {
    const definition: JsonObject = ($defs[name] = { type: "object" }); // known before its fields, which may be of the same type
    const fields = Object.values(named.getFields());
    definition["properties"] = Object.fromEntries(
      fields.map((field) => {
        const made = toSchema(library.parseType(String(field.type)), source, $defs);
        return [field.name, field.description ? { ...made, description: field.description } : made];
      }),
    );
    definition["required"] = fields.filter(library.isRequiredInputField).map((field) => field.name);
    definition["additionalProperties"] = false;
  }
  return { $ref: `#/$defs/${name}` };
}
