/** The bytes of ready-made JSON, kept beside it: a long list is written for many requests, and encoding it costs more than writing it. */
import type { JsonText } from "../jsonrpc/message.ts";

/** The text as UTF-8; of one that is kept made once, and held in memory as long as the text itself: for large texts only. */
export function bytesOf(json: JsonText): Uint8Array {
  return json.kept ? (json.bytes ??= Buffer.from(json.text)) : Buffer.from(json.text);
}
