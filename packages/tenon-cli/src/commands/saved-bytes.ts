/** The bytes in a result: what `-o` writes to a file, and what a pipe gets of a picture or a file. */
import { writeFile } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { fromBase64 } from "tenon/internal";
import type { BlobResourceContents, ContentBlock, TextResourceContents } from "tenon";
import { UsageError } from "../failure.ts";
import type { Invocation } from "../invocation.ts";

type Contents = TextResourceContents | BlobResourceContents;

/** The bytes of a resource: decoded, or its text as UTF-8. @throws Error if they are not base64 */
export function bytesOfContents(contents: Contents): Uint8Array {
  return "text" in contents ? Buffer.from(contents.text) : decoded(contents.blob, contents.uri);
}

/** The pictures, sounds and files of a tool's result. @throws Error if one is not base64 */
export function bytesOfBlocks(content: readonly ContentBlock[]): readonly Uint8Array[] {
  return content.flatMap((block) => {
    if (block.type === "image" || block.type === "audio") return [decoded(block.data, block.type)];
    return block.type === "resource" && "blob" in block.resource ? [bytesOfContents(block.resource)] : [];
  });
}

function decoded(base64: string, what: string): Uint8Array {
  const bytes = fromBase64(base64.replace(/\s/g, ""));
  if (bytes === undefined) throw new Error(`The server sent bytes that are not base64: ${what}`);
  return bytes;
}

/**
 * Writes to the file of `-o`; several parts to numbered files beside it, `a-1.png` and `a-2.png`. `-` is stdout.
 * @throws UsageError if a file cannot be written
 */
export async function save(parts: readonly Uint8Array[], output: string, { shell, terminal }: Invocation): Promise<void> {
  if (output === "-") return terminal.write(Buffer.concat(parts));
  for (const [index, bytes] of parts.entries()) {
    const name = parts.length === 1 ? output : numbered(output, index + 1);
    await writeFile(resolve(shell.cwd, name), bytes).catch((cause: NodeJS.ErrnoException) => {
      throw new UsageError(`--output ${name} cannot be written: ${cause.code ?? cause.message}`, { cause });
    });
    terminal.note(`Wrote ${bytes.length} bytes to ${name}`);
  }
}

function numbered(path: string, number: number): string {
  const extension = extname(path);
  return join(dirname(path), `${basename(path, extension)}-${number}${extension}`);
}
