/**
 * The official schemas as oracles: which messages a revision has, and whether a value is a valid one.
 *
 * The files are not part of this repository: `npm run setup -- schemas` brings them.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ProtocolVersion } from "../../src/protocol/versions.ts";
import { folderOf } from "../support/needs.ts";
import { intendedDifferences, type Schema } from "./intended-differences.ts";

const folder = folderOf("schemas") ?? "";

export interface Message {
  readonly method: string;
  readonly kind: "params" | "result";
  /** What the message must fit, as a schema over the definitions. */
  readonly schema: Schema;
}

export interface Oracle {
  readonly definitions: Readonly<Record<string, Schema>>;
  readonly methods: readonly string[];
  readonly messages: readonly Message[];
  validator(schema: Schema): (value: unknown) => boolean;
}

/** Methods whose result is not called after their request, or is nothing but an empty one. */
const resultNames: Readonly<Record<string, string>> = {
  "server/discover": "DiscoverResult",
  ping: "EmptyResult",
  "resources/subscribe": "EmptyResult",
  "resources/unsubscribe": "EmptyResult",
  "logging/setLevel": "EmptyResult",
};
const asking = ["tools/call", "resources/read", "prompts/get"];
const taskable = ["tools/call", "sampling/createMessage", "elicitation/create"];

function read(version: ProtocolVersion): Record<string, Schema> {
  const root = JSON.parse(readFileSync(join(folder, `${version}.json`), "utf8")) as Schema;
  return root.$defs ?? root.definitions ?? {};
}

/** The definitions of one revision: as one has to write, or as Tenon means to read. */
export function definitionsOf(version: ProtocolVersion, purpose: "reading" | "writing"): Record<string, Schema> {
  const definitions = read(version);
  for (const difference of intendedDifferences) {
    if (difference.versions.includes(version) && (purpose === "reading" || difference.kind === "file"))
      difference.apply(definitions);
  }
  return definitions;
}

export function reference(name: string): Schema {
  return { $ref: `#/$defs/${name}` };
}

export function createOracle(version: ProtocolVersion, definitions: Record<string, Schema>): Oracle {
  // A union with one member is written in place: it is not a message of its own.
  const requests = Object.entries(definitions).filter(
    ([name, schema]) => methodOf(schema) !== undefined && name !== "ClientNotification",
  );
  const messages: Message[] = [];
  for (const [name, schema] of requests) {
    const method = methodOf(schema) ?? "";
    messages.push({ method, kind: "params", schema: paramsSchema(version, name, schema, definitions) });
    const result = resultNames[method] ?? name.replace(/Request$/, "Result");
    if (!method.startsWith("notifications/"))
      messages.push({ method, kind: "result", schema: resultSchema(version, method, result) });
  }
  const ajv = new (version < "2025-11-25" ? Ajv : Ajv2020)({ strict: false, validateFormats: false });
  const local = rename(definitions);
  return {
    definitions,
    methods: requests.map(([, schema]) => methodOf(schema) ?? ""),
    messages,
    validator: (schema) => {
      const validate = ajv.compile({ ...rename(schema), $defs: local });
      return (value) => validate(value);
    },
  };
}

function methodOf(schema: Schema): string | undefined {
  const method = schema.properties?.["method"];
  return typeof method === "object" && typeof method.const === "string" ? method.const : undefined;
}

/** The older files say what every request and notification may carry in `_meta` only once, in the envelope. */
function paramsSchema(version: ProtocolVersion, name: string, schema: Schema, definitions: Record<string, Schema>): Schema {
  const params = schema.properties?.["params"];
  const own = typeof params === "object" ? params : {};
  if (version >= "2025-11-25") return own;
  const envelope = definitions[name.endsWith("Request") ? "JSONRPCRequest" : "JSONRPCNotification"]?.properties?.["params"];
  return { allOf: [typeof envelope === "object" ? envelope : {}, own] };
}

function resultSchema(version: ProtocolVersion, method: string, name: string): Schema {
  if (version === "2025-11-25" && taskable.includes(method)) return { anyOf: [reference(name), reference("CreateTaskResult")] };
  if (version === "2026-07-28" && asking.includes(method)) return { anyOf: [reference(name), reference("InputRequiredResult")] };
  return reference(name);
}

/** `definitions` of the older files as `$defs`. */
function rename<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value).replaceAll("#/definitions/", "#/$defs/")) as Value;
}
