/** What tools, prompts and resources are made of: text, pictures, sound, and resources in them or linked to. */
import type { Annotations, Icons, Meta } from "./base.ts";

type Block = {
  annotations?: Annotations;
  _meta?: Meta;
};

export type TextContent = Block & { type: "text"; text: string };

export type ImageContent = Block & {
  type: "image";
  /** Base64. */
  data: string;
  mimeType: string;
};

export type AudioContent = Block & {
  type: "audio";
  /** Base64. */
  data: string;
  mimeType: string;
};

/** A resource that a server can be asked for. */
export type Resource = Icons & {
  /** Passed on byte for byte, never normalised. */
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  /** Bytes, before base64. */
  size?: number;
  annotations?: Annotations;
  _meta?: Meta;
};

/** A resource named in a result. It need not appear in the resource list. */
export type ResourceLink = Resource & { type: "resource_link" };

export type ResourceContents = {
  uri: string;
  mimeType?: string;
  _meta?: Meta;
};
/** Told apart from a blob by `text`, which may be empty. */
export type TextResourceContents = ResourceContents & { text: string };
export type BlobResourceContents = ResourceContents & {
  /** Base64. */
  blob: string;
};

/** A resource whose contents are part of the message. */
export type EmbeddedResource = Block & {
  type: "resource";
  resource: TextResourceContents | BlobResourceContents;
};

export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/**
 * The blocks of a sampling message or result, whose content may be one block or several.
 * An array is returned as it is.
 */
export function contentAsList<Block extends object>(message: { readonly content: Block | readonly Block[] }): readonly Block[] {
  const { content } = message;
  // Array.isArray does not narrow readonly arrays.
  return Array.isArray(content) ? (content as readonly Block[]) : [content as Block];
}
