/**
 * Reads what it can from text that is not a message: the id of the call that it breaks, and whether it may get a response.
 *
 * It looks at the outermost object without parsing it, because the text may be too large to parse or not JSON at all. So a call
 * whose response exceeds a limit fails at once instead of waiting for its timeout.
 */
import { jsonIn } from "./parse-json.ts";
import { MalformedMessage } from "./incoming.ts";
import { ErrorCode, type McpError } from "./mcp-error.ts";
import { isRequestId, type RequestId } from "./message.ts";
import { endOfString } from "./end-of-string.ts";

/** Code units that are searched. Most implementations write the id before the params or the result. */
const WINDOW = 64 * 1024;

/** Makes a malformed message of `text`, with its id if the first 64 Ki characters contain it. */
export function toMalformedMessage(error: McpError, text: string): MalformedMessage {
  const head = text.slice(0, WINDOW).trimStart();
  const members = head.startsWith("{") ? outermostMembers(head) : {};
  const isResponse = members["method"] === undefined && (members["result"] ?? members["error"]) !== undefined;
  // JSON-RPC 2.0, section 5: the error response to text that is not JSON has no id. For a response the id only tells which call
  // failed.
  const hasId = isResponse || error.code !== ErrorCode.ParseError;
  return new MalformedMessage(error, hasId ? readId(head, members["id"]) : null, isResponse);
}

const COLON = /[ \t\r\n]*:[ \t\r\n]*/y;

/** Where the values of the outermost object begin, by the written name of each. */
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
  // If the value is cut off by the end of the window or of the text, it may be the beginning of another id.
  if (end >= head.length) return null;
  const id = jsonIn(head.slice(start, end));
  return isRequestId(id) ? id : null;
}
