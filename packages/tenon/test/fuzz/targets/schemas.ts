/** JSON Schemas and patterns of a peer, against Ajv. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { LimitExceededError } from "../../../src/jsonrpc/mcp-error.ts";
import { InvalidSchemaError } from "../../../src/schema/invalid-schema-error.ts";
import { createJsonSchemaValidator } from "../../../src/schema/json-schema-validator.ts";
import type { JsonSchema } from "../../../src/schema/standard-schema.ts";
import { PatternSet } from "../../../src/schema/pattern.ts";
import { defaultSchemaLimits } from "../../../src/schema/schema-limits.ts";
import { assert, assertSame, attemptOnly, type Target } from "./target.ts";

const validator = createJsonSchemaValidator();
const isRefusal = (error: unknown): boolean => error instanceof InvalidSchemaError || error instanceof LimitExceededError;

/** Where Ajv differs from the specification (`required: [""]` asks for nothing there), or has a dialect of its own. */
const LEFT_TO_AJV =
  /"(contains|minContains|maxContains|unevaluated\w+|\$\w+|format|nullable|discriminator|multipleOf|pattern\w*|propertyNames|items|additionalItems|dependencies|definitions)"|__proto__|""[,\]]/;

/** Characters of an input that Ajv judges too: it makes code of a schema, and its time would count as ours. */
const MAX_BESIDE_AJV = 2_000;

/** `{ schema, value }`: refused, or the same verdict as Ajv's. */
export const schemas: Target & { judge(schema: unknown, value: unknown): Promise<boolean | undefined> } = {
  name: "schemas",
  kind: "json",
  /** The verdict; undefined for a schema that is refused. */
  async judge(schema, value) {
    try {
      return (await validator.compile(schema as JsonSchema))(value).issues === undefined;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return undefined;
    }
  },
  async run(text) {
    const parsed = attemptOnly(
      () => JSON.parse(text) as { schema?: unknown; value?: unknown },
      () => true,
    );
    if ("error" in parsed || typeof parsed.value?.schema !== "object" || parsed.value.schema === null) return;
    const { schema, value = null } = parsed.value as { schema: JsonSchema; value?: unknown };
    const compiled = await Promise.resolve()
      .then(() => validator.compile(schema))
      .catch((error: unknown) => {
        assert(isRefusal(error), `compiling fails with ${String(error)}`);
        return undefined;
      });
    if (compiled === undefined) return;
    const outcome = attemptOnly(() => compiled(value), isRefusal);
    if ("error" in outcome || text.length > MAX_BESIDE_AJV || LEFT_TO_AJV.test(text)) return;
    const oracle = oracleOf(schema);
    if (oracle !== undefined) assertSame("the verdict, beside Ajv's", outcome.value.issues === undefined, oracle(value));
  },
};

/** One for all inputs: the first schema makes it compile the schema of schemas, which takes longer than an input may. */
const ajv = new Ajv2020({ strict: false, validateFormats: false, addUsedSchema: false, logger: false });
ajv.compile({});

function oracleOf(schema: object): ValidateFunction | undefined {
  try {
    return ajv.compile(schema);
  } catch {
    return undefined;
  } finally {
    ajv.removeSchema(schema); // it would keep every one
  }
}

/** The first line is a pattern, the second a text: refused, or tested in linear time. */
export const patterns: Target = {
  name: "patterns",
  kind: "text",
  run(text) {
    const [source = "", sample = ""] = text.split("\n");
    const made = attemptOnly(() => new PatternSet(defaultSchemaLimits).get(source, "/pattern"), isRefusal);
    if ("error" in made) return;
    assert(typeof made.value.test(sample) === "boolean", "a verdict");
    assert(made.value.size <= 4 * defaultSchemaLimits.patternSize, `a pattern of ${made.value.size} instructions`);
  },
};
