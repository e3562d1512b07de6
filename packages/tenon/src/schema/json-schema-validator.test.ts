import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { costIn } from "../../test/support/cpu-cost.ts";
import { isPromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { LimitExceededError } from "../jsonrpc/mcp-error.ts";
import { createJsonSchemaValidator, defaultJsonSchemaValidator, type JsonSchemaCheck } from "./json-schema-validator.ts";

/** Compiles synchronously: the engines are loaded by `beforeAll`. */
function compile(schema: JsonObject, validator = createJsonSchemaValidator()): JsonSchemaCheck {
  const compiled = validator.compile(schema);
  if (isPromise(compiled)) throw new Error("compiled asynchronously");
  return compiled;
}
beforeAll(async () => void (await defaultJsonSchemaValidator.compile({ pattern: "a" })));

/**
 * The outcome of work that may cost less than `max` units: each takes a few milliseconds on any machine, as long as reading 200
 * KB of JSON.
 */
function outcome(work: () => unknown, max: number): unknown {
  let result: unknown;
  const attempt = (): void => {
    try {
      result = work();
    } catch (error) {
      result = error;
    }
  };
  expect(costIn(() => JSON.parse(REFERENCE), attempt, max)).toBeLessThan(max);
  return result;
}
const REFERENCE = JSON.stringify(Array.from({ length: 10_000 }, (_, i) => ({ name: `${i}`, b: i })));

function nested(depth: number): JsonObject {
  let schema: JsonObject = {};
  for (let i = 0; i < depth; i++) schema = { not: schema };
  return schema;
}
function cyclic(): JsonObject {
  const schema: JsonObject = {};
  schema["not"] = schema;
  return schema;
}
const entries = (count: number, each: (i: number) => [string, unknown]): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => each(i)));

describe("a hostile schema is refused at once, with the reason [C16 R9]", () => {
  it.each<[string, () => JsonObject, string]>([
    ["depth 10 000", () => nested(10_000), 'Limit "schemaDepth" of 64 exceeded'],
    ["a cyclic object", cyclic, 'Limit "schemaDepth" of 64 exceeded'],
    ["10 000 subschemas", () => ({ properties: entries(10_000, (i) => [`p${i}`, {}]) }), 'Limit "subschemas" of 10000 exceeded'],
    ["100 000 subschemas", () => ({ allOf: Array.from({ length: 99_999 }, () => ({})) }), 'Limit "subschemas" of 10000 exceeded'],
    [
      "100 000 boolean subschemas",
      () => ({ allOf: Array.from({ length: 100_001 }, () => true) }),
      'Limit "schemaNodes" of 100000 exceeded',
    ],
    ["a pattern of 1 025 characters", () => ({ pattern: "a".repeat(1_025) }), 'Limit "patternLength" of 1024 exceeded (1025)'],
    ["a pattern that expands", () => ({ pattern: "(.?){900}(.{1,900}){900}" }), 'Limit "patternSize" of 8000 exceeded'],
    [
      "a thousand patterns",
      () => ({ patternProperties: entries(1_000, (i) => [`^p${i}$`, {}]) }),
      'Limit "patternSize" of 8000 exceeded',
    ],
    ["look-ahead inside", () => ({ pattern: "^a(?=b)" }), "Invalid schema at /pattern: the pattern cannot be run in linear time"],
    ["a back-reference", () => ({ pattern: "(a)\\1" }), "Invalid schema at /pattern: the pattern cannot be run in linear time"],
    [
      "an unbalanced pattern",
      () => ({ patternProperties: { "(": {} } }),
      "Invalid schema at /patternProperties/(: the pattern cannot be run",
    ],
    ["a remote $ref", () => ({ $ref: "http://169.254.169.254/latest" }), "references are never fetched"],
  ])("%s", (_title, schema, reason) => {
    const hostile = schema();
    expect(String(outcome(() => compile(hostile), 50))).toContain(reason);
  });

  it("the largest schema that is accepted compiles in bounded time", () => {
    const schema = { type: "object", properties: entries(9_990, (i) => [`p${i}`, { type: "string", minLength: 1 }]) };
    expect(outcome(() => compile(schema), 200)).toBeTypeOf("function");
  });
});

