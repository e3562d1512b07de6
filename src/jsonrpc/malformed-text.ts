/**
 * What can still be read from text that is not a message: whose call it breaks, and whether it may be answered.
 *
 * A look at the outermost object without parsing it, since it may be too large to parse or no JSON at all. This is how
 * a call whose answer exceeds a limit fails at once instead of waiting for its timeout.
 */
import { MalformedMessage } from "./incoming.ts";
import { ErrorCode, type McpError } from "./mcp-error.ts";
import { isRequestId, type RequestId } from "./message.ts";
import { endOfString } from "./parse-json.ts";

/** Code units that are looked at. Most implementations write the id before the params or the result. */
const WINDOW = 64 * 1024;

/** The malformed message that `text` is, with its id where one can be read before the first 64 Ki characters end. */
export function toMalformedMessage(error: McpError, text: string): MalformedMessage {
  const head = text.slice(0, WINDOW).trimStart();
  const members = head.startsWith("{") ? outermostMembers(head) : {};
  const isResponse = members["method"] === undefined && (members["result"] ?? members["error"]) !== undefined;
  // JSON-RPC 2.0, 5: what answers a text that is not JSON has no id. For a response it only tells which call failed.
  const hasId = isResponse || error.code !== ErrorCode.ParseError;
  return new MalformedMessage(error, hasId ? readId(head, members["id"]) : null, isResponse);
}

const COLON = /[ \t\r\n]*:[ \t\r\n]*/y;

/** Where the values of the outermost object begin, each by its name as it is written. */
function outermostMembers(head: string): Record<string, number> {
  const members: Record<string, number> = {};
  let depth = 0;
  for (let i = 0; i < head.length; i++) {
    const char = head[i];
    if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") depth--;
    else if (char === '"') {
      const start = i + 1;
      i = endOfString(head, start);
      COLON.lastIndex = i + 1;
      if (depth === 1 && COLON.test(head)) members[head.slice(start, i)] ??= COLON.lastIndex;
    }
  }
  return members;
}

function readId(head: string, start = head.length): RequestId | null {
  let end = head[start] === '"' ? endOfString(head, start + 1) + 1 : start;
  while (end < head.length && !", }\t\r\n".includes(head.charAt(end))) end++;
  // Cut off by the end of the window or of the text, it may be another id's beginning.
  if (end >= head.length) return null;
  try {
    const id: unknown = JSON.parse(head.slice(start, end));
    return isRequestId(id) ? id : null;
  } catch {
    return null;
  }
}
