/**
 * Edits a configuration in JSON with comments: puts the entry of one server in, or takes it out, and leaves every other byte.
 *
 * `jsonc-parser` gives the offsets. It does not write, because a library that writes the document also changes its layout.
 */
import { findNodeAtLocation, parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser/lib/esm/main.js";
import type { Entry } from "./host.ts";
import { applySplices, EditError, placeAt, toOrdered, withMember, type Ordered, type Splice } from "./file-edit.ts";
import { nameOf, followingOf, propertyOf } from "./json-nodes.ts";
import { spliceIn } from "./json-insert.ts";

/** Puts an entry in, or replaces it; removes it if it is undefined. @throws EditError if the text cannot be edited safely */
export function editJson(before: string, key: string, name: string, entry: Entry | undefined): string {
  const bom = before.startsWith("\uFEFF") ? "\uFEFF" : "";
  const text = before.slice(bom.length);
  if (text.trim() === "") {
    if (entry === undefined) return before;
    return `${bom}${JSON.stringify({ [key]: { [name]: entry } }, undefined, 2)}\n`;
  }
  const root = rootOf(text);
  const splices = entry === undefined ? spliceOut(text, root, key, name) : spliceIn(text, root, { key, name, entry });
  const after = applySplices(text, splices);
  prove(root, after, key, name, entry);
  return bom + after;
}

/** The servers that a text lists, by name. @throws EditError */
export function serversInJson(before: string, key: string): ReadonlyMap<string, unknown> {
  const text = before.replace(/^\uFEFF/, "");
  if (text.trim() === "") return new Map();
  const map = findNodeAtLocation(rootOf(text), [key]);
  return new Map(
    (map?.type === "object" ? (map.children ?? []) : []).map((property) => [nameOf(property), valueOf(property.children![1]!)]),
  );
}

/** Parses a text. @throws EditError with the place, if the text is not an object in JSON with comments */
function rootOf(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) throw new EditError(`it is not JSON (${placeAt(text, error.offset)}: ${printParseErrorCode(error.error)})`);
  if (root?.type !== "object") throw new EditError("it is not a JSON object");
  return root;
}

/** @throws EditError if anything but the entry would change */
function prove(root: Node, after: string, key: string, name: string, entry: Entry | undefined): void {
  const expected = withMember(orderedOf(root), key, name, entry === undefined ? undefined : toOrdered(entry));
  if (JSON.stringify(orderedOf(rootOf(after))) === JSON.stringify(expected)) return;
  throw new EditError("it cannot be changed without changing something else in it");
}

function orderedOf(node: Node): Ordered {
  if (node.type === "array") return { items: (node.children ?? []).map(orderedOf) };
  if (node.type !== "object") return { value: node.value as unknown };
  return { members: (node.children ?? []).map((property) => [nameOf(property), orderedOf(property.children![1]!)] as const) };
}

/** The value of a node. Security: a member `__proto__` stays a member. */
function valueOf(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(valueOf);
  if (node.type !== "object") return node.value as unknown;
  return Object.fromEntries((node.children ?? []).map((property) => [nameOf(property), valueOf(property.children![1]!)]));
}

/** The entry, its line, and one comma. Empty if there is no such entry. @throws EditError if a key is there twice */
function spliceOut(text: string, root: Node, key: string, name: string): readonly Splice[] {
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
