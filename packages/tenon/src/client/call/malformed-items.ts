/** Leaves malformed items out of lists. A group uses it, so that a server loses its malformed items and not the whole list. */
import { ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";

/** Reads a result. @throws ProtocolViolationError if it is malformed */
type Decode = (result: JsonObject) => JsonObject;

/** The list in the result of each list request. */
const LISTS: ReadonlyMap<string, string> = new Map([
  ["tools/list", "tools"],
  ["prompts/list", "prompts"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
]);

/** Wraps `decode` so that it leaves malformed items out of a list and reports them. */
export function skippingMalformedItems(method: string, decode: Decode, report: (error: Error) => void): Decode {
  const list = LISTS.get(method);
  if (list === undefined) return decode;
  return (result) => {
    try {
      return decode(result);
    } catch (error) {
      const items = result[list];
      if (!Array.isArray(items)) throw error;
      const usable = items.filter((item: unknown) => isUsable(item, (one) => decode({ ...result, [list]: one }), report));
      if (usable.length === items.length) throw error;
      return decode({ ...result, [list]: usable });
    }
  };
}

function isUsable(item: unknown, decode: (list: unknown[]) => unknown, report: (error: Error) => void): boolean {
  try {
    decode([item]);
    return true;
  } catch (cause) {
    const name = isJsonObject(item) ? (item["name"] ?? item["uri"]) : undefined;
    const which = typeof name === "string" ? JSON.stringify(name) : "an entry";
    const reason = cause instanceof Error ? cause.message : String(cause);
    report(new ProtocolViolationError(`${which} is left out: ${reason}`, undefined, { cause }));
    return false;
  }
}
