/**
 * Edits a configuration in JSON with comments: puts the entry of one server in, or takes it out, and leaves every other byte.
 *
 * `jsonc-parser` gives the offsets. It does not write, because a library that writes the document also changes its layout.
 */
import { findNodeAtLocation, parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser/lib/esm/main.js";
import type { Entry } from "./host.ts";
import { applySplices, EditError, placeAt, toOrdered, withMember, type Ordered } from "./file-edit.ts";
import { nameOf } from "./json-nodes.ts";
import { spliceIn } from "./json-insert.ts";
import { spliceOut } from "./json-remove.ts";

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
