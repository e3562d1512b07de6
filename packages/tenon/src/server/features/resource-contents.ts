/** Converts what a resource handler returns to a result. */
import { isList } from "../../jsonrpc/message.ts";
import { ResourceNotFoundError } from "../../protocol/errors.ts";
import type { BlobResourceContents, TextResourceContents } from "../../protocol/content.ts";
import type { InputRequiredResult } from "../../protocol/input-required.ts";
import type { ReadResourceResult } from "../../protocol/resources.ts";
import { toBase64 } from "./content.ts";

/** The contents of one resource. A missing `uri` or `mimeType` is filled in from the requested resource. */
export type ContentsInput = (Omit<TextResourceContents, "uri"> | Omit<BlobResourceContents, "uri">) & {
  /** Default: the URI of the requested resource. */
  uri?: string;
};

/** Text, bytes, contents, several contents, a complete result, questions, or `undefined` if the resource does not exist. */
export type ResourceReturn =
  | string
  | Uint8Array
  | ContentsInput
  | readonly ContentsInput[]
  | ReadResourceResult
  | InputRequiredResult
  | undefined;

/** @throws ResourceNotFoundError if the value is `undefined` */
export function toReadResult(value: ResourceReturn, uri: string, mimeType: string | undefined): ReadResourceResult | InputRequiredResult {
  if (value === undefined) throw new ResourceNotFoundError(uri);
  if (isResult(value)) return value;
  const items = isList(value) ? value : [value];
  return { contents: items.map((item) => toContents(item, uri, mimeType)) };
}

function toContents(
  item: string | Uint8Array | ContentsInput,
  uri: string,
  mimeType: string | undefined,
): TextResourceContents | BlobResourceContents {
  const base = { uri, ...(mimeType !== undefined && { mimeType }) };
  if (typeof item === "string") return { ...base, text: item };
  if (item instanceof Uint8Array) return { ...base, blob: toBase64(item) };
  return { ...base, ...item };
}

function isResult(value: ResourceReturn): value is ReadResourceResult | InputRequiredResult {
  if (typeof value !== "object") return false;
  return "contents" in value || ("resultType" in value && value.resultType === "input_required");
}
