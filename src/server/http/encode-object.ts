/** A result as it leaves over HTTP: text, made where a failure can still be told from the handler's. */
import { ErrorCode, LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import { JsonText, type JsonObject } from "../../jsonrpc/message.ts";
import { stringifyResult } from "../../jsonrpc/serialise.ts";

/**
 * @param max characters it may have (H15)
 * @throws TypeError for what has no JSON form or is no object, LimitExceededError -32603 for what is too large
 */
export function encodeObject(result: JsonObject, max: number): JsonText {
  const text = stringifyResult(result);
  if (text.length > max) throw new LimitExceededError("maxResultSize", max, text.length, ErrorCode.InternalError);
  return new JsonText(text);
}
