/** Decodes a list of a server although some of its items are malformed: it leaves those out, and keeps the others. */
import { ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";

/** The list in the result of each list request. */
const LISTS: ReadonlyMap<string, string> = new Map([
  ["tools/list", "tools"],
  ["prompts/list", "prompts"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
]);

/** Decodes a result. @param check throws for a malformed result */
export type TolerantDecode = (method: string, result: JsonObject, check: Check) => JsonObject;
type Check = (result: JsonObject) => JsonObject;

/** Decodes lists without their malformed items. @param report is told each item that is left out, and why */
export function tolerantDecode(report: (error: Error) => void): TolerantDecode {
  return (method, result, check) => decode({ list: LISTS.get(method), result, check, report });
}

interface Decoding {
  /** The member of the result that has the items. */
  readonly list: string | undefined;
  readonly result: JsonObject;
  readonly check: Check;
  readonly report: (error: Error) => void;
}

function decode({ list, result, check, report }: Decoding): JsonObject {
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
