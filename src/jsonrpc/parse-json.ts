/**
 * JSON from somebody else: `JSON.parse` within limits, and without duplicate keys.
 *
 * `JSON.parse` keeps the last of two equal keys where another parser keeps the first, so that a proxy and a server may
 * read one text as two different things. A text has a duplicate exactly if it has more members than its tree has keys;
 * comparing two counts finds it without a parser of our own.
 */
import { DEFAULT_JSON_LIMITS, type JsonLimits } from "./json-limits.ts";
import { ErrorCode, LimitExceededError, McpError, ProtocolViolationError } from "./mcp-error.ts";
import type { JsonObject } from "./message.ts";
import { membersAtMost, scanJson } from "./scan-json.ts";

/**
 * The value of a JSON text; `given` are the limits that differ from {@link DEFAULT_JSON_LIMITS}. A `__proto__` member is an own property like any other.
 *
 * @throws LimitExceededError -32600 where a limit is exceeded; what cannot be read cheaply is refused before parsing
 * @throws McpError -32700 where it is not JSON
 * @throws ProtocolViolationError -32600 where an object has one key twice
 */
export function parseJson(text: string, given?: Partial<JsonLimits>): unknown {
  const limits = given === undefined ? DEFAULT_JSON_LIMITS : { ...DEFAULT_JSON_LIMITS, ...given };
  if (text.length > limits.size) throw new LimitExceededError("size", limits.size, text.length);
  const atMost = membersAtMost(text, limits);
  const members = atMost ?? scanJson(text, limits);
  const value = parse(text);
  const keys = keysBelow(value, members, limits.keysPerObject);
  // At a glance the colons inside strings are members too.
  if (keys !== members && (atMost === undefined || keys !== scanJson(text, limits))) {
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

/** The keys of all objects in `tree`; stops looking where it has found `members`, since there cannot be more. */
function countKeys(tree: object, members: number, max: number): number {
  let count = 0;
  if (Array.isArray(tree)) {
    for (let i = 0; i < tree.length && count < members; i++) count += keysBelow(tree[i], members - count, max);
    return count;
  }
  let own = 0;
  // Without `hasOwn`, which would double the cost: were Object.prototype polluted, the counts would differ and the text
  // be refused. A `__proto__` member is own here, so it is read as a member.
  for (const key in tree) {
    own++;
    count += 1 + keysBelow((tree as JsonObject)[key], members - count, max);
  }
  if (own > max) throw new LimitExceededError("keysPerObject", max, own);
  return count;
}

function keysBelow(value: unknown, members: number, max: number): number {
  return typeof value === "object" && value !== null && members > 0 ? countKeys(value, members, max) : 0;
}