describe("a value meets a hostile schema [C16 R9]", () => {
  const chain = entries(40, (i) => [`d${i}`, { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] }]);
  const tree = {
    $defs: { x: { allOf: [{ properties: { a: { $ref: "#/$defs/x" } } }, { properties: { a: { $ref: "#/$defs/x" } } }] } },
    $ref: "#/$defs/x",
  };
  const deep = (depth: number): unknown => (depth === 0 ? {} : { a: deep(depth - 1) });

  it.each<[string, JsonObject, unknown, string]>([
    [
      "doubling references",
      { $ref: "#/$defs/d0", $defs: { ...chain, d40: {} } },
      {},
      'Limit "validationSteps" of 1000000 exceeded',
    ],
    ["doubling over a deep value", tree, deep(60), 'Limit "validationSteps" of 1000000 exceeded'],
    ["a $ref to itself", { $ref: "#" }, {}, 'Limit "refDepth" of 512 exceeded'],
    [
      "two $refs in a circle",
      { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" },
      {},
      'Limit "refDepth" of 512 exceeded',
    ],
    [
      "a circle of unevaluated branches",
      { $defs: { x: { unevaluatedProperties: false, anyOf: [{ $ref: "#/$defs/x" }] } }, $ref: "#/$defs/x" },
      { a: 1 },
      'Limit "refDepth" of 512 exceeded',
    ],
    ["a value of depth 10 000", { additionalProperties: { $ref: "#" } }, deep(5_000), 'Limit "refDepth" of 512 exceeded'],
    [
      "a pattern with exponentially many states",
      { pattern: ".*a.{200}c$" },
      `c${"ab".repeat(50_000)}`,
      'Limit "validationSteps" of 1000000 exceeded',
    ],
    [
      "many long enumerations",
      { items: { enum: entriesOfEnum() } },
      Array.from({ length: 50_000 }, () => [8_999, 0]),
      'Limit "validationSteps" of 1000000 exceeded',
    ],
    [
      "many required members",
      { items: { not: { required: Array.from({ length: 50_000 }, (_, i) => `r${i}`) } } },
      Array.from({ length: 50_000 }, () => ({})),
      'Limit "validationSteps" of 1000000 exceeded',
    ],
  ])("%s: the work is bounded", (_title, schema, value, reason) => {
    const check = compile(schema);
    const result = outcome(() => check(value), 50);
    expect(result).toBeInstanceOf(LimitExceededError);
    expect(String(result)).toContain(reason);
  });

  function entriesOfEnum(): unknown[] {
    return Array.from({ length: 9_000 }, (_, i) => [i, 0]);
  }

  it("(a+)+$ runs in linear time", () => {
    const check = compile({ pattern: "(a+)+$" });
    const result = outcome(() => check(`${"a".repeat(100_000)}!`), 50);
    expect(result).toMatchObject({ issues: [{ message: "must match the pattern (a+)+$" }] });
  });

  it("a limit that was met leaves the check as good as before", () => {
    const check = compile(tree);
    expect(() => check(deep(60))).toThrow(LimitExceededError);
    for (let i = 0; i < 1_000; i++) expect(check(deep(3)).issues).toBeUndefined();
  });

  it("ordinary sizes are far from the limits", () => {
    const check = compile({
      type: "array",
      items: {
        type: "object",
        properties: { id: { type: "integer" }, name: { type: "string", pattern: "^[a-z]+$" } },
        required: ["id", "name"],
        additionalProperties: false,
      },
    });
    expect(check(Array.from({ length: 10_000 }, (_, id) => ({ id, name: "abcdef" }))).issues).toBeUndefined();
  });
});

describe("nothing is ever fetched [A8.2 CS-59]", () => {
  it("a schema that refers to a server is refused without a connection", async () => {
    let connections = 0;
    const server = createServer().on("connection", () => connections++);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/schema.json`;
    for (const schema of [
      { $ref: url },
      { $id: url, $ref: "other.json" },
      { $schema: url },
      { $dynamicRef: `${url}#a` },
      { properties: { a: { $ref: `${url}#/x` } } },
    ]) {
      expect(() => compile(schema)).toThrow(expect.objectContaining({ name: "InvalidSchemaError" }));
    }
    await new Promise((resolve) => server.close(resolve));
    expect(connections).toBe(0);
  });
});

