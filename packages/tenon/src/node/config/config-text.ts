/** Parses the text of a configuration file: JSON with comments and trailing commas, as editors allow them. */
import { LimitExceededError, McpError } from "../../jsonrpc/mcp-error.ts";
import { parseJson } from "../../jsonrpc/parse-json.ts";
import { lineOfSyntaxError } from "./config-places.ts";
import { ServerConfigError } from "./config-problem.ts";

/** A string or a comment. Matching both keeps comments inside strings, and strings inside comments, apart. */
const STRING_OR_COMMENT = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
/** A string or a trailing comma. */
const STRING_OR_COMMA = /"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g;

/** Most characters of a configuration. Hosts that keep their own data in it have files of a few million. */
const MAX_LENGTH = 32 * 1024 * 1024;
const FORM = 'JSON, such as { "mcpServers": { "name": { "url": "https://…" } } }';

/** @throws ServerConfigError with a line if the text is not JSON, has one key twice, or is too large */
export function parseConfigText(text: string, file: string): unknown {
  const unusable = whyUnusable(text);
  if (unusable !== undefined) throw new ServerConfigError(file, [{ message: unusable }]);
  const plain = withoutComments(text, file);
  try {
    return parseJson(plain);
  } catch (error) {
    const message = McpError.isMcpError(error) ? error.message : String(error); // names the problem, never the text
    const line = error instanceof LimitExceededError ? undefined : lineOfSyntaxError(plain);
    throw new ServerConfigError(file, [{ message, ...(line !== undefined && { line }) }]);
  }
}

function whyUnusable(text: string): string | undefined {
  if (text.trim() === "") return `is empty. It must be ${FORM}`;
  if (text.includes("\0")) return `is not text in UTF-8. It must be ${FORM}`;
  return text.length > MAX_LENGTH ? `has ${text.length} characters, and a configuration has at most ${MAX_LENGTH}` : undefined;
}

/** @throws ServerConfigError if a string is too long for the search */
function withoutComments(text: string, file: string): string {
  try {
    return text
      .replace(/^\uFEFF/, "")
      .replace(STRING_OR_COMMENT, (part) => (part.startsWith('"') ? part : blankOut(part)))
      .replace(STRING_OR_COMMA, (part) => (part.startsWith('"') ? part : " "));
  } catch (cause) {
    if (cause instanceof RangeError) throw new ServerConfigError(file, [{ message: "has a string that is too long" }]);
    throw cause;
  }
}

/** Replaces text by spaces of the same length, so that line numbers stay the same. */
function blankOut(text: string): string {
  return text.replace(/[^\n]/g, " ");
}
