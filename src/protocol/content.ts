/** What tools, prompts and resources are made of: text, pictures, sound, and resources in them or linked to. */
import type { Annotations, Icons, Meta } from "./base.ts";

/** What every block of content may have (TY-91): `annotations` are hints, `_meta` is free. */
type Block = {
  annotations?: Annotations;
  _meta?: Meta;
};

/** `text`, told from other content by `type` (TY-91). */
export type TextContent = Block & { type: "text"; text: string };

/** A picture, told from other content by `type` (TY-91). */
export type ImageContent = Block & {
  type: "image";
  /** The picture's bytes, in base64. */
  data: string;
  /** Such as `image/png`. */
  mimeType: string;
};

/** Sound, told from other content by `type` (TY-91). Since 2025-03-26. */
export type AudioContent = Block & {
  type: "audio";
  /** The sound's bytes, in base64. */
  data: string;
  /** Such as `audio/wav`. */
  mimeType: string;
};

/**
 * A resource that a server can be asked for (TY-40). `name` is for programs, `title` and `description` are for people and
 * models, `annotations` are hints, `_meta` is free.
 */
export type Resource = Icons & {
  /** Passed on byte for byte, never normalised. */
  uri: string;
  name: string;
  title?: string;
  description?: string;
  /** Absent where it is not known. */
  mimeType?: string;
  /** How large it is, in bytes, before base64. */
  size?: number;
  annotations?: Annotations;
  _meta?: Meta;
};

/** A resource named in a result, told from other content by `type` (TY-91). It need not appear in the resource list (K1.9). */
export type ResourceLink = Resource & { type: "resource_link" };

/** What was read of a resource, whatever it is (TY-44). `_meta` is free. */
export type ResourceContents = {
  /** Of what it is: the one asked for, or one inside it. */
  uri: string;
  /** Absent where it is not known. */
  mimeType?: string;
  _meta?: Meta;
};
/** Contents that are text. Told apart from a blob by `text`, which may be empty (TY-44). */
export type TextResourceContents = ResourceContents & { text: string };
/** Contents that are bytes (TY-44). */
export type BlobResourceContents = ResourceContents & {
  /** The bytes, in base64. */
  blob: string;
};

/** A resource whose contents are part of the message, told from other content by `type` (TY-91). */
export type EmbeddedResource = Block & {
  type: "resource";
  /** What is in it, text or bytes. */
  resource: TextResourceContents | BlobResourceContents;
};

/** One block of what a tool answers or a prompt says (TY-91, K1.9). */
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
