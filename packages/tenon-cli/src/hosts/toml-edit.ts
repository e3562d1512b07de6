/**
 * Edits a configuration in TOML: appends the table of one server, or takes it out, and leaves every other byte.
 *
 * `smol-toml` proves each edit; it does not write, because it keeps no comments. A server that stands in an inline table is
 * left alone: changing it would change the line of others.
 */
import { parse, stringify } from "smol-toml";
import { EditError, toOrdered, withMember, type Ordered } from "./file-edit.ts";
import type { Entry } from "./host.ts";

/** Puts an entry in, or replaces it; removes it if it is undefined. @throws EditError if the text cannot be edited safely */
export function editToml(text: string, key: string, name: string, entry: Entry | undefined): string {
  const before = parsed(text);
  const present = serversIn(before, key).has(name);
  if (!present && entry === undefined) return text;
  const without = present ? text.slice(0, blockOf(text, key, name).start) + text.slice(blockOf(text, key, name).end) : text;
  if (present) prove(before, without, key, name, undefined);
  if (entry === undefined) return without;
  const after = without + blockFor(without, key, name, entry);
  prove(parsed(without), after, key, name, entry);
  return after;
}

/** The servers that a text lists, by name. @throws EditError */
export function serversInToml(text: string, key: string): ReadonlyMap<string, unknown> {
  return serversIn(parsed(text), key);
}

type Table = Readonly<Record<string, unknown>>;

function serversIn(document: Table, key: string): ReadonlyMap<string, unknown> {
  const servers = document[key];
  if (servers === undefined) return new Map();
  if (servers === null || typeof servers !== "object" || Array.isArray(servers)) throw new EditError(`its "${key}" is not a table`);
  return new Map(Object.entries(servers));
}

function parsed(text: string): Table {
  try {
    return parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    // The first line names the problem; the rest quotes the text, which may hold secrets.
    const { line, column } = error as { line?: number; column?: number };
    throw new EditError(`it is not TOML (line ${line ?? "?"}, column ${column ?? "?"})`);
  }
}

/** The table of a server, with a blank line before it if something stands there. */
function blockFor(text: string, key: string, name: string, entry: Entry): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text.trim() === "" ? "" : text.endsWith("\n") ? eol : eol + eol;
  return (
    gap +
    stringify({ [key]: { [name]: entry } })
      .trim()
      .replaceAll("\n", eol) +
    eol
  );
}

/** The lines from the header of a server's table to the next header of another one, and the blank line before. @throws EditError */
function blockOf(text: string, key: string, name: string): { readonly start: number; readonly end: number } {
  const header = new RegExp(String.raw`^[ \t]*\[[ \t]*${key}[ \t]*\.[ \t]*["']?${name}["']?[ \t]*(?:\.[^\]\n]*)?\]`);
  const lines = text.split(/(?<=\n)/);
  const first = lines.findIndex((line) => header.test(line));
  if (first < 0) throw new EditError(`its server ${JSON.stringify(name)} is not a table of its own: change it by hand`);
  const length = lines.slice(first).findIndex((line) => /^[ \t]*\[/.test(line) && !header.test(line));
  const isLast = length < 0;
  let last = isLast ? lines.length : first + length;
  // Comments and blank lines before the next table belong to that one.
  if (!isLast) while (last > first + 1 && /^[ \t]*(?:#.*)?\r?\n$/.test(lines[last - 1]!)) last--;
  const from = first > 0 && lines[first - 1]!.trim() === "" ? first - 1 : first;
  const lengthOf = (count: number): number => lines.slice(0, count).join("").length;
  return { start: lengthOf(from), end: lengthOf(last) };
}

/** @throws EditError if anything but the entry would change */
function prove(before: Table, after: string, key: string, name: string, entry: Entry | undefined): void {
  const expected = withMember(toOrdered(before), key, name, entry === undefined ? undefined : toOrdered(entry));
  if (canonical(toOrdered(parsed(after))) === canonical(expected)) return;
  throw new EditError("it cannot be changed without changing something else in it");
}

/** Tables are compared without the order of their keys, which TOML does not have, and without a list of servers that is empty. */
function canonical(value: Ordered): string {
  if ("items" in value) return `[${value.items.map(canonical).join()}]`;
  if (!("members" in value)) return typeof value.value === "bigint" ? `${value.value}n` : JSON.stringify(value.value);
  const members = value.members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members
    .filter((member) => !member.endsWith(":{}"))
    .sort()
    .join()}}`;
}
