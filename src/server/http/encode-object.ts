/** A result as it leaves over HTTP: text, made where a failure can still be told from the handler's. */
import { JsonText, type JsonObject } from "../../jsonrpc/message.ts";

/** @throws TypeError for what has no JSON form or is no object */
export function encodeObject(result: JsonObject): JsonText {
  const text: string | undefined = JSON.stringify(result);
  if (!text?.startsWith("{")) throw new TypeError("A result must be an object");
  return new JsonText(text);
}
