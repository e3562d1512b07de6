/** Formats content blocks, contents of resources, and data as text for users. */
import type { BlobResourceContents, ContentBlock, TextResourceContents } from "tenon";
import { type Paint, clean, cleanLine, stringifyExact } from "tenon/internal";

/** Describes one block. Content that a terminal cannot show is named, with its size. */
export function describeBlock(block: ContentBlock, paint: Paint): string {
  switch (block.type) {
    case "text":
      return clean(block.text);
    case "image":
    case "audio":
      return paint("dim", `[${block.type} ${cleanLine(block.mimeType)}, ${base64Bytes(block.data)} bytes]`);
    case "resource":
      return describeContents(block.resource, paint);
    case "resource_link":
      return paint("dim", `[link to ${cleanLine(block.name)}: ${cleanLine(block.uri)}]`);
    default:
      // A kind of a later revision.
      return paint("dim", "[content of an unknown kind; --json shows it]");
  }
}

/** Describes a resource's contents: its text, or the type and size of its bytes. */
export function describeContents(contents: TextResourceContents | BlobResourceContents, paint: Paint): string {
  if ("text" in contents) return clean(contents.text);
  const type = contents.mimeType === undefined ? "" : `${cleanLine(contents.mimeType)}, `;
  return paint("dim", `[${cleanLine(contents.uri)}: ${type}${base64Bytes(contents.blob)} bytes]`);
}

export function describeData(value: unknown): string {
  return clean(stringifyExact(value, 2));
}

function base64Bytes(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.floor((base64.length * 3) / 4) - padding;
}
