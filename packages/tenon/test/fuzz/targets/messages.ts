/** JSON, JSON-RPC messages, lines and event streams: what arrives as text from a peer. */
import { MalformedMessage } from "../../../src/jsonrpc/incoming.ts";
import { DEFAULT_JSON_LIMITS } from "../../../src/jsonrpc/json-limits.ts";
import { McpError } from "../../../src/jsonrpc/mcp-error.ts";
import { isBatch } from "../../../src/jsonrpc/message.ts";
import { parseMessage } from "../../../src/jsonrpc/parse.ts";
import { parseJson } from "../../../src/jsonrpc/parse-json.ts";
import { stringifyMessage } from "../../../src/jsonrpc/serialise.ts";
import { LineSplitter, type Line } from "../../../src/node/stdio/line-splitter.ts";
import { factsOf } from "./strict-json.ts";
import { assert, assertSame, attemptOnly, type Target } from "./target.ts";

const isMcpError = (error: unknown): boolean => McpError.isMcpError(error);

/** Accepts what the model accepts within the limits, as the same value as `JSON.parse`; refuses the rest with an `McpError`. */
export const json: Target = {
  name: "json",
  kind: "text",
  run(text) {
    if (text.length > 10_000) return; // the limits on counts have tests of their own
    const facts = factsOf(text);
    const outcome = attemptOnly(() => parseJson(text), isMcpError);
    const { depth, numberLength } = DEFAULT_JSON_LIMITS;
    const legal = facts !== undefined && !facts.hasDuplicate && facts.depth <= depth && facts.longestNumber <= numberLength;
    assert("value" in outcome === legal, `accepted: ${"value" in outcome}, by the model: ${legal}`);
    if ("value" in outcome) assertSame("the value", outcome.value, JSON.parse(text));
  },
};

/** Never throws; what is accepted is the same after it was written and read again. */
export const message: Target = {
  name: "message",
  kind: "json",
  run(text) {
    const incoming = parseMessage(text);
    const items = isBatch(incoming) ? incoming : [incoming];
    for (const item of items) {
      if (item instanceof MalformedMessage) assert(Number.isInteger(item.error.code), "an error without a code");
      else
        assertSame(
          "the message after a round trip",
          knownMembers(parseMessage(stringifyMessage(item))),
          knownMembers(written(item)),
        );
    }
  },
};

/** As JSON has it: a number that is -0 is written as 0. */
function written(item: object): object {
  return JSON.parse(JSON.stringify(item)) as object;
}

/** What else a peer puts beside them is not part of the message. */
function knownMembers(item: object): object {
  const known = new Set(["jsonrpc", "id", ...("method" in item ? ["method", "params"] : ["result", "error"])]);
  return Object.fromEntries(Object.entries(item).filter(([name]) => known.has(name)));
}

/** The same lines, however the bytes are cut: the first character says how. */
export const lines: Target = {
  name: "lines",
  kind: "text",
  run(text) {
    const step = (text.charCodeAt(0) % 7) + 1;
    const bytes = Buffer.from(text.slice(1), "latin1"); // every byte, UTF-8 or not
    assertSame(`the lines in chunks of ${step}`, split(bytes, step), split(bytes, bytes.length + 1));
  },
};

function split(bytes: Buffer, step: number): readonly unknown[] {
  const splitter = new LineSplitter(200);
  const found: Line[] = [];
  const outcome = attemptOnly(() => {
    for (let at = 0; at < bytes.length; at += step) splitter.push(Buffer.from(bytes.subarray(at, at + step)), found);
    splitter.end(found);
  }, isMcpError);
  const shown = found.map((line) => (typeof line === "string" ? line : line.error.message));
  return "error" in outcome ? [...shown, "too long"] : shown;
}
