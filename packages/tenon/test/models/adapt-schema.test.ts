/**
 * Adapted schemas: what each API refuses is gone, a note says what was lost, and arguments come back as the tool expects them.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonObject } from "tenon";
import { adaptSchema, profiles, type ModelProfile } from "tenon/models";
import { refusalOfTools, type Provider } from "./schema-rules.ts";

const MODES: readonly (readonly [Provider, ModelProfile, ModelProfile | undefined])[] = [
  ["anthropic", profiles.anthropic, profiles.anthropicStrict],
  ["openai", profiles.openai, profiles.openaiStrict],
  ["gemini", profiles.gemini, undefined],
];

const names = fc.constantFrom("a", "b", "c", "a-b", "ü", "__proto__");
const leaf = fc.oneof(
  fc.record({ type: fc.constant("string") }, { requiredKeys: ["type"] }),
  fc.record({ type: fc.constant("integer"), minimum: fc.integer({ min: -2, max: 2 }) }, { requiredKeys: ["type"] }),
  fc.record({ type: fc.constant("number"), exclusiveMinimum: fc.constant(0) }, { requiredKeys: ["type"] }),
  fc.record(
    { type: fc.constantFrom(["string", "null"], ["integer", "string"]), description: fc.string() },
    { requiredKeys: ["type"] },
  ),
  fc.record({ enum: fc.constantFrom(["x", "y"], [1, "x", null]) }),
  fc.record({ const: fc.constantFrom("x", 1, null, true) }),
  fc.constantFrom<unknown>(
    true,
    {},
    { $ref: "#/$defs/Leaf" },
    { $ref: "#/$defs/Tree" },
    { $ref: "#/$defs/none" },
    { type: "array" },
  ),
);
const { schema: anySchema } = fc.letrec<{ schema: unknown; object: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    tie("object"),
    fc.record({ type: fc.constant("array"), items: tie("schema"), maxItems: fc.constant(3) }, { requiredKeys: ["type"] }),
    fc.record({ type: fc.constant("array"), prefixItems: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
    fc.record({ oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
    fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
  ),
  object: fc
    .record(
      {
        properties: fc.array(fc.tuple(names, tie("schema")), { maxLength: 3 }),
        required: fc.uniqueArray(names, { maxLength: 2 }),
        additionalProperties: fc.oneof(fc.boolean(), leaf),
      },
      { requiredKeys: ["properties"] },
    )
    .map(({ properties, ...rest }) => ({ type: "object", properties: Object.fromEntries(properties), ...rest })),
}));
const DEFS = {
  Leaf: { type: "string", minLength: 1 },
  Tree: { type: "object", properties: { value: { type: "integer" }, next: { $ref: "#/$defs/Tree" } }, required: ["value"] },
};
const inputSchema = anySchema.map((schema) => ({
  ...(typeof schema === "object" ? (schema as JsonObject) : {}),
  type: "object",
  $defs: DEFS,
}));

/** A value that is likely to match a schema. It need not. */
function sample(schema: unknown, root: JsonObject, pick: () => number, depth = 0): unknown {
  if (typeof schema !== "object" || schema === null || depth > 6) return pick() % 2 === 0 ? "x" : 1;
  const { type, properties, items, anyOf, oneOf, enum: values, $ref, required } = schema as JsonObject;
  const one = (list: readonly unknown[]): unknown => list[pick() % list.length];
  if (typeof $ref === "string") return sample((root["$defs"] as JsonObject)[$ref.split("/").at(-1)!], root, pick, depth + 1);
  if (Array.isArray(values) && values.length > 0) return one(values);
  if ("const" in schema) return (schema as JsonObject)["const"];
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives) && alternatives.length > 0) return sample(one(alternatives), root, pick, depth + 1);
  const kind = Array.isArray(type) ? one(type) : type;
  if (kind === "array") return Array.from({ length: pick() % 3 }, () => sample(items, root, pick, depth + 1));
  if (kind === "integer" || kind === "number") return pick() % 4;
  if (kind === "null") return null;
  if (kind !== "object") return "x";
  const must = new Set((required as string[] | undefined) ?? []);
  const members = Object.entries((properties as JsonObject | undefined) ?? {}).filter(
    ([name]) => must.has(name) || pick() % 2 === 0,
  );
  return Object.fromEntries(members.map(([name, member]) => [name, sample(member, root, pick, depth + 1)]));
}

/** False also for a schema whose references lead nowhere: nothing can be said of it. */
function matches(schema: JsonObject, value: unknown): boolean {
  return new Ajv2020({ strict: false }).validate(schema, value);
}

