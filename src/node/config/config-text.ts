/** The text of a configuration file as JSON: with comments and trailing commas, which editors allow in theirs. */
import { McpError } from "../../jsonrpc/mcp-error.ts";
import { parseJson } from "../../jsonrpc/parse-json.ts";
import { ServerConfigError } from "./config-problem.ts";

/** A string, or a comment: what looks like the other inside one of them is not. */
const STRING_OR_COMMENT = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
/** A string, or a comma that nothing follows. */
const STRING_OR_COMMA = /"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g;

/** @throws ServerConfigError for what is no JSON, has one key twice, or is larger than any configuration */
export function parseConfigText(text: string, file: string): unknown {
  const plain = text
    .replace(/^\uFEFF/, "")
    .replace(STRING_OR_COMMENT, (part) => (part.startsWith('"') ? part : blankOut(part)))
    .replace(STRING_OR_COMMA, (part) => (part.startsWith('"') ? part : " "));
  try {
    return parseJson(plain);
  } catch (error) {
    const message = McpError.isMcpError(error) ? error.message : String(error); // says what it is about, never what was read
    throw new ServerConfigError(file, [{ message: message + placeOf(plain) }]);
  }
}

/** As long as it was, so that what follows stays where it is. */
function blankOut(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

/** Where the text ends to be JSON, as far as the runtime says so. */
function placeOf(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    // Nothing but the number: the message may quote the text.
    const position = /position (\d+)/.exec(String(error))?.[1];
    return position === undefined ? "" : ` (line ${text.slice(0, Number(position)).split("\n").length})`;
  }
}
