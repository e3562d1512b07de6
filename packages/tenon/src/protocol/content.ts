/** The content of tool results, prompts and resources: text, pictures, sound, and embedded or linked resources. */
import type { Annotations, Icons, Meta } from "./base.ts";

/** What every block of content may have (MCP schema): `annotations` are hints, `_meta` is free. */
type Block = {
  annotations?: Annotations;
  _meta?: Meta;
};

/** `text` for people or models (MCP schema); `type` identifies this kind of content. */
export type TextContent = Block & { type: "text"; text: string };

/** A picture (MCP schema); `type` identifies this kind of content. */
export type ImageContent = Block & {
  type: "image";
  /** The picture's bytes, in base64. */
  data: string;
  /** Such as `image/png`. */
  mimeType: string;
};

/** Sound (MCP schema, since 2025-03-26); `type` identifies this kind of content. */
export type AudioContent = Block & {
  type: "audio";
  /** The sound's bytes, in base64. */
  data: string;
  /** Such as `audio/wav`. */
  mimeType: string;
};

/**
 * A resource that a client can read (MCP schema). `name` is for programs, `title` and `description` are for people and models,
 * `annotations` are hints, `_meta` is free.
 */
export type Resource = Icons & {
  /** Passed on byte for byte, never normalised. */
  uri: string;
  name: string;
  title?: string;
  description?: string;
  /** Absent if unknown. */
  mimeType?: string;
  /** Its size in bytes, before base64. */
  size?: number;
  annotations?: Annotations;
  _meta?: Meta;
};

/** A link to a resource (MCP schema); `type` identifies this kind of content. The resource list need not contain it. */
export type ResourceLink = Resource & { type: "resource_link" };

/** The contents of a resource (MCP schema). `_meta` is free. */
export type ResourceContents = {
  /** The URI of these contents: the resource that was read, or one inside it. */
  uri: string;
  /** Absent if unknown. */
  mimeType?: string;
  _meta?: Meta;
};
/** Contents that are text (MCP schema). The member `text`, which may be empty, distinguishes it from a blob. */
export type TextResourceContents = ResourceContents & { text: string };
/** Contents that are bytes. */
export type BlobResourceContents = ResourceContents & {
  /** The bytes, in base64. */
  blob: string;
};

/** A resource whose contents are part of the message (MCP schema); `type` identifies this kind of content. */
export type EmbeddedResource = Block & {
  type: "resource";
  /** Its contents, text or bytes. */
  resource: TextResourceContents | BlobResourceContents;
};

/** One block of a tool's result or of a prompt. */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** The blocks of a sampling message or result, whose content may be one block or several. An array is returned unchanged. */
export function contentAsList<Block extends object>(message: { readonly content: Block | readonly Block[] }): readonly Block[] {
  const { content } = message;
  // Array.isArray does not narrow readonly arrays.
  return Array.isArray(content) ? (content as readonly Block[]) : [content as Block];
}
