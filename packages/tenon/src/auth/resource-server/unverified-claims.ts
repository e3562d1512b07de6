/** The claims of a JWT that is not verified. Security: they choose who judges it and what an error says, and open nothing. */
import { jsonIn } from "../../jsonrpc/parse-json.ts";
import { fromBase64Url } from "../../base/bytes.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";

/** Empty if it is no JWT. */
export function unverifiedClaims(token: string): JsonObject {
  const [, payload, , ...more] = token.split(".");
  if (payload === undefined || more.length > 0) return {};
  const claims = jsonIn(new TextDecoder().decode(fromBase64Url(payload) ?? new Uint8Array()));
  return isJsonObject(claims) ? claims : {};
}
