/** Each keyword of JSON Schema in each profile: kept, said in words, or left out with a note. The tables are written by hand. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "tenon";
import { adaptSchema, profiles, type ModelProfile } from "tenon/models";

interface Adapted {
  readonly shown: unknown;
  readonly notes: readonly string[];
}

/** A property of an object, adapted. */
function adapted(property: unknown, profile: ModelProfile, root: JsonObject = {}): Adapted {
  const { schema, notes } = adaptSchema({ type: "object", properties: { p: property }, required: ["p"], ...root }, profile);
  return {
    shown: schema.properties["p"],
    notes: notes.flatMap(({ path, keyword, action }) => (path.startsWith("/properties/p") ? [`${keyword} ${action}`] : [])),
  };
}

/** Type, keyword, value, and what is said where the API does not take it; undefined if it is only left out. */
const KEYWORDS: readonly (readonly [type: string, keyword: string, value: unknown, words: string | undefined])[] = [
  ["number", "minimum", 1, "At least 1."],
  ["number", "maximum", 9, "At most 9."],
  ["number", "exclusiveMinimum", 0, "More than 0."],
  ["number", "exclusiveMaximum", 9, "Less than 9."],
  ["number", "multipleOf", 5, "A multiple of 5."],
  ["string", "minLength", 1, "At least 1 character."],
  ["string", "maxLength", 9, "At most 9 characters."],
  ["string", "pattern", "^a+$", "Matches the regular expression ^a+$."],
  ["string", "format", "uri", "Format uri."],
  ["array", "minItems", 1, "At least 1 item."],
  ["array", "maxItems", 9, "At most 9 items."],
  ["array", "uniqueItems", true, "No item twice."],
  ["array", "contains", { type: "null" }, 'Contains an item that matches {"type":"null"}.'],
  ["array", "minContains", 1, undefined],
  ["array", "maxContains", 1, undefined],
  ["array", "unevaluatedItems", false, undefined],
  ["object", "minProperties", 1, "At least 1 member."],
  ["object", "maxProperties", 9, "At most 9 members."],
  ["object", "dependentRequired", { a: ["b"] }, 'Members that need others: {"a":["b"]}.'],
  ["object", "propertyNames", { minLength: 2 }, 'Names of members match {"minLength":2}.'],
  ["object", "patternProperties", { "^x": { type: "string" } }, 'Members by pattern: {"^x":{"type":"string"}}.'],
  ["object", "dependentSchemas", { a: {} }, undefined],
  ["object", "unevaluatedProperties", false, undefined],
  ["string", "default", "a", 'Default "a".'],
  ["string", "not", { const: "b" }, 'Does not match {"const":"b"}.'],
  ["string", "if", { const: "b" }, undefined],
  ["string", "then", { const: "b" }, undefined],
  ["string", "else", { const: "b" }, undefined],
  ["string", "$dynamicRef", "#x", undefined],
];

const NUMBERS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const PLAIN = [
  ...[...NUMBERS, "minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems"],
  ...["minProperties", "maxProperties", "dependentRequired", "default"],
];
/** The keywords of the table that each API takes. */
const TAKES: readonly (readonly [ModelProfile, readonly string[]])[] = [
  [profiles.openai, PLAIN],
  [profiles.anthropic, PLAIN],
  [profiles.openaiStrict, [...NUMBERS, "pattern", "minItems", "maxItems"]],
  [profiles.anthropicStrict, []],
  [profiles.gemini, ["minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength", "pattern"]],
  [profiles.common, ["minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength", "pattern"]],
];

