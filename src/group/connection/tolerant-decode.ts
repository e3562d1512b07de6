/** Lists of servers that put something into them that does not belong there: what is good of them is kept. */
import { ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";

/** The list in the result of each list request. */
const LISTS: ReadonlyMap<string, string> = new Map([
  ["tools/list", "tools"],
  ["prompts/list", "prompts"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
]);

/**
 * A list without those of its items that are none, so that a server loses those and not the whole list.
 * @param check throws for a malformed result
 */
export function salvageList(
  method: string,
  result: JsonObject,
  check: (result: JsonObject) => JsonObject,
  report: (error: Error) => void,
): JsonObject {
  const list = LISTS.get(method);
  const items = list === undefined ? undefined : result[list];
  try {
    return check(result);
  } catch (error) {
    if (list === undefined || !Array.isArray(items)) throw error;
    const usable = items.filter((item: unknown) => isItem(item, (one) => check({ ...result, [list]: one }), report));
    if (usable.length === items.length) throw error;
    return check({ ...result, [list]: usable });
  }
}

function isItem(item: unknown, check: (list: unknown[]) => unknown, report: (error: Error) => void): boolean {
  try {
    check([item]);
    return true;
  } catch (cause) {
    const name = isJsonObject(item) ? (item["name"] ?? item["uri"]) : undefined;
    const which = typeof name === "string" ? JSON.stringify(name) : "an entry";
    const reason = cause instanceof Error ? cause.message : String(cause);
    report(new ProtocolViolationError(`${which} is left out: ${reason}`, undefined, { cause }));
    return false;
  }
}
