/**
 * Tenon's verdict on a message against that of the official schema, for every message of every revision: values that
 * fit, the same values damaged, and values that never fitted. `TENON_FUZZ_RUNS` sets the cases per message.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ErrorCode, McpError } from "../../src/jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../src/jsonrpc/message.ts";
import { methodsOf } from "../../src/protocol/methods.ts";
import { PROTOCOL_VERSION_KEY } from "../../src/protocol/meta-keys.ts";
import { SUPPORTED_PROTOCOL_VERSIONS, type ProtocolVersion } from "../../src/protocol/versions.ts";
import type { Codec } from "../../src/wire/codec.ts";
import type { Deviation, DeviationKind, Reading } from "../../src/wire/deviations.ts";
import { entryOf } from "../../src/wire/revision.ts";
import { codecFor, REVISIONS } from "../../src/wire/revisions.ts";
import { ShapeChecks, type ShapeCheck } from "../../src/wire/shape.ts";
import { describeWith } from "../support/needs.ts";
import { asReceived, damagedFromSchema, fromSchema } from "./from-schema.ts";
import type { Schema } from "./intended-differences.ts";
import { createOracle, definitionsOf, reference, type Message, type Oracle } from "./official-schema.ts";

const runs = Number(process.env["TENON_FUZZ_RUNS"] ?? 200);
/** Milliseconds for one message, on a busy machine. */
const timeout = 120_000 + 50 * runs;

function accepts(codec: Codec, { method, kind }: Message, value: JsonObject): boolean {
  try {
    if (kind === "result") codec.decodeResult(method, value);
    else decodeParams(codec, method, value);
    return true;
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    // The shape is right; which versions are served is another question.
    return error.code === ErrorCode.UnsupportedProtocolVersion;
  }
}

function decodeParams(codec: Codec, method: string, params: JsonObject): void {
  codec.decodeParams(method, params);
  if (codec.stateless && codec.hasRequest(method, "client")) codec.decodeIdentity(params);
}

/**
 * The kinds of deviation that a reader of single messages may name: the others concern lists of pages, and the callbacks of a
 * client.
 */
const NAMED: ReadonlySet<DeviationKind> = new Set([
  "null",
  "empty-list",
  "empty-object",
  "boolean-schema",
  "untyped-schema",
  "boolean-capability",
  "single",
  "missing-content",
  "empty-cursor",
  "left-out",
]);

/**
 * A lenient reading takes what the schema allows unchanged, but for an empty cursor. It names each difference of whatever else it
 * takes, what it has read fits the schema, and a strict reading refuses exactly what it names.
 */
function assertReading(codec: Codec, { method, kind }: Message, value: JsonObject, fits: boolean): void {
  const decode = (given: JsonObject, how?: Reading): JsonObject =>
    kind === "result" ? codec.decodeResult(method, given, undefined, how) : codec.decodeParams(method, given, how);
  const text = JSON.stringify(value);
  const named: Deviation[] = [];
  const read = taken(() => decode(value, { strict: false, deviated: (deviation) => named.push(deviation) }));
  expect(taken(() => decode(value, { strict: true, deviated: () => undefined })) !== undefined, text).toBe(
    read !== undefined && named.length === 0,
  );
  if (read === undefined) return expect(fits, text).toBe(false);
  expect(() => decode(read), `${text} was read as ${JSON.stringify(read)}`).not.toThrow();
  const kinds = named.map(({ kind: of }) => of).filter((of) => of !== "empty-cursor");
  expect(kinds.length > 0, text).toBe(taken(() => decode(value)) === undefined);
  if (fits) expect(kinds, text).toEqual([]);
  for (const of of kinds) expect(NAMED, text).toContain(of);
}

/** What `decode` returns; undefined if it refuses. */
function taken(decode: () => JsonObject): JsonObject | undefined {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    return undefined;
  }
}

/** Most identities name the revision that is spoken. */
function withKnownVersion(value: unknown, version: string): unknown {
  const meta = isJsonObject(value) ? value["_meta"] : undefined;
  if (isJsonObject(meta) && typeof meta[PROTOCOL_VERSION_KEY] === "string") meta[PROTOCOL_VERSION_KEY] = version;
  return value;
}

function valuesOf(schema: Schema, { definitions }: Oracle): fc.Arbitrary<unknown> {
  return fc
    .oneof(
      { weight: 2, arbitrary: fromSchema(schema, definitions) },
      { weight: 4, arbitrary: damagedFromSchema(schema, definitions) },
      { weight: 1, arbitrary: fc.object({ maxDepth: 3, maxKeys: 4 }) },
    )
    .map(asReceived);
}

/** The named pieces both sides have. Results depend on their kind and are compared as messages. */
function piecesOf({ definitions }: Oracle, version: ProtocolVersion): [string, ShapeCheck][] {
  const typeOf = (name: string): string | undefined => entryOf(REVISIONS[version], "types", name);
  const checks = new ShapeChecks(typeOf);
  return Object.keys(definitions)
    .filter((name) => typeOf(name) !== undefined && !name.endsWith("Result"))
    .map((name) => [name, checks.type(name)]);
}

describeWith(["schemas"], "every message [requirement S4 TY-90]", () => {
  describe.each([...SUPPORTED_PROTOCOL_VERSIONS])("%s", (version) => {
    const codec = codecFor(version);
    const oracle = createOracle(version, definitionsOf(version, "reading"));

    test("the method table has exactly the methods of the official schema [requirement S4]", () => {
      expect([...methodsOf(version).keys()].sort()).toEqual([...oracle.methods].sort());
    });

    // Deep inside a message a wrong shape is rarely hit: the pieces are compared by themselves.
    test.each(piecesOf(oracle, version))("%s [requirement S4]", { timeout }, (name, check) => {
      const isValid = oracle.validator(reference(name));
      fc.assert(
        fc.property(valuesOf(reference(name), oracle), (value) => {
          expect(check(value) === undefined, JSON.stringify(value)).toBe(isValid(value));
        }),
        { numRuns: runs },
      );
    });

    test.each(oracle.messages.map((message) => [`${message.kind} of ${message.method}`, message] as const))(
      "%s [requirement S4 TY-90]",
      { timeout },
      (_, message) => {
        const isValid = oracle.validator(message.schema);
        const values = valuesOf(message.schema, oracle)
          .map((value) => withKnownVersion(value, version))
          .filter(isJsonObject);
        fc.assert(
          fc.property(values, (value) => {
            const before = JSON.stringify(value);
            const fits = isValid(value);
            expect(accepts(codec, message, value), before).toBe(fits);
            assertReading(codec, message, value, fits);
            expect(JSON.stringify(value)).toBe(before);
          }),
          { numRuns: runs },
        );
      },
    );
  });
});
