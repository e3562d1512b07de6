/**
 * Whatever is written in the neutral model, what leaves on any revision is valid there and holds no member that only
 * other revisions have.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { McpError } from "../../src/jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../src/jsonrpc/message.ts";
import { SUPPORTED_PROTOCOL_VERSIONS, type ProtocolVersion } from "../../src/protocol/versions.ts";
import type { Codec } from "../../src/wire/codec.ts";
import { codecFor } from "../../src/wire/revisions.ts";
import { describeWith } from "../support/needs.ts";
import { asReceived, fromSchema } from "./from-schema.ts";
import type { Schema } from "./intended-differences.ts";
import { createOracle, definitionsOf, reference, type Message, type Oracle } from "./official-schema.ts";

const runs = Number(process.env["TENON_FUZZ_RUNS"] ?? 60);
/** Milliseconds for one message, on a busy machine. */
const timeout = 120_000 + 50 * runs;
const server = { name: "leak", version: "1.0.0" };
const client = { info: { name: "leak", version: "1.0.0" }, capabilities: {} };

/** The definitions of one revision with every member closed that only other revisions have. */
function withoutForeignMembers(version: ProtocolVersion): Record<string, Schema> {
  const own = definitionsOf(version, "writing");
  for (const other of SUPPORTED_PROTOCOL_VERSIONS) {
    const theirs = definitionsOf(other, "writing");
    for (const [name, schema] of Object.entries(theirs)) {
      const mine = own[name];
      if (mine) closeMembers(mine, schema, theirs);
    }
  }
  return own;
}

type Definitions = Readonly<Record<string, Schema>>;

function closeMembers(mine: Schema, theirs: Schema, others: Definitions, kept: readonly string[] = ["extensions"]): void {
  if (mine.$ref !== undefined) return;
  const members = resolve(theirs, others).properties ?? {};
  // Schemas of users are not ours to cut.
  const isOpen = mine.properties === undefined || "$schema" in members || "$schema" in mine.properties;
  for (const [name, member] of Object.entries(members)) {
    const known = mine.properties?.[name];
    if (known === undefined && !isOpen && !kept.includes(name)) mine.properties![name] = false;
    // Params may have `_meta` on every revision; some say so in the envelope only.
    else if (typeof known === "object" && typeof member === "object")
      closeMembers(known, member, others, name === "params" ? ["_meta"] : undefined);
  }
}

function resolve(schema: Schema, definitions: Definitions): Schema {
  return schema.$ref === undefined ? schema : (definitions[schema.$ref.split("/").at(-1) ?? ""] ?? {});
}

type Source = "2025-11-25" | "2026-07-28";

/** What is written by method: params, and complete results. */
function writtenFor(kind: Message["kind"], oracle: Oracle): ReadonlyMap<string, Schema> {
  const messages = oracle.messages.filter((message) => message.kind === kind);
  return new Map(messages.map(({ method, schema }) => [method, kind === "result" ? completeResult(schema) : schema]));
}

/** Where a result can be of several kinds, the complete one comes first. */
function completeResult(schema: Schema): Schema {
  return schema.anyOf?.[0] ?? schema;
}

/** Generated kinds are any string; handlers of complete results omit the kind or set it correctly. */
function asHandlersWrite(kind: Message["kind"], source: Source, value: JsonObject): JsonObject {
  if (kind === "result") return source === "2026-07-28" && "resultType" in value ? { ...value, resultType: "complete" } : value;
  // The test supplies what one revision requires and another does not have, and the id of what is cancelled.
  if (value["mode"] === "url") return { elicitationId: "1", ...value };
  return value;
}

function encode(codec: Codec, { method, kind }: Message, value: JsonObject): JsonObject | undefined {
  if (kind === "result") return codec.encodeResult(method, value, { server });
  const isRequest = codec.hasRequest(method, "client") || codec.hasRequest(method, "server");
  try {
    return isRequest ? codec.encodeRequest(method, value, client) : codec.encodeParams(method, value);
  } catch (error) {
    // Refused by name instead of sent in a form that the peer cannot read.
    if (error instanceof McpError) return undefined;
    throw error;
  }
}

describeWith(["schemas"], "messages [requirement S4 A2.4]", () => {
  describe.each(["2025-11-25", "2026-07-28"] as const)("written for %s", (source) => {
    const oracle = createOracle(source, definitionsOf(source, "writing"));

    describe.each([...SUPPORTED_PROTOCOL_VERSIONS])("on %s", (version) => {
      const codec = codecFor(version);
      const target = createOracle(version, withoutForeignMembers(version));

      for (const kind of ["params", "result"] as const) {
        const written = writtenFor(kind, oracle);
        const shared = target.messages.filter((message) => message.kind === kind && written.has(message.method));
        test.each(shared.map((message) => [`${kind} of ${message.method}`, message] as const))(
          "%s [requirement S4 A2.4]",
          { timeout },
          (_, message) => {
            const isValid = target.validator(kind === "result" ? completeResult(message.schema) : message.schema);
            const values = fromSchema(written.get(message.method) ?? {}, oracle.definitions)
              .map(asReceived)
              .filter(isJsonObject);
            fc.assert(
              fc.property(values, (value) => {
                fc.pre(message.method !== "notifications/cancelled" || value["requestId"] !== undefined);
                const before = JSON.stringify(value);
                const encoded = encode(codec, message, asHandlersWrite(kind, source, value));
                if (encoded === undefined) return;
                expect(isValid(asReceived(encoded)), `${before} became ${JSON.stringify(encoded)}`).toBe(true);
                expect(JSON.stringify(value)).toBe(before);
              }),
              { numRuns: runs },
            );
          },
        );
      }
    });
  });
});

/** How a codec writes the pieces of a handshake. */
const encodeNamed = {
  ClientCapabilities: (codec: Codec, value: JsonObject) => codec.encodeClientCapabilities(value),
  ServerCapabilities: (codec: Codec, capabilities: JsonObject) =>
    codec.encodeResult(codec.stateless ? "server/discover" : "initialize", { capabilities })["capabilities"],
  Implementation: (codec: Codec, value: JsonObject) => codec.encodeImplementation(value as never),
};

describeWith(["schemas"], "capabilities [requirement S4 A6.7]", () => {
  test.each([...SUPPORTED_PROTOCOL_VERSIONS])("%s [requirement S4 A6.7]", { timeout }, (version) => {
    const codec = codecFor(version);
    const target = createOracle(version, withoutForeignMembers(version));
    for (const source of ["2025-11-25", "2026-07-28"] as const) {
      const { definitions } = createOracle(source, definitionsOf(source, "writing"));
      for (const name of ["ClientCapabilities", "ServerCapabilities", "Implementation"] as const) {
        const isValid = target.validator(reference(name));
        fc.assert(
          fc.property(fromSchema(reference(name), definitions).map(asReceived), (value) => {
            const encoded = encodeNamed[name](codec, value as JsonObject);
            expect(isValid(encoded), `${JSON.stringify(value)} became ${JSON.stringify(encoded)}`).toBe(true);
          }),
          { numRuns: runs },
        );
      }
    }
  });
});
