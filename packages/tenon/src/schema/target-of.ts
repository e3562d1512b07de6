/** Finds the target of a `$ref` inside its own document. Nothing is fetched, and anchors are not followed. */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";

/** The target of a reference such as `#/$defs/City`; undefined if there is none in this document. */
export function targetOf(root: JsonObject, reference: unknown): unknown {
  if (typeof reference !== "string" || !(reference === "#" || reference.startsWith("#/"))) return undefined;
  let found: unknown = root;
  for (const part of reference.split("/").slice(1)) {
    const key = unescapePart(part);
    if (Array.isArray(found)) found = found[Number(key)];
    else found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

function unescapePart(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return part; // not a valid escape, so it is a name
  }
}
