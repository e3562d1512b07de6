/**
 * URIs of skills and their files. They are compared in one spelling, since `Q&A.md` and `Q%26A.md` name the same file. The
 * part after `skill://` is a path like the rest: it is not a host name and is never resolved.
 */
import { percentDecoded } from "../../base/bytes.ts";

const MANIFEST = "/SKILL.md";

/** One spelling for all URIs of the same file or folder, without a slash at the end; undefined if `uri` has a query, a fragment, an empty or dotted part, or a bad escape. */
export function canonicalUri(uri: string): string | undefined {
  const [, scheme, path] = /^([a-z][a-z0-9+.-]*):\/\/([^?#]+?)\/?$/i.exec(uri) ?? [];
  if (scheme === undefined || path === undefined) return undefined;
  const parts: string[] = [];
  for (const part of path.split("/")) {
    const name = percentDecoded(part);
    if (name === undefined || name === "" || name === "." || name === ".." || name.includes("/")) return undefined;
    parts.push(encodeURIComponent(name));
  }
  return `${scheme.toLowerCase()}://${parts.join("/")}`;
}

/** The URI of a skill's folder, canonical and without a slash at the end; undefined if `uri` does not name a `SKILL.md`. */
export function skillFolderOf(uri: string): string | undefined {
  const canonical = canonicalUri(uri);
  return canonical?.endsWith(MANIFEST) ? canonical.slice(0, -MANIFEST.length) : undefined;
}

export function uriOf(folder: string, path: string): string {
  return `${folder}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/**
 * The canonical URI that `reference` names inside a skill: a path relative to the skill's folder, or an absolute URI. A
 * fragment is ignored. Undefined if it leads out of the skill.
 */
export function resolveInSkill(folder: string, reference: string): string | undefined {
  const [target = ""] = reference.split("#", 1);
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return within(folder, canonicalUri(target));
  const parts: string[] = [];
  for (const part of target.split("/")) {
    if (part === ".." && parts.pop() === undefined) return undefined;
    if (part !== ".." && part !== ".") parts.push(part);
  }
  return within(folder, canonicalUri(`${folder}/${parts.join("/")}`));
}

function within(folder: string, uri: string | undefined): string | undefined {
  return uri?.startsWith(`${folder}/`) ? uri : undefined;
}
