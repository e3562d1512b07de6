/** What has to go from a JSON text when an entry does: the entry, its line, and one comma. */
import type { Node } from "jsonc-parser/lib/esm/main.js";
import type { Splice } from "./file-edit.ts";
import { followingOf, propertyOf } from "./json-nodes.ts";

/** Empty if there is no such entry. @throws EditError if a key is there twice */
export function spliceOut(text: string, root: Node, key: string, name: string): readonly Splice[] {
  const servers = propertyOf(text, root, key)?.children![1];
  if (servers?.type !== "object") return [];
  const entry = propertyOf(text, servers, name);
  if (entry === undefined) return [];
  const children = servers.children ?? [];
  const index = children.indexOf(entry);
  const previous = children[index - 1];
  const { comma } = followingOf(text, entry.offset + entry.length);
  const end = comma ?? entry.offset + entry.length;
  const start = lineBefore(text, entry.offset);
  if (comma !== undefined) return [cut(start, Math.max(end, start))];
  if (previous === undefined) return [cut(start, closing(text, end, servers))];
  // The last one has no comma, so the comma before it goes.
  const before = followingOf(text, previous.offset + previous.length).comma!;
  return start < before ? [cut(before - 1, end)] : [cut(before - 1, before), cut(start, end)];
}

function cut(start: number, end: number): Splice {
  return { offset: start, length: end - start, text: "" };
}

/** The blanks and the line break before an entry belong to it, if it begins its line. */
function lineBefore(text: string, offset: number): number {
  const blanks = /(?:\r?\n)?[ \t]*$/.exec(text.slice(0, offset))!;
  return blanks.index;
}

/** If nothing else is in the object, its braces come together again. */
function closing(text: string, end: number, { offset, length }: Node): number {
  const close = offset + length - 1;
  return text.slice(end, close).trim() === "" ? close : end;
}
