import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { Ajv } from "ajv/dist/ajv.js";
import draft06 from "ajv/dist/refs/json-schema-draft-06.json" with { type: "json" };
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../jsonrpc/message.ts";
import { findSchemaFault } from "./schema-structure.ts";
import { describeIssues } from "./standard-schema.ts";

const DIALECTS = {
  "2020-12": {},
  "2019-09": { $schema: "https://json-schema.org/draft/2019-09/schema" },
  "draft-07": { $schema: "http://json-schema.org/draft-07/schema#" },
  "draft-06": { $schema: "http://json-schema.org/draft-06/schema#" },
} as const;
type DialectName = keyof typeof DIALECTS;

function faultOf(schema: JsonObject): string {
  const fault = findSchemaFault(schema);
  return fault === undefined ? "" : describeIssues([fault]);
}

describe("A fault of a schema is reported with its place", () => {
  it.each<[JsonObject, string]>([
    [{ type: "object", properties: { a: { type: "nmber" } } }, 'properties.a.type: "nmber" is not a JSON Schema type'],
    [{ required: "a" }, "required: must be a list of different strings"],
    [{ properties: [] }, "properties: must be an object whose members are schemas"],
    [{ properties: { a: "string" } }, "properties.a: must be a schema: an object or a boolean"],
    [{ properties: { a: { required: true } } }, "properties.a.required: must be a list of different strings"],
    [{ anyOf: [{}, { minimum: "0" }] }, "anyOf[1].minimum: must be a number"],
    [{ items: [{ type: "string" }] }, 'items: must be a schema: a list of schemas is "prefixItems" in 2020-12'],
    [
      { $schema: DIALECTS["draft-07"].$schema, dependencies: { a: 1 } },
      "dependencies.a: must be a schema: an object or a boolean",
    ],
    [{ type: ["string", "text"] }, 'type: "text" is not a JSON Schema type'],
    [{ $defs: { never: { not: { maxLength: -1 } } } }, "$defs.never.not.maxLength: must be an integer, 0 or greater"],
  ])("%j: %s", (schema, expected) => expect(faultOf(schema)).toBe(expected));

  it("the first fault of a schema is named, from the outside in", () => {
    expect(faultOf({ properties: { a: { minimum: "1" }, b: { minimum: "2" } } })).toMatch(/^properties\.a\.minimum/);
    expect(faultOf({ properties: { a: { minimum: "1" } }, title: 3 })).toMatch(/^title/);
    expect(faultOf({ anyOf: [{ not: { minimum: "1" } }, { minimum: "2" }] })).toMatch(/^anyOf\[0\]\.not\.minimum/);
  });

  it("a schema of an unknown dialect is not judged", () => {
    expect(faultOf({ $schema: "http://json-schema.org/draft-04/schema#", exclusiveMinimum: true })).toBe("");
  });

  it("members that are undefined are not there, as in JSON", () => {
    expect(faultOf({ type: undefined, properties: { a: undefined } })).toBe("");
  });

  it("a schema that contains itself, and a very deep one, are judged all the same", () => {
    const cyclic: JsonObject = { minLength: 1 };
    cyclic["not"] = cyclic;
    expect(faultOf(cyclic)).toBe("");
    let deep: JsonObject = { type: "nmber" };
    for (let i = 0; i < 20_000; i++) deep = { not: deep };
    expect(faultOf(deep)).toMatch(/type: "nmber" is not a JSON Schema type$/);
  });
});

/** Arguments that no keyword of that kind accepts. */
const NOT_A_STRING = [1, true, null, [], {}];
const NOT_A_BOOLEAN = [1, "true", null, [], {}];
const NOT_A_NUMBER = ["1", true, null, [], {}];
const NOT_A_COUNT = [...NOT_A_NUMBER, -1, 0.5];
const NOT_A_SCHEMA = [1, "string", null, []];
const NOT_SCHEMAS = [1, "string", null, true, {}, [], [1], [{ type: "nmber" }]];
const NOT_NAMES = [1, "a", null, true, {}, [1], ["a", "a"]];
const NOT_SCHEMAS_BY_NAME = [1, "a", null, true, [], { a: 1 }, { a: { type: "nmber" } }];
const NOT_AN_ANCHOR = [...NOT_A_STRING, "", "1a", "a b", "#a"];

