/**
 * Resolves a path that a peer supplied: to a file inside the root, or to an error that reveals nothing.
 *
 * Security: paths are compared by segment after all symbolic links are resolved, so neither `..`, nor a link, nor a sibling
 * directory with the root's name as a prefix escapes (CVE-2025-53109, CVE-2025-53110). A process that can change the
 * directory while a file is read can still swap the file.
 */
import { isAbsolute, relative, resolve, sep, win32 } from "node:path";
import { ResourceNotFoundError } from "../protocol/errors.ts";

/**
 * The real, absolute path of an existing file or directory below `root`, or `root` itself for `""` and `"."`.
 *
 * @param root a directory of the server; it may be a symbolic link
 * @param path relative, percent-decoded once by the caller (`UriTemplate.match` has done so), never decoded again here
 * @throws ResourceNotFoundError (-32002) if the file does not exist or is outside. Both errors are the same, and contain neither
 * the root nor the resolved path
 */
export async function resolveInside(root: string, path: string): Promise<string> {
  if (!isRelative(path)) throw new ResourceNotFoundError(path);
  const { realpath } = await import("node:fs/promises");
  const realRoot = await realpath(root);
  const wanted = resolve(realRoot, path);
  if (!contains(realRoot, wanted)) throw new ResourceNotFoundError(path);
  const found = await realpath(wanted).catch(() => undefined); // the peer must not learn the reason
  if (found === undefined || !contains(realRoot, found)) throw new ResourceNotFoundError(path);
  return found;
}

/**
 * @internal Whether a path is relative by the rules of every platform. Not relative are `/x`, `\x`, `C:x`, `\\host\share`,
 * streams (`x:y`) on Windows.
 */
export function isRelative(path: string, separator: string = sep): boolean {
  if (path.includes("\0") || isAbsolute(path) || win32.isAbsolute(path) || /^[A-Za-z]:/.test(path)) return false;
  if (separator === "\\" && path.includes(":")) return false;
  return !path.split(/[/\\]/).includes("..");
}

function contains(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