describe.each(MODES)("%s", (provider, usual, strict) => {
  test("every schema becomes one that the API accepts", () => {
    fc.assert(
      fc.property(inputSchema, (schema) => {
        const before = structuredClone(schema);
        for (const profile of strict === undefined ? [usual] : [usual, strict]) {
          const adapted = adaptSchema(schema, profile);
          expect(refusalOfTools(provider, [{ name: "t", schema: adapted.schema, strict: adapted.strict }])).toBeUndefined();
          expect(schema).toEqual(before);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("arguments that match the adapted schema match the tool's own when they come back, unless a note says otherwise", () => {
    let compared = 0;
    fc.assert(
      fc.property(inputSchema, fc.array(fc.nat(11), { minLength: 40, maxLength: 40 }), (schema, choices) => {
        for (const profile of strict === undefined ? [usual] : [usual, strict]) {
          const adapted = adaptSchema(schema, profile);
          if (adapted.notes.some(({ action }) => action !== "rewritten")) continue;
          if (profile === strict && !adapted.strict) continue;
          let at = 0;
          // the root is an object
          const args = sample(adapted.schema, adapted.schema, () => choices[at++ % choices.length]!) as JsonObject;
          if (!matches(adapted.schema, args)) continue;
          compared++;
          expect(matches(schema, adapted.restore(args))).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
    expect(compared).toBeGreaterThan(5);
  });
});

const tree = {
  type: "object",
  properties: { root: { $ref: "#/$defs/Node" } },
  $defs: { Node: { type: "object", properties: { next: { $ref: "#/$defs/Node" } } } },
};

describe("A note says what changed", () => {
  test("a union at the root becomes one object that says its alternatives", () => {
    const { schema, notes } = adaptSchema(
      {
        type: "object",
        oneOf: [
          { properties: { id: { type: "integer" } }, required: ["id"] },
          { properties: { name: { type: "string" } }, required: ["name"] },
        ],
      },
      profiles.anthropic,
    );
    expect(schema).toEqual({
      type: "object",
      properties: { id: { type: "integer" }, name: { type: "string" } },
      description: "One of: {id} or {name}.",
    });
    expect(notes.map(({ path, keyword, action }) => [path, keyword, action])).toEqual([["", "oneOf", "described"]]);
  });

  test("a cycle stays a reference where the API has them, and is cut where it has not", () => {
    expect(adaptSchema(tree, profiles.openai).schema["$defs"]).toEqual({
      Node: { type: "object", properties: { next: { $ref: "#/$defs/Node" } } },
    });
    const { schema, notes } = adaptSchema(tree, profiles.gemini);
    expect(JSON.stringify(schema)).not.toContain("$ref");
    expect(notes.map(({ keyword, action }) => [keyword, action])).toEqual([
      ["$ref", "rewritten"],
      ["", "dropped"],
    ]);
  });

  test("a reference into the properties is one too", () => {
    const schema = { type: "object", properties: { a: { type: "string" }, b: { $ref: "#/properties/a" } } };
    expect(adaptSchema(schema, profiles.gemini).schema.properties["b"]).toEqual({ type: "string" });
    expect(adaptSchema(schema, profiles.openai).schema).toMatchObject({
      properties: { b: { $ref: "#/$defs/a" } },
      $defs: { a: { type: "string" } },
    });
  });

  test("a tuple says its order in words, and limits move into the description", () => {
    const schema = {
      type: "object",
      properties: {
        at: { type: "array", prefixItems: [{ type: "number" }, { type: "string" }], items: false },
        many: { type: "integer", exclusiveMinimum: 0, description: "How many" },
      },
    };
    const { schema: adapted, notes } = adaptSchema(schema, profiles.gemini);
    expect(adapted.properties["at"]).toMatchObject({ items: { anyOf: [{ type: "number" }, { type: "string" }] } });
    expect(adapted.properties["many"]).toEqual({ type: "integer", description: "How many (more than 0)" });
    expect(notes.map(({ path, keyword, action }) => `${path} ${keyword} ${action}`)).toEqual([
      "/properties/at prefixItems described",
      "/properties/many exclusiveMinimum described",
    ]);
  });

  test("strict: what may be left out becomes null, and comes back left out", () => {
    const schema = { type: "object", properties: { a: { type: "string" }, b: { type: "integer" } }, required: ["a"] };
    const adapted = adaptSchema(schema, profiles.openaiStrict);
    expect(adapted.strict).toBe(true);
    expect(adapted.schema).toMatchObject({ required: ["a", "b"], additionalProperties: false });
    expect(adapted.restore({ a: "x", b: null })).toEqual({ a: "x" });
    expect(adapted.restore({ a: "x", b: 3 })).toEqual({ a: "x", b: 3 });
  });

  test.each([
    ["an object with any members", { type: "object", additionalProperties: { type: "string" } }],
    ["anything", { type: "object", properties: { a: {} } }],
  ])("strict: %s has no strict form", (_title, schema) => {
    expect(adaptSchema(schema, profiles.openaiStrict).strict).toBe(false);
  });

  test("names that the API refuses come back as they were", () => {
    const profile = { ...profiles.gemini, parameterNames: /^[A-Za-z_]\w{0,63}$/ };
    const schema = { type: "object", properties: { "a-b": { type: "string" }, a_b: { type: "string" } }, required: ["a-b"] };
    const adapted = adaptSchema(schema, profile);
    const [renamed = "", own] = Object.keys(adapted.schema.properties);
    expect([renamed, own]).toEqual([expect.stringMatching(/^a_b_\w{7}$/), "a_b"]);
    expect(adapted.restore({ [renamed]: "1", a_b: "2" })).toEqual({ "a-b": "1", a_b: "2" });
  });

  test("a schema without an end and one of great size have an end", () => {
    let deep: JsonObject = { type: "string" };
    for (let level = 0; level < 100; level++) deep = { type: "object", properties: { in: deep } };
    expect(adaptSchema(deep, profiles.openai).notes.at(-1)?.action).toBe("dropped");
    const bomb: { [name: string]: unknown } = {};
    for (let level = 0; level < 20; level++)
      bomb[`d${level}`] = {
        type: "object",
        properties: { a: { $ref: `#/$defs/d${level + 1}` }, b: { $ref: `#/$defs/d${level + 1}` } },
      };
    const { schema, notes } = adaptSchema(
      { type: "object", properties: { x: { $ref: "#/$defs/d0" } }, $defs: bomb },
      profiles.gemini,
    );
    expect(notes.some(({ action }) => action === "dropped")).toBe(true);
    expect(JSON.stringify(schema).length).toBeLessThan(2_000_000);
  });
});
