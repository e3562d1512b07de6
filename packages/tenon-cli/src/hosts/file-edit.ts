/** What an edit of a configuration is: pieces of text that are put in or taken out, and nothing else. */

/** Replaces `length` characters at `offset` by `text`. */
export interface Splice {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** Objects as lists of pairs, so that two documents are compared with the order of their keys, and with keys that occur twice. */
export type Ordered = { readonly value: unknown } | { readonly items: readonly Ordered[] } | { readonly members: readonly Member[] };
export type Member = readonly [name: string, value: Ordered];

/** A configuration cannot be edited. The message says where and why; it holds no value of the file. */
export class EditError extends Error {
  override name = "EditError";
}

/** Applies splices, which must not overlap. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let result = text;
  for (const { offset, length, text: piece } of [...splices].sort((a, b) => b.offset - a.offset))
    result = result.slice(0, offset) + piece + result.slice(offset + length);
  return result;
}

/** `line 3, column 7` */
export function placeAt(text: string, offset: number): string {
  const lines = text.slice(0, offset).split("\n");
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
}

/** The document as it must be after the entry `name` of the map `key` became `entry`, or was removed (undefined). */
export function withMember(document: Ordered | undefined, key: string, name: string, entry: Ordered | undefined): Ordered {
  const members = document !== undefined && "members" in document ? document.members : [];
  const map = members.find(([member]) => member === key)?.[1];
  const servers = map !== undefined && "members" in map ? map.members : [];
  return { members: setMember(members, key, { members: setMember(servers, name, entry) }) };
}

function setMember(members: readonly Member[], name: string, value: Ordered | undefined): readonly Member[] {
  if (value === undefined) return members.filter(([member]) => member !== name);
  if (!members.some(([member]) => member === name)) return [...members, [name, value]];
  return members.map((member) => (member[0] === name ? [name, value] : member));
}

/** A plain value with its objects as lists of pairs. */
export function toOrdered(value: unknown): Ordered {
  if (Array.isArray(value)) return { items: value.map(toOrdered) };
  if (value === null || typeof value !== "object" || value instanceof Date) return { value: value instanceof Date ? String(value) : value };
  return { members: Object.entries(value).map(([name, member]) => [name, toOrdered(member)] as const) };
}
