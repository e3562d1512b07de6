/** Where a new entry goes in a JSON text, and in which layout: its neighbours'. */
import type { Node } from "jsonc-parser/lib/esm/main.js";
import { EditError, type Splice } from "./file-edit.ts";
import type { Entry } from "./host.ts";
import { followingOf, propertyOf } from "./json-nodes.ts";

interface Addition {
  readonly key: string;
  readonly name: string;
  readonly entry: Entry;
}

/** @throws EditError if a key is there twice, or holds something else than servers */
export function spliceIn(text: string, root: Node, { key, name, entry }: Addition): readonly Splice[] {
  const list = propertyOf(text, root, key);
  if (list === undefined) return add(text, root, key, { [name]: entry });
  const servers = list.children![1]!;
  if (servers.type === "null") return [replace(text, servers, list, { [name]: entry })];
  if (servers.type !== "object") throw new EditError(`its ${JSON.stringify(key)} is not an object`);
  const present = propertyOf(text, servers, name);
  return present === undefined ? add(text, servers, name, entry) : [replace(text, present.children![1]!, present, entry)];
}

function replace(text: string, value: Node, property: Node, next: Entry): Splice {
  const layout = layoutOf(text);
  return { offset: value.offset, length: value.length, text: print(next, indentAt(text, property.offset), layout) };
}

/** Adds a property behind the last one of an object. */
function add(text: string, object: Node, name: string, value: Entry): readonly Splice[] {
  const layout = layoutOf(text);
  const outer = indentAt(text, object.offset);
  const children = object.children ?? [];
  const last = children.at(-1);
  const inside = text.slice(object.offset, object.offset + object.length);
  if (last === undefined) {
    const property = line(name, value, outer + layout.unit, layout);
    const close = inside.includes("\n") ? "" : layout.eol + outer;
    return [insert(object.offset + 1, property + close)];
  }
  const { comma, lineEnd } = followingOf(text, last.offset + last.length);
  const begins = ownLineIndent(text, last.offset);
  // All on one line stays on one line, unless a comment would swallow what follows.
  if (!inside.includes("\n") || begins === undefined) {
    const at = comma ?? last.offset + last.length;
    const property = ` ${JSON.stringify(name)}: ${JSON.stringify(value)}`;
    return [insert(at, comma === undefined ? `,${property}` : `${property},`)];
  }
  const property = line(name, value, begins, layout);
  if (comma !== undefined) return [insert(Math.max(comma, lineEnd), `${property},`)];
  const end = last.offset + last.length;
  return lineEnd === end ? [insert(end, `,${property}`)] : [insert(end, ","), insert(lineEnd, property)];
}

function insert(offset: number, text: string): Splice {
  return { offset, length: 0, text };
}

interface Layout {
  readonly eol: string;
  readonly unit: string;
}

function layoutOf(text: string): Layout {
  const unit = /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
  return { eol: text.includes("\r\n") ? "\r\n" : "\n", unit: unit.startsWith("\t") ? "\t" : unit };
}

function line(name: string, value: Entry, indent: string, layout: Layout): string {
  return `${layout.eol}${indent}${JSON.stringify(name)}: ${print(value, indent, layout)}`;
}

function print(value: Entry, indent: string, { eol, unit }: Layout): string {
  return JSON.stringify(value, undefined, unit)
    .split("\n")
    .join(eol + indent);
}

/** The blanks at the beginning of the line of an offset. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))![0];
}

/** The indentation of a property that begins its line; undefined if something stands before it. */
function ownLineIndent(text: string, offset: number): string | undefined {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const before = text.slice(start, offset);
  return start > 0 && /^[ \t]*$/.test(before) ? before : undefined;
}
