/**
 * Values of the headers that repeat what a request's body says (spec 2026-07-28 basic/transports, standard headers).
 *
 * What cannot stand in a header as it is travels as `=?base64?…?=`; so does a value that merely looks like that (F2.7).
 */
import { toBase64 } from "../../base/base64.ts";

const PREFIX = "=?base64?";
const SUFFIX = "?=";
const PLAIN = /^(?! )[\x20-\x7E]*(?<! )$/;

export function encodeHeaderValue(value: string): string {
  const looksEncoded = value.startsWith(PREFIX) && value.endsWith(SUFFIX);
  return PLAIN.test(value) && !looksEncoded ? value : PREFIX + toBase64(new TextEncoder().encode(value)) + SUFFIX;
}

const MAX_ID = 1024;

/** Whether a server may give that id to a session or an event: visible ASCII, at most 1 KiB. The client sends it back in a header. */
export function isHeaderId(value: string): boolean {
  return value.length <= MAX_ID && /^[\x21-\x7E]+$/.test(value);
}