describe("the draft is that of $schema, and 2020-12 without one [CS-59]", () => {
  const draft7 = "http://json-schema.org/draft-07/schema#";
  const draft2020 = "https://json-schema.org/draft/2020-12/schema";
  const isValid = (schema: object, value: unknown): boolean => compile(schema as JsonObject)(value).issues === undefined;

  it.each([
    [{ $schema: draft7, items: [{ type: "string" }] }, false],
    [{ $schema: draft7, prefixItems: [{ type: "string" }] }, true], // not a keyword of it
    [{ $schema: draft2020, prefixItems: [{ type: "string" }] }, false],
    [{ prefixItems: [{ type: "string" }] }, false],
    [{ $schema: draft7, dependencies: { a: ["b"] } }, true], // a list is no object
  ])("%j takes [1]: %s", (schema, expected) => expect(isValid(schema, [1])).toBe(expected));

  it("a member that only one of them knows counts there alone", () => {
    expect(isValid({ $schema: draft7, dependencies: { a: ["b"] } }, { a: 1 })).toBe(false);
    expect(isValid({ dependentRequired: { a: ["b"] } }, { a: 1 })).toBe(false);
    expect(isValid({ $schema: draft7, dependentRequired: { a: ["b"] } }, { a: 1 })).toBe(true);
  });
});

describe("the cache [CS-60]", () => {
  it("finds a schema by its content, not by its object or its $id", () => {
    const validator = createJsonSchemaValidator();
    const first = compile({ $id: "http://x.example/s", type: "string" }, validator);
    expect(compile({ $id: "http://x.example/s", type: "string" }, validator)).toBe(first);
    const second = compile({ $id: "http://x.example/s", type: "number" }, validator);
    expect([first("a").issues, second(1).issues]).toEqual([undefined, undefined]);
    expect(second("a").issues).toBeDefined();
  });

  it("true is not 1", () => {
    const validator = createJsonSchemaValidator();
    expect(compile({ const: true }, validator)(1).issues).toBeDefined();
    expect(compile({ const: 1 }, validator)(1).issues).toBeUndefined();
  });

  it("what happens to the object later changes nothing", () => {
    const schema: JsonObject = { properties: { a: { type: "string" } } };
    const check = compile(schema);
    schema["properties"] = { a: { type: "number" } };
    expect(check({ a: "x" }).issues).toBeUndefined();
  });

  it("keeps 256 schemas, the most recently used [rule R5]", () => {
    const validator = createJsonSchemaValidator();
    const kept = compile({ title: "kept" }, validator);
    const dropped = compile({ title: "dropped" }, validator);
    for (let i = 0; i < 255; i++) {
      compile({ title: `other ${i}` }, validator);
      compile({ title: "kept" }, validator);
    }
    expect(compile({ title: "kept" }, validator)).toBe(kept);
    expect(compile({ title: "dropped" }, validator)).not.toBe(dropped);
  });

  it("an invalid schema is invalid each time [CS-56]", () => {
    const validator = createJsonSchemaValidator();
    for (let i = 0; i < 2; i++) expect(() => compile({ type: "text" }, validator)).toThrow(/Invalid schema at \/type/);
  });
});

describe("values", () => {
  it("are never changed: no defaults, no coercion, nothing removed", () => {
    const value = { n: "1", extra: true };
    const check = compile({
      type: "object",
      properties: { n: { type: "string" }, d: { default: 5 } },
      additionalProperties: true,
    });
    expect(check(value)).toEqual({ value: { n: "1", extra: true } });
    expect((check(value) as { value: unknown }).value).toBe(value);
    expect(compile({ properties: { n: { type: "number" } } })(value).issues).toBeDefined();
  });

  it("members of the prototype are not members", () => {
    expect(compile({ required: ["toString"] })({}).issues).toBeDefined();
    expect(compile({ properties: { constructor: { type: "string" } } })({}).issues).toBeUndefined();
    expect(
      compile({ properties: JSON.parse('{"__proto__":{"type":"string"}}') })(JSON.parse('{"__proto__":1}')).issues,
    ).toBeDefined();
  });
});

describe("Compiling", () => {
  it("is synchronous; with a pattern, once the engine for patterns is there [CS-58]", () => {
    expect(isPromise(createJsonSchemaValidator().compile({ type: "string", pattern: "a" }))).toBe(false);
  });

  it("limits are the caller's", () => {
    const validator = createJsonSchemaValidator({ validationSteps: 10, schemaDepth: 3 });
    expect(() => compile({ items: { type: "number" } }, validator)([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])).toThrow(
      'Limit "validationSteps" of 10 exceeded',
    );
    expect(() => compile(nested(3), validator)).toThrow('Limit "schemaDepth" of 3 exceeded');
  });
});
