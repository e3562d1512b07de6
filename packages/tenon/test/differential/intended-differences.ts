/**
 * Every place where Tenon's verdict on a message is meant to differ from the official schema, with the reason.
 *
 * Each entry is executable: it changes the official schema into the one Tenon is compared with. What is not listed
 * here must agree exactly.
 */
import type { ProtocolVersion } from "../../src/protocol/versions.ts";

/** A JSON Schema as the official files have it. */
export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  definitions?: Record<string, Schema>;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema | boolean>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  format?: string;
}

export interface IntendedDifference {
  readonly reason: string;
  /** `file`: the official file differs from the specification. `reading`: Tenon reads what it would not write. */
  readonly kind: "file" | "reading";
  readonly versions: readonly ProtocolVersion[];
  /** Changes the definitions of one revision in place. */
  readonly apply: (definitions: Record<string, Schema>) => void;
}

const stateful = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
const stateless = ["2026-07-28"] as const;
const cacheable = [
  "DiscoverResult",
  "ListToolsResult",
  "ListPromptsResult",
  "ListResourcesResult",
  "ListResourceTemplatesResult",
  "ReadResourceResult",
];

function definition(definitions: Record<string, Schema>, name: string): Schema {
  const found = definitions[name];
  if (!found) throw new Error(`The official schema has no ${name}`);
  return found;
}

function drop(schema: Schema, ...names: string[]): void {
  schema.required = (schema.required ?? []).filter((name) => !names.includes(name));
}

export const intendedDifferences: readonly IntendedDifference[] = [
  {
    reason: "`format` is not checked: URIs and base64 are passed on as they are (CL-17)",
    kind: "reading",
    versions: [...stateful, ...stateless],
    apply: (definitions) => walk(definitions, (schema) => typeof schema.format === "string" && delete schema.format),
  },
  {
    reason: "any JSON value is one: the generator of the official file lost null and fractions",
    kind: "file",
    versions: stateless,
    apply: (definitions) => (definitions["JSONValue"] = {}),
  },
  {
    reason: "numbers people type into forms may have fractions: number schemas allow them, the generated result lost them",
    kind: "file",
    versions: ["2025-06-18", "2025-11-25", "2026-07-28"],
    apply: (definitions) =>
      walk(definition(definitions, "ElicitResult"), (schema) => {
        if (Array.isArray(schema.type)) schema.type = schema.type.map((type) => (type === "integer" ? "number" : type));
      }),
  },
  {
    reason: "deployed servers leave `content` out of tool results; an empty list is meant (K1.8)",
    kind: "reading",
    versions: stateful,
    apply: (definitions) => drop(definition(definitions, "CallToolResult"), "content"),
  },
  {
    reason: "`content` of tool results in sampling may be missing; an empty list is meant (TY-78)",
    kind: "reading",
    versions: ["2025-11-25", "2026-07-28"],
    apply: (definitions) => drop(definition(definitions, "ToolResultContent"), "content"),
  },
  {
    reason: "`_meta` must be an object in these messages as in all others, and a progress token a string or an integer",
    kind: "reading",
    versions: ["2025-11-25"],
    apply: (definitions) => {
      for (const name of ["GetTaskRequest", "GetTaskPayloadRequest", "CancelTaskRequest"])
        paramsOf(definitions, name)["_meta"] = requestMeta(definitions);
      paramsOf(definitions, "ElicitationCompleteNotification")["_meta"] = { type: "object" };
    },
  },
  {
    reason:
      "absent `resultType` means complete (A2.2), absent `ttlMs` and `cacheScope` mean 0 and private, " +
      "a negative `ttlMs` means 0 (J2)",
    kind: "reading",
    versions: stateless,
    apply: (definitions) => {
      for (const schema of Object.values(definitions)) drop(schema, "resultType");
      for (const name of cacheable) {
        drop(definition(definitions, name), "ttlMs", "cacheScope");
        definition(definitions, name).properties!["ttlMs"] = { type: "integer" };
      }
    },
  },
  {
    reason: "a result is what its `resultType` says; only `input_required` asks (A2.3), and then for something (H1)",
    kind: "reading",
    versions: stateless,
    apply: (definitions) => {
      for (const [name, schema] of Object.entries(definitions)) {
        if (!name.endsWith("Result") || !schema.properties?.["resultType"]) continue;
        schema.properties["resultType"] = {
          type: "string",
          const: name === "InputRequiredResult" ? "input_required" : "complete",
        };
      }
      const asking = definition(definitions, "InputRequiredResult");
      asking.required = ["resultType"];
      asking.anyOf = [{ required: ["inputRequests"] }, { required: ["requestState"] }];
    },
  },
];

function paramsOf(definitions: Record<string, Schema>, name: string): Record<string, Schema | boolean> {
  const params = definition(definitions, name).properties?.["params"];
  if (typeof params !== "object" || !params.properties) throw new Error(`${name} has no params of its own`);
  return params.properties;
}

function requestMeta(definitions: Record<string, Schema>): Schema {
  const meta = definition(definitions, "RequestParams").properties?.["_meta"];
  if (typeof meta !== "object") throw new Error("RequestParams has no _meta");
  return meta;
}

/** Every schema below `root`, itself included. */
function walk(root: unknown, visit: (schema: Schema) => void): void {
  if (typeof root !== "object" || root === null) return;
  visit(root);
  for (const child of Object.values(root)) walk(child, visit);
}
