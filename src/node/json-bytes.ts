/** The bytes of ready-made JSON, kept beside it: a long list is written for many requests, and encoding it costs more than writing it. */
import type { JsonText } from "../jsonrpc/message.ts";

const encoded = new WeakMap<JsonText, Buffer>();

/** The text as UTF-8, made once. For large texts only: it is held in memory as long as the text itself. */
export function bytesOf(json: JsonText): Buffer {
  let bytes = encoded.get(json);
  if (bytes === undefined) {
    bytes = Buffer.from(json.text);
    encoded.set(json, bytes);
  }
  return bytes;
}
