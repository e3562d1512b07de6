/**
 * Checks values of the server by schemas that the caller gives: results of custom methods, params of custom notifications.
 *
 * `output-check.ts` is for the results of tools, whose schemas the server publishes. The JSON Schema engine is loaded with the first
 * JSON Schema; a Standard Schema checks by itself.
 */
import { Late } from "../../base/late.ts";
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { SchemaCheck } from "../../schema/compile.ts";
import type { JsonSchemaValidator } from "../../schema/json-schema-validator.ts";
import { describeIssues, isStandardSchema, type AnySchema } from "../../schema/standard-schema.ts";

/** Returns the schema's output of a value. @throws (or rejects with) ProtocolViolationError if the value does not match */
type Check = (value: JsonObject) => MaybePromise<unknown>;

export class ValueChecks {
  readonly #validator: JsonSchemaValidator | undefined;
  /** By schema: each JSON Schema is compiled once. */
  readonly #compiled = new WeakMap<AnySchema, Late<SchemaCheck>>();

  /** @param validator default: the built-in one */
  constructor(validator: JsonSchemaValidator | undefined) {
    this.#validator = validator;
  }

  /**
   * Prepares a schema.
   * @param what what has that schema, for errors: `result of "shop/price"`
   * @throws (or rejects with) TypeError if the schema cannot be used
   */
  of(schema: AnySchema, what: string): MaybePromise<Check> {
    return andThen(this.#compile(schema, what), (check) => (value) => {
      // Both belong to the protocol, and differ between revisions.
      const { _meta, resultType: _type, ...own } = value;
      return andThen(check.validate(own), (verdict) => {
        if (verdict.issues === undefined) return verdict.value;
        throw new ProtocolViolationError(`Malformed ${what}: ${describeIssues(verdict.issues)}`);
      });
    });
  }

  #compile(schema: AnySchema, what: string): MaybePromise<SchemaCheck> {
    if (isStandardSchema(schema)) return schema["~standard"];
    let compiled = this.#compiled.get(schema);
    if (compiled === undefined) {
      compiled = new Late(async () => {
        const [{ compileCheck }, { defaultJsonSchemaValidator }] = await Promise.all([
          import("../../schema/compile.ts"),
          import("../../schema/json-schema-validator.ts"),
        ]);
        const check = compileCheck(schema, { what, validator: this.#validator ?? defaultJsonSchemaValidator });
        await check.compile?.();
        return check;
      });
      this.#compiled.set(schema, compiled);
    }
    return compiled.get();
  }
}
