/** What the parts of the rewriting share: the text of nodes, and why a piece of the source stays as it is. */
import type { Splice } from "../../hosts/file-edit.ts";
import type { Imports } from "../source/imports.ts";
import { type Node, walk } from "../source/syntax-tree.ts";

export interface Source {
  readonly text: string;
  readonly tree: Node;
  readonly imports: Imports;
  /** The release of the official SDK that the file is written on. */
  readonly release: 1 | 2;
  /** Whether the servers of the file become Tenon's: their features are registered on them, and not on `server.tenon`. */
  readonly isWhole: boolean;
  /** The local name of zod; undefined if the file has none whose schemas Tenon reads. */
  readonly zod: string | undefined;
  /** The local name of the official `completable`. */
  readonly completable: string | undefined;
  /** The local name of the official `ResourceTemplate`. */
  readonly template: string | undefined;
}

/** A piece of the source is not of a kind that is rewritten. The message says why, as the end of a sentence. */
export class StaysError extends Error {
  override name = "StaysError";
}

export function textOf({ text }: Source, node: Node): string {
  return text.slice(node.start!, node.end!); // nodes of a parsed file have their places
}

export function replace(node: Node, text: string): Splice {
  return { offset: node.start!, length: node.end! - node.start!, text }; // the same
}

export function insertAt(offset: number, text: string): Splice {
  return { offset, length: 0, text };
}

/** The name of a key that is written plainly. */
export function keyOf(node: Node): string | undefined {
  if (node.type === "Identifier") return node.name;
  return node.type === "StringLiteral" ? node.value : undefined;
}

/** Takes a statement out, with the comments right before it, its indentation and its line break. */
export function removalOf(text: string, node: Node): Splice {
  return lineRemoval(text, startWithComments(text, node), node.end!); // nodes of a parsed file have their places
}

/** Takes a stretch out; with its lines, if nothing else is on them. */
export function lineRemoval(text: string, from: number, to: number): Splice {
  const start = lineStart(text, from);
  const [, rest] = /^([ \t]*(?:\r?\n|$))/.exec(text.slice(to)) ?? [];
  const isAlone = /^[ \t]*$/.test(text.slice(start, from)) && rest !== undefined;
  return isAlone ? { offset: start, length: to + rest.length - start, text: "" } : { offset: from, length: to - from, text: "" };
}

/** What stands between these two signs, which no program has, is moved to the left margin when all is written. */
export const LEFT = "\uE000<";
export const END_OF_LEFT = "\uE000>";

/** The written text without signs, and without the gaps that removed statements have left. */
export function tidied(text: string, before: string): string {
  const left = text.replaceAll(/\uE000<([^]*?)\uE000>/g, (_, inside: string) => dedented(inside.trimEnd()));
  return /\n[ \t]*\r?\n[ \t]*\r?\n/.test(before) ? left : left.replaceAll(/\n(?:[ \t]*\n){2,}/g, "\n\n").replace(/\n\n$/, "\n");
}

/** A text whose first line is not indented, with the other lines moved as far to the left. Texts of several lines stay. */
export function dedented(text: string, indent = ""): string {
  if (/`[^`]*\n[^`]*`/.test(text)) return text;
  const [first = "", ...rest] = text.split("\n");
  const least = Math.min(...rest.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length));
  return [first, ...rest.map((line) => (line.trim() === "" ? "" : indent + line.slice(least)))].join("\n");
}

/** Where a statement starts with the comments that are on the lines right before it. What a file begins with stays. */
function startWithComments(text: string, node: Node): number {
  let start = node.start!; // it has its place, as its comments have
  for (const comment of (node.leadingComments ?? []).toReversed()) {
    const isNear = /^[ \t]*\r?\n?[ \t]*$/.test(text.slice(comment.end, start));
    if (!isNear || comment.start === 0 || !/^[ \t]*$/.test(text.slice(lineStart(text, comment.start!), comment.start))) break;
    start = comment.start!;
  }
  return start;
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** The spaces before the first word of the line that an offset is on. */
export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset)))?.[0] ?? "";
}

/** The value of the one constant of a file that has a name, without the type that it is said to have. */
export function constantIn(tree: Node, name: string): Node | undefined {
  const values: (Node | null | undefined)[] = [];
  walk(tree, (node, around) => {
    if (node.type !== "VariableDeclarator" || node.id.type !== "Identifier" || node.id.name !== name) return;
    const declaration = around.at(-1);
    values.push(declaration?.type === "VariableDeclaration" && declaration.kind === "const" ? node.init : undefined);
  });
  const [init, more] = values;
  if (more !== undefined || !init) return undefined;
  return init.type === "TSAsExpression" || init.type === "TSSatisfiesExpression" ? init.expression : init;
}
