/**
 * Golden transcripts: what one conversation looks like on the wire of each revision, message by message.
 *
 * `UPDATE_TRANSCRIPTS=1` writes them anew; read the difference against the specification before it is committed.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isRequestId, SUPPORTED_PROTOCOL_VERSIONS, type JsonObject, type ProtocolVersion, type RequestId } from "tenon";
import { createOracle, definitionsOf, reference } from "../differential/official-schema.ts";
import { assertHas } from "../support/needs.ts";
import { recordConversation } from "./conversation.ts";

const fileOf = (revision: ProtocolVersion): URL => new URL(`${revision}.jsonl`, import.meta.url);

interface Line {
  readonly from: "client" | "server";
  readonly message: JsonObject;
}

describe.each(SUPPORTED_PROTOCOL_VERSIONS)("The transcript of %s", (revision) => {
  it("is what crosses the wire [A1.5 A2.4 A5.4 K1.4]", async () => {
    const recorded = await recordConversation(revision);
    if (process.env["UPDATE_TRANSCRIPTS"]) writeFileSync(fileOf(revision), recorded);
    expect(recorded.split("\n")).toEqual(readFileSync(fileOf(revision), "utf8").split("\n"));
  });

  it("holds JSON-RPC, without null for what is absent [A1.1 A1.7 CV-03 XT-22]", () => {
    for (const { message } of linesOf(revision)) {
      expect(message["jsonrpc"]).toBe("2.0");
      if ("id" in message) expect(isRequestId(message["id"])).toBe(true);
      expect(JSON.stringify(message).replaceAll('"detail":null', "").replaceAll('"example.com/trace":null', "")).not.toContain(
        "null",
      );
    }
  });

  it("holds only messages that fit the official schema [A1.7 K1.4]", (context) => {
    assertHas(context, "schemas");
    const definitions = definitionsOf(revision, "writing");
    const oracle = createOracle(revision, definitions);
    const asked = new Map<RequestId, string>();
    const envelope = (name: string, older: string): string => (name in definitions ? name : older);
    for (const { message } of linesOf(revision)) {
      const { id, method, params, result } = message;
      const checks: [string, unknown][] = [];
      if (typeof method === "string") {
        checks.push([id === undefined ? "JSONRPCNotification" : "JSONRPCRequest", message]);
        if (isRequestId(id)) asked.set(id, method);
        const shape = oracle.messages.find((row) => row.method === method && row.kind === "params");
        if (shape) expect([message, oracle.validator(shape.schema)(params ?? {})]).toEqual([message, true]);
      } else if ("error" in message) checks.push([envelope("JSONRPCErrorResponse", "JSONRPCError"), message]);
      else {
        checks.push([envelope("JSONRPCResultResponse", "JSONRPCResponse"), message]);
        const shape = oracle.messages.find((row) => row.method === asked.get(id as RequestId) && row.kind === "result");
        expect([message, shape && oracle.validator(shape.schema)(result)]).toEqual([message, true]);
      }
      for (const [name, value] of checks) expect([message, oracle.validator(reference(name))(value)]).toEqual([message, true]);
    }
  });
});

function linesOf(revision: ProtocolVersion): Line[] {
  const text = readFileSync(fileOf(revision), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line); // what the recorder writes
}
