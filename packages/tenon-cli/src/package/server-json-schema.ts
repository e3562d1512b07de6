/**
 * What the MCP registry takes as a `server.json`, for the members that this command writes or reads: a subset of
 * https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json in words of our own.
 */
import type { JsonObject } from "tenon";

export const SERVER_JSON_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

const text: JsonObject = { type: "string", minLength: 1 };
/** A range of versions is not a version. */
const version: JsonObject = { ...text, maxLength: 255, not: { anyOf: [{ const: "latest" }, { pattern: "^[~^<>=]|[*xX]$|\\s" }] } };
const input: JsonObject = {
  type: "object",
  required: ["name"],
  properties: {
    name: text,
    description: { type: "string" },
    isRequired: { type: "boolean" },
    isSecret: { type: "boolean" },
    format: { enum: ["string", "number", "boolean", "filepath"] },
    value: { type: "string" },
    default: { type: "string" },
    choices: { type: "array", items: { type: "string" } },
  },
};
/** A URL may begin with a variable in braces. */
const remote: JsonObject = {
  type: "object",
  required: ["type", "url"],
  properties: {
    type: { enum: ["streamable-http", "sse"] },
    url: { type: "string", pattern: "^(https?://|\\{[a-zA-Z_][a-zA-Z0-9_]*\\})\\S*$" },
    headers: { type: "array", items: input },
  },
};
const argument: JsonObject = {
  type: "object",
  required: ["type"],
  properties: {
    type: { enum: ["positional", "named"] },
    value: { type: "string" },
    valueHint: { type: "string" },
    name: { type: "string" },
  },
};

export const serverJsonSchema: JsonObject = {
  type: "object",
  required: ["$schema", "name", "description", "version"],
  properties: {
    $schema: {
      type: "string",
      pattern: "^https://static\\.modelcontextprotocol\\.io/schemas/\\d{4}-\\d{2}-\\d{2}/server\\.schema\\.json$",
    },
    name: { type: "string", minLength: 3, maxLength: 200, pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$" },
    title: { ...text, maxLength: 100 },
    description: { ...text, maxLength: 100 },
    version,
    websiteUrl: { type: "string", pattern: "^https?://\\S+$" },
    repository: {
      type: "object",
      required: ["url", "source"],
      properties: {
        url: { type: "string", pattern: "^https?://\\S+$" },
        source: text,
        id: { type: "string" },
        subfolder: { type: "string" },
      },
    },
    packages: {
      type: "array",
      items: {
        type: "object",
        required: ["registryType", "identifier", "transport"],
        additionalProperties: false,
        properties: {
          registryType: { ...text, enum: ["npm", "pypi", "cargo", "oci", "nuget", "mcpb"] },
          registryBaseUrl: { type: "string" },
          identifier: text,
          version,
          fileSha256: { type: "string", pattern: "^[a-f0-9]{64}$" },
          runtimeHint: { type: "string" },
          transport: { anyOf: [{ type: "object", required: ["type"], properties: { type: { const: "stdio" } } }, remote] },
          runtimeArguments: { type: "array", items: argument },
          packageArguments: { type: "array", items: argument },
          environmentVariables: { type: "array", items: input },
        },
      },
    },
    remotes: { type: "array", items: remote },
  },
};