describe.each(TAKES.map(([profile, takes]) => ({ id: profile.id, profile, takes })))("$id", ({ profile, takes }) => {
  test.each(KEYWORDS)("%s with %s: %j", (type, keyword, value, words) => {
    const { shown, notes } = adapted({ type, [keyword]: value }, profile);
    const { description, ...rest } = shown as JsonObject;
    if (takes.includes(keyword)) {
      expect([rest[keyword], description]).toEqual([value, undefined]);
      expect(notes.filter((note) => note.startsWith(keyword))).toEqual([]);
    } else {
      expect([rest[keyword], description]).toEqual([undefined, words]);
      expect(notes).toContain(`${keyword} ${words === undefined ? "dropped" : "described"}`);
    }
  });

  test.each<[string, unknown]>([
    ...["$schema", "$id", "$comment", "$anchor", "title", "contentMediaType", "contentEncoding", "x-own"].map(
      (keyword): [string, unknown] => [keyword, "x"],
    ),
    ...["deprecated", "readOnly", "writeOnly"].map((keyword): [string, unknown] => [keyword, true]),
    ["$vocabulary", {}],
    ["examples", ["x"]],
  ])("leaves %s out and says nothing, because it limits nothing", (keyword, value) => {
    const { shown, notes } = adapted({ type: "string", [keyword]: value }, profile);
    expect([shown, notes]).toEqual([{ type: "string" }, []]);
  });

  test("a constant stays, or becomes a list of one", () => {
    const isKept = profile.keywords.has("const");
    const { shown, notes } = adapted({ const: "a" }, profile);
    expect([shown, notes]).toEqual(isKept ? [{ const: "a" }, []] : [{ enum: ["a"] }, ["const rewritten"]]);
  });
});

describe("what limits nothing or cannot be said", () => {
  const strict = profiles.anthropicStrict;
  test("no words for items that may be there twice, and none that are too long", () => {
    expect(adapted({ type: "array", items: { type: "null" }, uniqueItems: false }, strict)).toEqual({
      shown: { type: "array", items: { type: "null" } },
      notes: [],
    });
    const [fits, long] = ["x".repeat(492), "x".repeat(493)];
    expect((adapted({ type: "string", default: fits.slice(2) }, strict).shown as JsonObject)["description"]).toBe(
      `Default "${fits.slice(2)}".`,
    );
    expect(adapted({ type: "string", default: long }, strict).shown).toEqual({ type: "string" });
    expect(adapted({ type: "string", pattern: "x".repeat(600) }, strict)).toEqual({
      shown: { type: "string" },
      notes: ["pattern dropped"],
    });
  });

  test("a pattern that JavaScript cannot run is said, and formats of strict modes are kept", () => {
    expect(adapted({ type: "string", pattern: "(?i)a" }, profiles.openai)).toEqual({
      shown: { type: "string", description: "Matches the regular expression (?i)a." },
      notes: ["pattern described"],
    });
    const formats = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
    const keeps = (profile: ModelProfile): string[] =>
      formats.filter((format) => (adapted({ type: "string", format }, profile).shown as JsonObject)["format"] === format);
    expect([keeps(profiles.openaiStrict), keeps(strict)]).toEqual([formats, formats]);
    expect(keeps(profiles.gemini)).toEqual(["date-time", "time", "date", "duration"]);
  });

  test("several rules are one sentence, behind the schema's own description", () => {
    const schema = { type: "string", description: "A name", minLength: 2, maxLength: 1 };
    expect((adapted(schema, strict).shown as JsonObject)["description"]).toBe(
      "A name (at least 2 characters; at most 1 character)",
    );
  });
});

