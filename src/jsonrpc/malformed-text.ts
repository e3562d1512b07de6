/**
 * What can still be read from text that is not a message: whose call it breaks, and whether it may be answered.
 *
 * A look at the outermost object without parsing it, since it may be too large to parse or no JSON at all. This is how
 * a call whose answer exceeds a limit fails at once instead of waiting for its timeout.
 */
import { MalformedMessage } from "./incoming.ts";
import { ErrorCode, type McpError } from "./mcp-error.ts";
import { isRequestId, type RequestId } from "./message.ts";
import { endOfString } from "./scan-json.ts";

/** Code units that are looked at. Most implementations write the id before the params or the result. */
const WINDOW = 64 * 1024;

/** The malformed message that `text` is, with its id where one can be read before the first 64 Ki characters end. */
export function malformedText(error: McpError, text: string): MalformedMessage {
  const head = text.slice(0, WINDOW).trimStart();
  const envelope = new Envelope();
  if (head.startsWith("{")) envelope.read(head);
  // JSON-RPC 2.0, 5: what answers a text that is not JSON has no id. For a response it only tells which call failed.
  const hasId = envelope.isResponse || error.code !== ErrorCode.ParseError;
  return new MalformedMessage(error, hasId ? envelope.id : null, envelope.isResponse);
}

class Envelope {
  id: RequestId | null = null;
  #isCall = false;
  #isAnswer = false;

  get isResponse(): boolean {
    return this.#isAnswer && !this.#isCall;
  }

  read(head: string): void {
    let depth = 0;
    for (let i = 0; i < head.length; i++) {
      const char = head[i];
      if (char === "{" || char === "[") depth++;
      else if (char === "}" || char === "]") depth--;
      else if (char === '"') {
        const end = endOfString(head, i + 1);
        if (depth === 1) this.#readMember(head, head.slice(i + 1, end), end + 1);
        i = end;
      }
    }
  }

  /** `from` is where a colon follows, if `text` is a key. */
  #readMember(head: string, text: string, from: number): void {
    const colon = /[ \t\r\n]*:[ \t\r\n]*/y;
    colon.lastIndex = from;
    if (!colon.test(head)) return;
    if (text === "method") this.#isCall = true;
    else if (text === "result" || text === "error") this.#isAnswer = true;
    else if (text === "id") this.id ??= readId(head, colon.lastIndex);
  }
}

function readId(head: string, start: number): RequestId | null {
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
