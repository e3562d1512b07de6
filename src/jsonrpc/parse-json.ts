/**
 * JSON from somebody else: `JSON.parse` within limits, and without duplicate keys.
 *
 * `JSON.parse` keeps the last of two equal keys where another parser keeps the first, so that a proxy and a server may
 * read one text as two different things. A text has a duplicate exactly if it has more members than its tree has keys;
 * comparing two counts finds it without a parser of our own.
 */
import { DEFAULT_JSON_LIMITS, type JsonLimits } from "./json-limits.ts";
import { ErrorCode, LimitExceededError, McpError, ProtocolViolationError } from "./mcp-error.ts";
import { scanJson } from "./scan-json.ts";

/**
 * The value of a JSON text. A `__proto__` member is an own property like any other.
 *
 * @throws LimitExceededError -32600 where a limit is exceeded; what cannot be read cheaply is refused before parsing
 * @throws McpError -32700 where it is not JSON
 * @throws ProtocolViolationError -32600 where an object has one key twice
 */
export function parseJson(text: string, limits: JsonLimits = DEFAULT_JSON_LIMITS): unknown {
  if (text.length > limits.size) throw new LimitExceededError("size", limits.size, text.length);
  const members = scanJson(text, limits);
  const value = parse(text);
  if (members > 0 && countKeys(value, members, limits.keysPerObject) !== members) {
    throw new ProtocolViolationError("Invalid JSON: an object has the same key twice");
  }
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // V8's own message quotes the input, which must not be echoed.
    throw new McpError(ErrorCode.ParseError, "Parse error: not valid JSON");
  }
}

/** The keys of all objects in `value`; stops looking where it has found `members`, since there cannot be more. */
function countKeys(value: unknown, members: number, max: number): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && count < members; i++) count += countKeys(value[i], members - count, max);
    return count;
  }
  const keys = Object.keys(value);
  if (keys.length > max) throw new LimitExceededError("keysPerObject", max, keys.length);
  count = keys.length;
  for (let i = 0; i < keys.length && count < members; i++) {
    // Own by construction, so `__proto__` reads the member and not the prototype.
    count += countKeys((value as Record<string, unknown>)[keys[i]!], members - count, max);
  }
  return count;
}
