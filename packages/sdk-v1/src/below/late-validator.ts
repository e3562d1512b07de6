/** The validator of JSON Schemas that the official classes make by default, and that most of them never use. */
import { AjvJsonSchemaValidator } from "mcp-sdk-v1/validation/ajv-provider.js";
import type { jsonSchemaValidator } from "mcp-sdk-v1/validation/types.js";

/** The official default validator, made when a schema is first needed: it takes milliseconds. */
export function lateValidator(): jsonSchemaValidator {
  let made: AjvJsonSchemaValidator | undefined;
  return { getValidator: (schema) => (made ??= new AjvJsonSchemaValidator()).getValidator(schema) };
}
