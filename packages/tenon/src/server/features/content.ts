/**
 * Builders for content blocks. `call-tool.ts` converts what a handler returns.
 *
 * The builders make plain objects in the protocol's shapes. They check nothing that the types check already.
 */
import { standardBase64, toBase64 as encode } from "../../base/bytes.ts";
import type { Annotations, Meta } from "../../protocol/base.ts";
import type { AudioContent, EmbeddedResource, ImageContent, Resource, ResourceLink, TextContent } from "../../protocol/content.ts";

/** What a block can have besides its content. */
export interface BlockOptions {
  /** The audience and the priority of the block. */
  annotations?: Annotations;
  /** Free-form metadata, sent unchanged. */
  _meta?: Meta;
}

/** Makes a text block. */
export function text(content: string, options?: BlockOptions): TextContent {
  return { type: "text", text: content, ...options };
}

/**
 * Makes an image block, such as `image(bytes, "image/png")`.
 * @param content bytes, or base64: also as a data URL, URL-safe, or with line breaks
 * @throws TypeError if a text is not base64
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
 * Makes an audio block, such as `audio(bytes, "audio/wav")`. Clients of 2024-11-05 get a text instead.
 * @param content bytes, or base64: also as a data URL, URL-safe, or with line breaks
 * @throws TypeError if a text is not base64
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

/** Embeds a resource in the result, with its contents as text or bytes. */
export function file(uri: string, content: Uint8Array | string, mimeType?: string, options?: BlockOptions): EmbeddedResource {
  const type = mimeType === undefined ? {} : { mimeType };
  const resource = typeof content === "string" ? { uri, ...type, text: content } : { uri, ...type, blob: toBase64(content) };
  return { type: "resource", resource, ...options };
}

/** Links to a resource that the client can read later. */
export function resourceLink(resource: Resource): ResourceLink {
  return { type: "resource_link", ...resource };
}

/** Encodes bytes as base64, and writes base64 in its standard form. @throws TypeError if a text is not base64, or if something else is given */
export function toBase64(content: Uint8Array | string): string {
  if (ArrayBuffer.isView(content)) return encode(content);
  const standard = typeof content === "string" ? standardBase64(content) : undefined;
  if (standard === undefined) throw new TypeError("Not base64: pass a Uint8Array, base64 or a data URL");
  return standard;
}