describe("combinations", () => {
  const gemini = profiles.gemini;
  const parts = (...allOf: JsonObject[]): Adapted => adapted({ allOf }, gemini);

  test.each<[string, unknown, unknown, unknown]>([
    ["minimum", 1, 2, 2],
    ["maximum", 1, 2, 1],
    ["minLength", 1, 2, 2],
    ["maxLength", 1, 2, 1],
    ["minItems", 2, 1, 2],
    ["maxItems", 2, 1, 1],
  ])("parts of an allOf join their %s: %j and %j", (keyword, left, right, joined) => {
    const { shown, notes } = parts({ [keyword]: left }, { [keyword]: right });
    expect([(shown as JsonObject)[keyword], notes]).toEqual([joined, ["allOf rewritten"]]);
  });

  test.each<[string, unknown, unknown, string]>([
    ["exclusiveMinimum", 1, 2, "More than 2."],
    ["exclusiveMaximum", 1, 2, "Less than 1."],
    ["minProperties", 1, 2, "At least 2 members."],
    ["maxProperties", 2, 3, "At most 2 members."],
    ["default", 1, 2, "Default 1."],
    ["description", "one", "two", "one"],
  ])("and those that are said: %s %j and %j", (keyword, left, right, words) => {
    const { shown, notes } = parts({ [keyword]: left }, { [keyword]: right });
    expect([(shown as JsonObject)["description"], notes[0]]).toEqual([words, "allOf rewritten"]);
  });

  test("members of two parts are joined; one of both must match both; what contradicts is dropped with a note", () => {
    const object = (properties: JsonObject, required: string[]): JsonObject => ({ type: "object", properties, required });
    const [text, number] = [{ type: "string" }, { type: "number" }];
    expect(parts(object({ a: text }, ["a"]), object({ b: number }, ["b"]))).toEqual({
      shown: object({ a: text, b: number }, ["a", "b"]),
      notes: ["allOf rewritten"],
    });
    expect(parts(object({ a: { minLength: 1 } }, []), object({ a: { maxLength: 2 } }, [])).shown).toMatchObject({
      properties: { a: { minLength: 1, maxLength: 2 } },
    });
    expect(parts(text, number)).toEqual({ shown: text, notes: ["allOf dropped"] });
  });

  test.each(["additionalProperties", "unevaluatedProperties", "patternProperties", "if", "then", "else", "prefixItems"])(
    "a part with %s is joined with no others, because it would close them",
    (keyword) => {
      const value =
        keyword === "prefixItems"
          ? [{ type: "string" }]
          : keyword === "patternProperties"
            ? { "^x": {} }
            : keyword === "additionalProperties"
              ? false
              : {};
      const { shown, notes } = parts({ description: "first" }, { [keyword]: value });
      expect([Object.keys(shown as JsonObject), notes[0]]).toEqual([["description"], "allOf dropped"]);
    },
  );

  test("two titles contradict nothing", () => {
    expect(parts({ title: "one", type: "string" }, { title: "two" })).toEqual({
      shown: { type: "string" },
      notes: ["allOf rewritten"],
    });
  });

  test("oneOf becomes anyOf with a sentence, or is left out beside an anyOf", () => {
    const oneOf = [{ type: "string" }, false, { type: "number" }];
    expect(adapted({ oneOf }, gemini)).toEqual({
      shown: { anyOf: [{ type: "string" }, { type: "number" }], description: "Matches exactly one of the alternatives." },
      notes: ["oneOf described"],
    });
    expect(adapted({ oneOf, anyOf: [{ type: "null" }] }, gemini)).toEqual({
      shown: { anyOf: [{ type: "null" }] },
      notes: ["oneOf dropped"],
    });
    expect(adapted({ oneOf }, profiles.openai).shown).toEqual({ oneOf: [{ type: "string" }, { type: "number" }] });
  });

  test("several types become alternatives, each with its values; one that has none is left out", () => {
    const several = { type: ["string", "integer", "null"], enum: ["a", 1, 2.5, null], description: "d" };
    expect(adapted(several, gemini)).toEqual({
      shown: {
        description: "d",
        anyOf: [
          { type: "string", enum: ["a"] },
          { type: "integer", enum: [1] },
          { type: "null", enum: [null] },
        ],
      },
      notes: ["type rewritten"],
    });
    expect(adapted({ type: ["string", "object", "array", "boolean"], enum: [true] }, gemini).shown).toEqual({
      type: "boolean",
      enum: [true],
    });
    const nullable = { ...gemini, nullability: "nullable" } as const;
    expect(adapted({ type: ["string", "null"], minLength: 1, description: "d" }, nullable).shown).toEqual({
      ...{ type: "string", minLength: 1, description: "d" },
      nullable: true,
    });
    expect(adapted(several, profiles.openai).shown).toEqual(several);
  });
});

