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
import { SUPPORTED_PROTOCOL_VERSIONS } from "../../src/protocol/versions.ts";
import type { Codec } from "../../src/wire/codec.ts";
import { codecFor } from "../../src/wire/codecs.ts";
import { asReceived, damagedFromSchema, fromSchema } from "./from-schema.ts";
import { areSchemasAvailable, createOracle, definitionsOf, type Message } from "./official-schema.ts";

const runs = Number(process.env["TENON_FUZZ_RUNS"] ?? 240);

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

/** Most identities name the revision that is spoken. */
function withKnownVersion(value: unknown, version: string): unknown {
  const meta = isJsonObject(value) ? value["_meta"] : undefined;
  if (isJsonObject(meta) && typeof meta[PROTOCOL_VERSION_KEY] === "string") meta[PROTOCOL_VERSION_KEY] = version;
  return value;
}

describe.runIf(areSchemasAvailable()).each([...SUPPORTED_PROTOCOL_VERSIONS])("%s", (version) => {
  const codec = codecFor(version);
  const oracle = createOracle(version, definitionsOf(version, true));

  test("S4 the method table has exactly the methods of the official schema", () => {
    expect([...methodsOf(version).keys()].sort()).toEqual([...oracle.methods].sort());
  });

  test.each(oracle.messages.map((message) => [`${message.kind} of ${message.method}`, message] as const))("S4 TY-90 %s", (_, message) => {
    const isValid = oracle.validator(message.schema);
    const values = fc
      .oneof(
        { weight: 2, arbitrary: fromSchema(message.schema, oracle.definitions) },
        { weight: 3, arbitrary: damagedFromSchema(message.schema, oracle.definitions) },
        { weight: 1, arbitrary: fc.object({ maxDepth: 3, maxKeys: 4 }) },
      )
      .map((value) => withKnownVersion(asReceived(value), version))
      .filter(isJsonObject);
    fc.assert(
      fc.property(values, (value) => {
        const before = JSON.stringify(value);
        expect(accepts(codec, message, value), before).toBe(isValid(value));
        expect(JSON.stringify(value)).toBe(before);
      }),
      { numRuns: runs },
    );
  });
});
