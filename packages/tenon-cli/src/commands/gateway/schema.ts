/** `tenon gateway schema`: the members `tenon` of a configuration file as a JSON Schema, for editors. Made of the shapes that files are checked by. */
import type { JsonObject } from "tenon";
import type { Outcome } from "../../invocation.ts";
import { QUOTA, SERVER } from "./settings/settings.ts";
import { AUTH_SHAPES, AUTH_TYPES } from "./settings/credentials.ts";
import type { Shape } from "./settings/shape.ts";
import { WHOLE } from "./settings/whole-settings.ts";

export function gatewaySchema(): Outcome {
  const auth = { anyOf: AUTH_SHAPES.map((shape, at) => withType(schemaOf(shape), AUTH_TYPES[at]!)) };
  const own = schemaOf(SERVER);
  const server = { ...own, properties: { ...(own["properties"] as JsonObject), auth } };
  const entry = {
    type: "object",
    properties: { command: TEXT, args: TEXTS, url: TEXT, env: { type: "object" }, headers: { type: "object" }, tenon: server },
  };
  const json: JsonObject = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "The configuration of tenon gateway",
    type: "object",
    properties: {
      $schema: TEXT,
      tenon: schemaOf({ members: { ...WHOLE.members, quota: QUOTA } }),
      mcpServers: { type: "object", additionalProperties: entry },
    },
  };
  return { json, text: () => JSON.stringify(json, undefined, 2) };
}

const TEXT = { type: "string" };
const TEXTS = { type: "array", items: TEXT };

function withType(schema: JsonObject, type: string): JsonObject {
  const { properties, required = [] } = schema;
  return { ...schema, properties: { ...(properties as JsonObject), type: { const: type } }, required: ["type", ...(required as string[])] };
}

function schemaOf(shape: Shape): JsonObject {
  if (shape === "text" || shape === "secret") return TEXT;
  if (typeof shape === "string") return { type: shape };
  if (Array.isArray(shape)) return { anyOf: (shape as readonly Shape[]).map((one) => schemaOf(one)) };
  const one = shape as Exclude<Shape, string | readonly Shape[]>; // the others were told apart
  if ("items" in one) return { type: "array", items: schemaOf(one.items) };
  if ("values" in one) return { type: "object", additionalProperties: schemaOf(one.values) };
  const { members, required = [] } = one;
  const properties = Object.fromEntries(Object.entries(members).map(([name, own]) => [name, schemaOf(own)]));
  return { type: "object", properties, additionalProperties: false, ...(required.length > 0 && { required: [...required] }) };
}
