/**
 * Turns TypeScript into JavaScript by removing types, for Node 20, which cannot read TypeScript.
 *
 * Imports stay as they are written, and lines keep their numbers, as when a newer Node removes the types.
 */
import { transform } from "sucrase";

/** @throws SyntaxError with the line and the column */
export function stripTypes(text: string, path: string): string {
  const transforms = path.endsWith(".cts") ? (["typescript", "imports"] as const) : (["typescript"] as const);
  try {
    return transform(text, { transforms: [...transforms], keepUnusedImports: true, disableESTransforms: true, filePath: path }).code;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message.replace(/^Error transforming /, "") : String(cause);
    throw new SyntaxError(message, { cause });
  }
}
