/**
 * A schema of OpenAPI 3.0 in the words of JSON Schema 2020-12. Only the schema itself is converted, not the schemas inside it.
 *
 * 3.0 is an early draft with differences: `nullable`, limits that are excluded by a boolean, and references whose siblings mean
 * nothing. `nullable` beside a reference is written so often that it counts here.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { excludeLimit, LIMIT_OF } from "../../schema/mend-schema.ts";

/** Keywords beside which `nullable` cannot be a further type. */
const COMBINATORS = ["allOf", "anyOf", "oneOf", "$ref"] as const;

/** Newer documents have `nullable` as well, though it has no meaning there: their authors mean null. */
export function upgradeSchema(schema: JsonObject, isOldDialect: boolean): JsonObject {
  const { nullable, example, ...rest } = schema;
  if (!isOldDialect) return nullable === true ? withNull({ ...rest, ...(example !== undefined && { example }) }) : schema;
  const upgraded: JsonObject = typeof rest["$ref"] === "string" ? { $ref: rest["$ref"] } : withLimits(rest);
  if (example !== undefined && upgraded["$ref"] === undefined) upgraded["examples"] ??= [example];
  return nullable === true ? withNull(upgraded) : upgraded;
}

function withNull(schema: JsonObject): JsonObject {
  if (COMBINATORS.some((keyword) => schema[keyword] !== undefined)) {
    const { description, readOnly, writeOnly, deprecated, ...rest } = schema;
    const own = Object.entries({ description, readOnly, writeOnly, deprecated }).filter(([, value]) => value !== undefined);
    return { ...Object.fromEntries(own), anyOf: [rest, { type: "null" }] };
  }
  const { type, enum: values } = schema;
  const changed: JsonObject = { ...schema };
  if (typeof type === "string") changed["type"] = [type, "null"];
  if (Array.isArray(values) && !values.includes(null)) changed["enum"] = [...(values as unknown[]), null];
  return changed;
}

/** `exclusiveMinimum: true` beside `minimum: 1` becomes `exclusiveMinimum: 1`. */
function withLimits(schema: JsonObject): JsonObject {
  const changed: JsonObject = { ...schema };
  for (const [keyword, limit] of LIMIT_OF) {
    const isExcluded = changed[keyword];
    if (typeof isExcluded !== "boolean") continue;
    delete changed[keyword];
    excludeLimit(changed, keyword, limit, isExcluded);
  }
  return changed;
}