const EVERY: readonly DialectName[] = ["2020-12", "2019-09", "draft-07", "draft-06"];
const SINCE_2019 = EVERY.slice(0, 2);
const UNTIL_2019 = EVERY.slice(1);

/** Each keyword of the four dialects, those that have it, and arguments it must not have. */
const WRONG: readonly (readonly [keyword: string, dialects: readonly DialectName[], wrong: readonly unknown[]])[] = [
  ...["$ref", "title", "description", "format"].map((keyword) => [keyword, EVERY, NOT_A_STRING] as const),
  ...["$comment", "contentMediaType", "contentEncoding"].map((keyword) => [keyword, EVERY.slice(0, 3), NOT_A_STRING] as const),
  ["$id", EVERY, NOT_A_STRING],
  ["$id", SINCE_2019, ["#a", "https://example.com/a#b"]],
  ["$anchor", SINCE_2019, NOT_AN_ANCHOR],
  ["$anchor", ["2020-12"], ["a:b"]],
  ["$dynamicAnchor", ["2020-12"], NOT_AN_ANCHOR],
  ["$dynamicRef", ["2020-12"], NOT_A_STRING],
  ["$recursiveRef", SINCE_2019, NOT_A_STRING],
  ["$recursiveAnchor", ["2019-09"], NOT_A_BOOLEAN],
  ["$recursiveAnchor", ["2020-12"], NOT_AN_ANCHOR],
  ["$vocabulary", SINCE_2019, [1, "a", null, [], { a: 1 }]],
  ["readOnly", EVERY.slice(0, 3), NOT_A_BOOLEAN],
  ...["writeOnly", "deprecated"].map((keyword) => [keyword, SINCE_2019, NOT_A_BOOLEAN] as const),
  ["examples", EVERY, [1, "a", null, true, {}]],
  ["uniqueItems", EVERY, NOT_A_BOOLEAN],
  ["type", EVERY, [1, true, null, {}, [], "nmber", "any", ["string", "string"], ["string", 1]]],
  ["enum", EVERY, [1, "a", null, true, {}]],
  [
    "enum",
    EVERY.slice(2),
    [
      [],
      [1, 1],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
  ],
  ["required", EVERY, NOT_NAMES],
  ["dependentRequired", SINCE_2019, [1, "a", null, [], { a: 1 }, { a: ["b", "b"] }, { a: [1] }]],
  ["dependencies", EVERY, [1, "a", null, [], { a: 1 }, { a: "b" }, { a: ["b", "b"] }, { a: { type: "nmber" } }]],
  ["multipleOf", EVERY, [...NOT_A_NUMBER, 0, -1]],
  ...["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"].map((keyword) => [keyword, EVERY, NOT_A_NUMBER] as const),
  ...["maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"].map(
    (keyword) => [keyword, EVERY, NOT_A_COUNT] as const,
  ),
  ...["maxContains", "minContains"].map((keyword) => [keyword, SINCE_2019, NOT_A_COUNT] as const),
  ["pattern", EVERY, NOT_A_STRING],
  ...["not", "contains", "additionalProperties", "propertyNames"].map((keyword) => [keyword, EVERY, NOT_A_SCHEMA] as const),
  ...["if", "then", "else"].map((keyword) => [keyword, EVERY.slice(0, 3), NOT_A_SCHEMA] as const),
  ...["unevaluatedItems", "unevaluatedProperties", "contentSchema"].map(
    (keyword) => [keyword, SINCE_2019, NOT_A_SCHEMA] as const,
  ),
  ["additionalItems", UNTIL_2019, NOT_A_SCHEMA],
  ["items", EVERY, [1, "string", null, [], [1], [{ type: "nmber" }]]],
  ["items", ["2020-12"], [[{}]]],
  ...["allOf", "anyOf", "oneOf"].map((keyword) => [keyword, EVERY, NOT_SCHEMAS] as const),
  ["prefixItems", ["2020-12"], NOT_SCHEMAS],
  ...["properties", "patternProperties", "definitions"].map((keyword) => [keyword, EVERY, NOT_SCHEMAS_BY_NAME] as const),
  ...["$defs", "dependentSchemas"].map((keyword) => [keyword, SINCE_2019, NOT_SCHEMAS_BY_NAME] as const),
];

describe("Every keyword's wrong forms", () => {
  const rows = WRONG.flatMap(([keyword, dialects, wrong]) => dialects.map((dialect) => [keyword, dialect, wrong] as const));
  it.each(rows)("%s of %s", (keyword, dialect, wrong) => {
    for (const argument of wrong) {
      expect([argument, faultOf({ ...DIALECTS[dialect], [keyword]: argument })]).toEqual([
        argument,
        expect.stringMatching(new RegExp(`^${keyword.replace("$", "\\$")}.*: `)),
      ]);
      expect(faultOf({ ...DIALECTS[dialect], properties: { a: { [keyword]: argument } } })).toMatch(/^properties\.a\./);
    }
  });
});

// ---- against Ajv ----

const KEYWORDS = [...new Set(WRONG.map(([keyword]) => keyword)), "const", "default", "x-own"];
const names = fc.constantFrom("a", "b", "string", "#a", "a:b", "^a$", "__proto__");
const tree = fc.letrec<{ schema: unknown; argument: unknown; object: JsonObject }>((tie) => ({
  object: fc.dictionary(fc.constantFrom(...KEYWORDS), tie("argument"), { maxKeys: 3, noNullPrototype: true }),
  schema: fc.oneof({ maxDepth: 4 }, { weight: 1, arbitrary: fc.boolean() }, { weight: 4, arbitrary: tie("object") }),
  argument: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom<unknown>(0, 1, 1.5, -1, 2, true, false, null, "", "a", "string", "object", "nmber", "#a", "a:b"),
    fc.constantFrom<unknown>(
      [],
      ["a"],
      ["a", "b"],
      ["a", "a"],
      ["string", "null"],
      [1, 1],
      [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
      {},
    ),
    fc.array(tie("schema"), { maxLength: 2 }),
    tie("schema"),
    fc.dictionary(names, fc.oneof(tie("schema"), fc.array(names, { maxLength: 2 }), fc.boolean()), {
      maxKeys: 2,
      noNullPrototype: true,
    }),
  ),
}));

const options = { strict: false, validateFormats: false, logger: false, allErrors: false } as const;
const draft06And07 = new Ajv(options);
draft06And07.addMetaSchema(draft06);
const ORACLES = {
  "2020-12": new Ajv2020(options),
  "2019-09": new Ajv2019(options),
  "draft-07": draft06And07,
  "draft-06": draft06And07,
};

describe("Against the meta-schemas, as Ajv reads them", () => {
  it.each(EVERY)("a schema of %s is refused if and only if its meta-schema refuses it", (dialect) => {
    let [refused, accepted] = [0, 0];
    fc.assert(
      fc.property(tree.object, (object) => {
        const schema = { ...object, ...DIALECTS[dialect] };
        const fault = faultOf(schema);
        const valid = ORACLES[dialect].validateSchema(schema);
        expect([JSON.stringify(schema), fault === ""]).toEqual([JSON.stringify(schema), valid]);
        if (fault === "") accepted++;
        else refused++;
      }),
      { numRuns: Number(process.env["TENON_FUZZ_RUNS"] ?? 1_000) },
    );
    expect(Math.min(refused, accepted)).toBeGreaterThan(0);
  });

  it("the table has every keyword that a meta-schema knows", () => {
    const known = EVERY.flatMap((dialect) => keywordsOf(dialect));
    expect([...new Set(known)].filter((keyword) => !KEYWORDS.includes(keyword))).toEqual(["$schema"]);
  });

  /** The keywords whose argument the meta-schema of a dialect describes. */
  function keywordsOf(dialect: DialectName): readonly string[] {
    const ajv = ORACLES[dialect];
    const { $schema = "https://json-schema.org/draft/2020-12/schema" } = DIALECTS[dialect] as { $schema?: string };
    const meta = ajv.getSchema($schema)?.schema as { properties: object; allOf?: readonly { $ref: string }[] };
    const parts = (meta.allOf ?? []).map(
      ({ $ref }) => ajv.getSchema(new URL($ref, $schema).href)?.schema as { properties: object },
    );
    return [meta, ...parts].flatMap(({ properties }) => Object.keys(properties));
  }
});