describe("the root of a schema", () => {
  const root = (schema: JsonObject, profile: ModelProfile = profiles.openai): { schema: JsonObject; notes: string[] } => {
    const { schema: shown, notes } = adaptSchema(schema, profile);
    return { schema: shown, notes: notes.map(({ path, keyword, action }) => `${path} ${keyword} ${action}`) };
  };
  const EMPTY = { type: "object", properties: {} };

  test("is an object, whatever it was", () => {
    expect(root({})).toEqual({ schema: EMPTY, notes: [" type dropped"] });
    expect(root({ type: "string" })).toEqual({ schema: EMPTY, notes: [" type dropped"] });
    expect(root({ type: "object" })).toEqual({ schema: EMPTY, notes: [] });
    expect(root({ type: "object", enum: [{}], const: {} })).toEqual({
      schema: EMPTY,
      notes: [" enum dropped", " const dropped"],
    });
  });

  const [a, b, other] = [{ type: "string" }, { type: "number" }, { type: "boolean" }];
  const object = (properties: JsonObject, ...required: string[]): JsonObject => ({ type: "object", properties, required });
  test("that is an anyOf has the members of all; what all need is required; the alternatives are said", () => {
    const anyOf = [object({ a, b }, "a", "b"), object({ a: other, c: a }, "a"), { type: "null" }];
    expect(root({ type: "object", description: "Do it", anyOf })).toEqual({
      schema: {
        type: "object",
        description: "Do it (one of: {a, b} or {a})",
        properties: { a: { anyOf: [a, other] }, b, c: a },
        required: ["a"],
      },
      notes: [" anyOf described"],
    });
    expect(root({ type: "object", anyOf: [{ type: "object", properties: { a, b } }] }).schema["description"]).toBe(
      "One of: {a, b}.",
    );
    expect(root({ type: "object", anyOf: [] })).toEqual({ schema: EMPTY, notes: [" anyOf dropped"] });
  });

  test("that is an allOf has the members of all, and needs what each needs", () => {
    const allOf = [object({ a }, "a"), { $ref: "#/$defs/B" }];
    const { schema } = root({ type: "object", additionalProperties: false, allOf, $defs: { B: object({ b }, "b") } });
    expect(schema).toMatchObject({ properties: { a, b }, required: ["a", "b"] });
    expect(schema).not.toHaveProperty("additionalProperties");
    expect(schema).not.toHaveProperty("description");
  });

  test("that is a reference is followed eight times, and what stands beside it wins", () => {
    const chain = Object.fromEntries(
      Array.from({ length: 10 }, (_, at) => [`d${at}`, at === 9 ? object({ a }) : { $ref: `#/$defs/d${at + 1}` }]),
    );
    const from = (at: number): JsonObject => ({ $ref: `#/$defs/d${at}`, $defs: chain });
    expect(root(from(2)).schema).toMatchObject({ properties: { a } });
    expect(root(from(2)).notes).toEqual(Array.from({ length: 8 }, () => " $ref rewritten"));
    expect(root(from(1))).toMatchObject({ schema: { properties: {} } });
    expect(root(from(1)).notes).toContain(" $ref dropped");
    expect(root({ $ref: "#/$defs/none" }).notes).toEqual([" $ref dropped", " type dropped"]);
    const beside = { $ref: "#/$defs/B", description: "mine", $defs: { B: { ...object({ b }), description: "theirs" } } };
    expect(root(beside)).toMatchObject({ schema: { description: "mine" }, notes: [" $ref dropped"] });
  });

  test("a strict mode closes objects, and has no form for maps, for anything, and for alternatives at the root", () => {
    const strictOf = (schema: JsonObject): boolean => adaptSchema(schema, profiles.openaiStrict).strict;
    const inside = (p: JsonObject): JsonObject => ({ type: "object", properties: { p }, required: ["p"] });
    expect(strictOf(inside(object({ a }, "a")))).toBe(true);
    expect(strictOf(inside({ type: "object", properties: {}, additionalProperties: false }))).toBe(true);
    expect(strictOf(inside({ enum: [1] }))).toBe(true);
    expect(strictOf(inside({ const: 1 }))).toBe(true);
    expect(strictOf(inside({ anyOf: [a, b] }))).toBe(true);
    for (const open of [
      {},
      { minimum: 1 },
      { type: "object" },
      { ...object({ a }), additionalProperties: true },
      { ...object({ a }), additionalProperties: b },
    ])
      expect(strictOf(inside(open)), JSON.stringify(open)).toBe(false);
    expect(strictOf({ type: "object", anyOf: [object({ a }, "a")] })).toBe(false);
    expect(adaptSchema(inside(a), profiles.openai).strict).toBe(false);
  });
});
