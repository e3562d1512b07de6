/**
 * Headers that repeat what a stateless request says in its body, so that what stands between can route without
 * parsing: `MCP-Protocol-Version`, `Mcp-Method`, `Mcp-Name`, `Mcp-Param-*` (spec 2026-07-28 basic/transports; F2, F3).
 *
 * A header that says something else than the body is refused, or a proxy would let through what it meant to stop.
 */
import { decodeUtf8 } from "../../../base/utf8.ts";
import { ErrorCode, McpError } from "../../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../../jsonrpc/message.ts";
import { PROTOCOL_VERSION_KEY } from "../../../protocol/meta-keys.ts";
import { methodsOf, type HeaderNames } from "../../../protocol/methods.ts";
import { STATELESS_VERSIONS } from "../../../protocol/versions.ts";
import { mirroredArguments, type MirroredArgument } from "../../../schema/mirrored-arguments.ts";

/** Where header values come from. */
export interface HeaderSource {
  header(name: string): string | undefined;
}

const METHODS = /* @__PURE__ */ methodsOf(STATELESS_VERSIONS[0]);

/** What is wrong with the headers of a stateless request; undefined where they match the body. `names` are those of extensions. */
export function mirrorMismatch(
  headers: HeaderSource,
  method: string,
  params: JsonObject | undefined,
  names?: HeaderNames,
): McpError | undefined {
  const member = METHODS.get(method)?.httpName ?? names?.get(method);
  return versionMismatch(headers, params) ?? methodMismatch(headers, method) ?? nameMismatch(headers, member, params);
}

/** Only `MCP-Protocol-Version`: what is checked before the version itself is judged (Z4). */
export function versionMismatch(headers: HeaderSource, params: JsonObject | undefined): McpError | undefined {
  const meta = params?.["_meta"] as JsonObject | undefined; // an object, or nothing was claimed
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
  // Without a name the params are wrong, which is said elsewhere.
  if (typeof name !== "string") return undefined;
  const sent = headers.header("mcp-name");
  return sent !== undefined && decodeHeader(sent) === name ? undefined : headerMismatch("Mcp-Name", sent);
}

/** -32020. The value that was sent is not repeated: it may be anything. */
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

/** The text a header value stands for, `=?base64?…?=` decoded (F2.7); undefined where it has characters or base64 that are none. */
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

/** The arguments of a tool that have headers, by its input schema. Clients leave a tool out whose annotations are wrong: then none. */
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

/** What is wrong with the `Mcp-Param-*` headers of a call: each argument that has one is there and in it, or in neither (F3.5). */
export function argumentMismatch(headers: HeaderSource, inputSchema: JsonObject, args: unknown): McpError | undefined {
  for (const { header, path } of mirroredBy(inputSchema)) {
    const value = valueAt(args, path);
    const sent = headers.header(header);
    const same = value === undefined || value === null ? sent === undefined : sent !== undefined && matchesHeader(sent, value);
    if (!same) return headerMismatch(header, sent);
  }
  return undefined;
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** Numbers are compared as such: `42.0` says 42. What is neither text, number nor boolean the schema will refuse. */
function matchesHeader(sent: string, value: unknown): boolean {
  const text = decodeHeader(sent);
  if (typeof value === "number") return text !== undefined && DECIMAL.test(text) && Number(text) === value;
  if (typeof value === "boolean") return text === (value ? "true" : "false");
  return typeof value !== "string" || text === value;
}
