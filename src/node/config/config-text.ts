/** Parses the text of a configuration file: JSON with comments and trailing commas, as editors allow them. */
import { LimitExceededError, McpError } from "../../jsonrpc/mcp-error.ts";
import { parseJson } from "../../jsonrpc/parse-json.ts";
import { lineOfSyntaxError } from "./config-places.ts";
import { ServerConfigError } from "./config-problem.ts";

/** A string or a comment. Matching both keeps comments inside strings, and strings inside comments, apart. */
const STRING_OR_COMMENT = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
/** A string or a trailing comma. */
const STRING_OR_COMMA = /"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g;

/** @throws ServerConfigError with a line if the text is not JSON, has one key twice, or is too large */
export function parseConfigText(text: string, file: string): unknown {
  const plain = text
    .replace(/^\uFEFF/, "")
    .replace(STRING_OR_COMMENT, (part) => (part.startsWith('"') ? part : blankOut(part)))
    .replace(STRING_OR_COMMA, (part) => (part.startsWith('"') ? part : " "));
  try {
    return parseJson(plain);
  } catch (error) {
    const message = McpError.isMcpError(error) ? error.message : String(error); // names the problem, never the text
    const line = error instanceof LimitExceededError ? undefined : lineOfSyntaxError(plain);
    throw new ServerConfigError(file, [{ message, ...(line !== undefined && { line }) }]);
  }
}

/** Replaces text by spaces of the same length, so that line numbers stay the same. */
function blankOut(text: string): string {
  return text.replace(/[^\n]/g, " ");
}
