/** The bytes of ready-made JSON, kept beside it: a long list is written for many requests, and encoding it costs more than writing it. */
import type { JsonText } from "../jsonrpc/message.ts";

/** The text as UTF-8, made once. For large texts only: it is held in memory as long as the text itself. */
export function bytesOf(json: JsonText): Uint8Array {
  return (json.bytes ??= Buffer.from(json.text));
}
