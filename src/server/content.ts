/**
 * Content as handlers write it: builders for the blocks, and what a returned value becomes.
 *
 * The builders make plain objects of the protocol's own shapes; nothing is checked here that the types say already.
 */
import { toBase64 as encode } from "../base/base64.ts";
import { isJsonObject } from "../jsonrpc/message.ts";
import type { Annotations, Meta } from "../protocol/base.ts";
import type {
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  Resource,
  ResourceLink,
  TextContent,
} from "../protocol/content.ts";
import type { CallToolResult } from "../protocol/tools.ts";

/** What every block can carry besides its content. */
export interface BlockOptions {
  /** Who it is for and how much it matters. */
  annotations?: Annotations;
  /** Free-form; passed on as it is. */
  _meta?: Meta;
}

/** A block of text. */
export function text(content: string, options?: BlockOptions): TextContent {
  return { type: "text", text: content, ...options };
}

/**
 * A picture, such as `image(bytes, "image/png")`.
 * @param content bytes, or base64
 */
export function image(content: Uint8Array | string, mimeType: string, options?: BlockOptions): ImageContent {
  return { type: "image", data: toBase64(content), mimeType, ...options };
}

/**
 * Sound, such as `audio(bytes, "audio/wav")`. Clients of 2024-11-05 get a text in its place.
 * @param content bytes, or base64
 */
export function audio(content: Uint8Array | string, mimeType: string, options?: BlockOptions): AudioContent {
  return { type: "audio", data: toBase64(content), mimeType, ...options };
}

/** A resource whose contents are part of the result: text, or bytes. */
export function file(uri: string, content: Uint8Array | string, mimeType?: string, options?: BlockOptions): EmbeddedResource {
  const type = mimeType === undefined ? {} : { mimeType };
  const resource = typeof content === "string" ? { uri, ...type, text: content } : { uri, ...type, blob: toBase64(content) };
  return { type: "resource", resource, ...options };
}

/** A resource the client can read when it wants to. */
export function resourceLink(resource: Resource): ResourceLink {
  return { type: "resource_link", ...resource };
}

/** Bytes as base64; a string is taken to be base64 already. */
export function toBase64(content: Uint8Array | string): string {
  return typeof content === "string" ? content : encode(content);
}

/** What a tool may return: anything that has a JSON form, content, or a whole result. */
export type ToolReturn = string | number | boolean | bigint | null | undefined | void | object;

/** What a value is of that is text as it stands. */
const PRINTED: ReadonlySet<string> = new Set(["string", "number", "boolean", "bigint"]);
/** The member that a block of each type must have. */
const BLOCKS: ReadonlyMap<unknown, string> = new Map([
  ["text", "text"],
  ["image", "data"],
  ["audio", "data"],
  ["resource", "resource"],
  ["resource_link", "uri"],
]);
const RESULT_MEMBERS: ReadonlySet<string> = new Set(["content", "structuredContent", "isError", "resultType", "_meta"]);

/**
 * The result a returned value becomes. A whole result is passed on as the same object. A string, number or boolean is text;
 * a block or several are content; nothing is no content; any other value is `structuredContent`, with its JSON as text for those who read only that.
 *
 * @throws TypeError for a value that has no JSON form
 */
export function toToolResult(value: unknown): CallToolResult {
  if (value === undefined) return { content: [] };
  if (isWholeResult(value)) return value;
  if (value === null || PRINTED.has(typeof value)) return { content: [{ type: "text", text: `${value as string | null}` }] }; // or what else is printed
  if (isBlock(value)) return { content: [value] };
  return Array.isArray(value) && value.length > 0 && value.every(isBlock) ? { content: value } : toStructured(value);
}

/** Structured content with its JSON as text. @throws TypeError for a value that has no JSON form */
export function toStructured(structuredContent: unknown): CallToolResult {
  if (structuredContent instanceof Uint8Array) throw new TypeError("A tool returned bytes: return image(), audio() or file() instead");
  const json: string | undefined = JSON.stringify(structuredContent);
  if (json === undefined) throw new TypeError(`A tool returned a ${typeof structuredContent}, which has no JSON form`);
  // A date is an object here and a string there, which only some revisions have room for: what it is there counts.
  const plain: unknown = isJsonObject(structuredContent) && !json.startsWith("{") ? JSON.parse(json) : structuredContent;
  return { content: [{ type: "text", text: json }], structuredContent: plain };
}

/**
 * Whether a returned value is a result already, told by a block in its `content`, by having no members but those of a
 * result, or by a `resultType` of `"input_required"`. Whether the rest is what it has to be is found out where it leaves.
 */
export function isWholeResult(value: unknown): value is CallToolResult {
  if (!isJsonObject(value)) return false;
  const { content, resultType } = value;
  const first: unknown = Array.isArray(content) ? content[0] : content;
  if (isBlock(first) || resultType === "input_required") return true;
  const alike = isJsonObject(first) ? BLOCKS.has(first["type"]) : content !== first && first === undefined;
  return (alike || "isError" in value || "structuredContent" in value) && Object.keys(value).every((key) => RESULT_MEMBERS.has(key));
}

/** A block is told by its `type` and the one member that type must have. */
function isBlock(value: unknown): value is ContentBlock {
  const member = isJsonObject(value) && BLOCKS.get(value["type"]);
  return member ? typeof value[member] === (member === "resource" ? "object" : "string") : false;
}
