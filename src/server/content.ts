/**
 * Content as handlers write it: builders for the blocks. What a returned value becomes is in `call-tool.ts`.
 *
 * The builders make plain objects of the protocol's own shapes; nothing is checked here that the types say already.
 */
import { toBase64 as encode } from "../base/base64.ts";
import type { Annotations, Meta } from "../protocol/base.ts";
import type { AudioContent, EmbeddedResource, ImageContent, Resource, ResourceLink, TextContent } from "../protocol/content.ts";

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
 * @example
 * ```ts
 * import { connect } from "tenon/client";
 * import { image, McpServer } from "tenon/server";
 *
 * const server = new McpServer({ name: "sums", version: "1.0.0" });
 * server.tool("pixel", {}, () => image(new Uint8Array([1, 2, 3]), "image/png"));
 * await using client = await connect(server);
 * console.log((await client.callTool("pixel")).content[0]?.type); // image
 * ```
 */
export function image(content: Uint8Array | string, mimeType: string, options?: BlockOptions): ImageContent {
  return { type: "image", data: toBase64(content), mimeType, ...options };
}

/**
 * Sound, such as `audio(bytes, "audio/wav")`. Clients of 2024-11-05 get a text in its place.
 * @param content bytes, or base64
 * @example
 * ```ts
 * import { connect } from "tenon/client";
 * import { audio, McpServer } from "tenon/server";
 *
 * const server = new McpServer({ name: "sums", version: "1.0.0" });
 * server.tool("beep", {}, () => audio(new Uint8Array([1, 2, 3]), "audio/wav"));
 * await using client = await connect(server);
 * console.log((await client.callTool("beep")).content[0]?.type); // audio
 * ```
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
