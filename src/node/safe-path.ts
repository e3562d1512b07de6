/**
 * The one way from a path a peer supplied to a file: inside the root, or an error that says nothing.
 *
 * The path is compared by segment after all symbolic links are resolved, so neither `..`, nor a link, nor a sibling
 * directory whose name begins like the root's leads out (CVE-2025-53109, CVE-2025-53110). Whoever can change the
 * directory while a file is being read can still swap it; that is the file system's business, not a path's.
 */
import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep, win32 } from "node:path";
import { ResourceNotFoundError } from "../protocol/errors.ts";

/**
 * The real, absolute path of an existing file or directory below `root`, or `root` itself for `""` and `"."`.
 *
 * @param root a directory of the server's own; it may be a symbolic link
 * @param path relative, percent-decoded once by the caller (`UriTemplate.match` has done so), never decoded again here
 * @throws ResourceNotFoundError (-32002) for whatever is not there or not inside: the two look the same, and neither
 * the root nor the resolved path is in it
 */
export async function resolveInside(root: string, path: string): Promise<string> {
  if (!isRelative(path)) throw new ResourceNotFoundError(path);
  const realRoot = await realpath(root);
  const wanted = resolve(realRoot, path);
  if (!contains(realRoot, wanted)) throw new ResourceNotFoundError(path);
  const found = await realpath(wanted).catch(() => undefined); // what stands in the way is not the peer's to know
  if (found === undefined || !contains(realRoot, found)) throw new ResourceNotFoundError(path);
  return found;
}

/**
 * @internal
 * Absolute by the rules of any platform is absolute: `/x`, `\x`, `C:x`, `\\host\share`, streams (`x:y`) on Windows.
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
