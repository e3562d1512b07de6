/** Reads the arguments of a prompt from its input schema: their descriptions, and whether clients can send them. */
import { isPromise } from "../../base/maybe-promise.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { PromptArgument } from "../../protocol/prompts.ts";
import type { CompiledSchema } from "../../schema/compile.ts";
import { describeIssues } from "../../schema/standard-schema.ts";

/** The members of an object schema as prompt arguments: name, title, description, required. */
export function argumentsOf(schema: JsonObject): PromptArgument[] {
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).map(([name, property]) => {
    const argument: PromptArgument = { name };
    if (isJsonObject(property) && typeof property["title"] === "string") argument.title = property["title"];
    if (isJsonObject(property) && typeof property["description"] === "string") argument.description = property["description"];
    if (Array.isArray(required) && required.includes(name)) argument.required = true;
    return argument;
  });
}

/** Checks that every argument accepts a string, because clients send strings only. @throws TypeError that names the argument */
export function assertTakesStrings(prompt: string, { jsonSchema, validate }: CompiledSchema, canCoerce: boolean): void {
  const { properties } = jsonSchema;
  for (const [name, property] of Object.entries(isJsonObject(properties) ? properties : {})) {
    if (allowsString(property) || (canCoerce && coerces(validate, name, property as JsonObject))) continue;
    throw new TypeError(`Argument "${name}" of prompt "${prompt}" takes no string: clients send strings, so use z.coerce or z.string()`);
  }
}

/** Whether a JSON Schema accepts at least one string, by its `type`, `const` and `enum`. */
function allowsString(schema: unknown): boolean {
  if (!isJsonObject(schema)) return schema !== false;
  const { type, const: only, enum: values, anyOf, oneOf } = schema;
  if (only !== undefined) return typeof only === "string";
  if (Array.isArray(values)) return values.some((value) => typeof value === "string");
  if (type !== undefined) return [type].flat().includes("string");
  return [anyOf, oneOf].every((union) => !Array.isArray(union) || union.some(allowsString));
}

/**
 * Whether a library's schema converts strings, which its JSON Schema does not show. An asynchronous schema, or one that throws, is
 * assumed to.
 */
function coerces(validate: CompiledSchema["validate"], name: string, { type, const: only, enum: values }: JsonObject): boolean {
  const value = only ?? (values as unknown[] | undefined)?.[0] ?? (type === "boolean" || 1);
  try {
    const [ofText, ofValue] = [JSON.stringify(value), value].map((given) => complaints(validate({ [name]: given })));
    return ofText === ofValue;
  } catch {
    return true;
  }
}

function complaints(verdict: ReturnType<CompiledSchema["validate"]>): string {
  if (!isPromise(verdict)) return describeIssues(verdict.issues ?? []);
  verdict.catch(() => undefined); // a call will report it
  return "";
}
