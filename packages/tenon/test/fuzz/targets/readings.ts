/**
 * Messages that deviate from their revision: what is read nevertheless. An input is `[revision, method, "params" or "result",
 * value]`.
 */
import { McpError } from "../../../src/jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../../src/jsonrpc/message.ts";
import type { Codec } from "../../../src/wire/codec.ts";
import type { Deviation, Reading } from "../../../src/wire/deviations.ts";
import { codecFor } from "../../../src/wire/revisions.ts";
import { assert, assertSame, attemptOnly, type Target } from "./target.ts";

const isMcpError = (error: unknown): boolean => McpError.isMcpError(error);

/** What is read of a value, or the error: with its deviations, as one that conforms, and by a strict reader. */
function readings(codec: Codec, method: string, kind: "params" | "result", value: JsonObject) {
  const read = (given: JsonObject, reading?: Reading) =>
    attemptOnly(
      () =>
        kind === "result" ? codec.decodeResult(method, given, undefined, reading) : codec.decodeParams(method, given, reading),
      isMcpError,
    );
  const named: Deviation[] = [];
  const lenient = read(value, { strict: false, deviated: (deviation) => named.push(deviation) });
  const strict = read(value, { strict: true, deviated: () => undefined });
  return { plain: read(value), lenient, strict, again: "value" in lenient ? read(lenient.value) : undefined, named };
}

/**
 * What conforms is read as it is, and nothing is said. What deviates and is read has a name for it, conforms afterwards, and is
 * refused by a strict reader. The value itself is not changed.
 */
export const deviations: Target = {
  name: "deviations",
  kind: "json",
  run(text) {
    const input = attemptOnly(
      () => JSON.parse(text) as unknown,
      (error) => error instanceof SyntaxError,
    );
    if (!("value" in input) || !Array.isArray(input.value)) return;
    const [version, method, kind, value] = input.value as unknown[];
    if (typeof version !== "string" || typeof method !== "string" || !isJsonObject(value)) return;
    const codec = codecFor(version);
    if (codec === undefined || (kind !== "params" && kind !== "result")) return;
    const before = JSON.stringify(value);
    const { plain, lenient, strict, again, named } = readings(codec, method, kind, value);
    assertSame("the value after it was read", JSON.stringify(value), before);
    assert(again === undefined || "value" in again, `what was read does not conform: ${JSON.stringify(lenient)}`);
    const others = named.filter((deviation) => deviation.kind !== "empty-cursor");
    if ("value" in plain) {
      assert("value" in lenient && others.length === 0, `conforms, but ${JSON.stringify(named)}`);
      if (named.length === 0) assertSame("what was read", lenient.value, plain.value);
    } else if ("value" in lenient && others.length === 0) {
      // A member that only other revisions have may be null.
      assert(before.includes("null"), `was read without a word as ${JSON.stringify(lenient)}`);
    }
    assert("value" in strict === ("value" in lenient && named.length === 0), `by a strict reader: ${JSON.stringify(strict)}`);
  },
};
