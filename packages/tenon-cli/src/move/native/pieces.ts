/** What the parts of the rewriting share: the text of nodes, and why a piece of the source stays as it is. */
import type { Splice } from "../../hosts/file-edit.ts";
import type { Node } from "../source/syntax-tree.ts";

/** A file while it is rewritten. */
export interface Source {
  readonly text: string;
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
