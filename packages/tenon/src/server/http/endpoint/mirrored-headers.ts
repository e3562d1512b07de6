/**
 * Checks the headers that repeat the body of a stateless request, so that proxies can route without parsing: `MCP-Protocol-Version`,
 * `Mcp-Method`, `Mcp-Name`, `Mcp-Param-*` (MCP 2026-07-28, Streamable HTTP, Standard Request Headers).
 *
 * A header that differs from the body is refused, because a proxy may have let the request pass by its header.
 */
import { decodeUtf8 } from "../../../base/bytes.ts";
import { ErrorCode, McpError } from "../../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { PROTOCOL_VERSION_KEY } from "../../../protocol/meta-keys.ts";
import { methodsOf, type HeaderNames } from "../../../protocol/methods.ts";
import { STATELESS_VERSIONS } from "../../../protocol/versions.ts";
import { mirroredArguments, valueAt, type MirroredArgument } from "../../../schema/mirrored-arguments.ts";

export interface HeaderSource {
  header(name: string): string | undefined;
}

const METHODS = /* @__PURE__ */ methodsOf(STATELESS_VERSIONS[0]);

/** The error of headers that do not match the body of a stateless request; undefined if they match. `names` are the names of extensions. */
export function mirrorMismatch(
  headers: HeaderSource,
  method: string,
  params: JsonObject | undefined,
  names?: HeaderNames,
): McpError | undefined {
  const member = METHODS.get(method)?.httpName ?? names?.get(method);
  return versionMismatch(headers, params) ?? methodMismatch(headers, method) ?? nameMismatch(headers, member, params);
}

/** Checks `MCP-Protocol-Version` only. This comes before the check of the version itself. */
export function versionMismatch(headers: HeaderSource, params: JsonObject | undefined): McpError | undefined {
  const meta = params?.["_meta"] as JsonObject | undefined; // an object, or the request claims no version
  const sent = headers.header("mcp-protocol-version");
  return sent !== undefined && sent === meta?.[PROTOCOL_VERSION_KEY] ? undefined : headerMismatch("MCP-Protocol-Version", sent);
}

function methodMismatch(headers: HeaderSource, method: string): McpError | undefined {
  const sent = headers.header("mcp-method");
  return sent === method ? undefined : headerMismatch("Mcp-Method", sent);
}

function nameMismatch(headers: HeaderSource, member: string | undefined, params: JsonObject | undefined): McpError | undefined {
  if (member === undefined) return undefined;
  const name = params?.[member];
  // Without a name the params are invalid, and the codec refuses them.
  if (typeof name !== "string") return undefined;
  const sent = headers.header("mcp-name");
  return sent !== undefined && decodeHeader(sent) === name ? undefined : headerMismatch("Mcp-Name", sent);
}

/** Error -32020. It does not repeat the value, which may hold anything. */
export function headerMismatch(header: string, sent: string | undefined): McpError {
  const what = sent === undefined ? "is missing" : "does not match the body";
  return new McpError(ErrorCode.HeaderMismatch, `Header ${header} ${what}`, { header });
}

const PREFIX = "=?base64?";
const SUFFIX = "?=";
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const VISIBLE_ASCII = /^[\x20-\x7E]*$/;

function isEncoded(value: string): boolean {
  return value.startsWith(PREFIX) && value.endsWith(SUFFIX) && value.length >= PREFIX.length + SUFFIX.length;
}

/** Decodes a header value, `=?base64?…?=` included. Returns undefined if the value has illegal characters or invalid base64. */
export function decodeHeader(value: string): string | undefined {
  if (!isEncoded(value)) return VISIBLE_ASCII.test(value) ? value : undefined;
  const base64 = value.slice(PREFIX.length, -SUFFIX.length);
  if (!BASE64.test(base64)) return undefined;
  try {
    return decodeUtf8([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))]);
  } catch {
    return undefined;
  }
}

/**
 * The arguments of a tool that have headers, by its input schema. None if the annotations are invalid, because clients then ignore the
 * tool.
 */
const MIRRORED = new WeakMap<JsonObject, readonly MirroredArgument[]>();

function mirroredBy(inputSchema: JsonObject): readonly MirroredArgument[] {
  let found = MIRRORED.get(inputSchema);
  if (found === undefined) {
    const read = mirroredArguments(inputSchema);
    found = typeof read === "string" ? [] : read;
    MIRRORED.set(inputSchema, found);
  }
  return found;
}

/**
 * The error of wrong `Mcp-Param-*` headers. The header of an argument must have its value, and must be absent if the argument is absent.
 */
export function argumentMismatch(headers: HeaderSource, inputSchema: JsonObject, args: unknown): McpError | undefined {
  for (const { header, path } of mirroredBy(inputSchema)) {
    const value = valueAt(args, path);
    const sent = headers.header(header);
    const same = value === undefined || value === null ? sent === undefined : sent !== undefined && matchesHeader(sent, value);
    if (!same) return headerMismatch(header, sent);
  }
  return undefined;
}

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** Compares numbers by value: `42.0` says 42. Values of other types pass, because the schema refuses them. */
function matchesHeader(sent: string, value: unknown): boolean {
  const text = decodeHeader(sent);
  if (typeof value === "number") return text !== undefined && DECIMAL.test(text) && Number(text) === value;
  if (typeof value === "boolean") return text === (value ? "true" : "false");
  return typeof value !== "string" || text === value;
}
