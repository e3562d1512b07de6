/** Finds lines in the text of a configuration file: of a member, and of a syntax error. Only errors need it, so it parses the text again. */
import { parseTree, type Node, type ParseError } from "jsonc-parser/lib/esm/main.js";

const PARSING = { allowTrailingComma: true } as const;

/** The line of a field of a server, counted from 1: of the server if it has no such field, undefined if the text has no such server. */
export function lineOf(text: string, path: readonly string[], field = ""): number | undefined {
  const root = treeOf(text.replace(/^\uFEFF/, ""));
  let node: Node | undefined = root;
  for (const name of path) {
    const property: Node | undefined = membersOf(node).findLast((member) => nameOf(member) === name);
    if (property === undefined) return undefined;
    node = property.children![1];
  }
  if (node === undefined || root === undefined) return undefined;
  const found = field === "" ? node : inside(node, field);
  return lineAt(text, (found.parent?.type === "property" ? found.parent : found).offset);
}

/** Where a text is not JSON, or has a key twice; undefined if neither is found. */
export function lineOfSyntaxError(text: string): number | undefined {
  const errors: ParseError[] = [];
  const root = treeOf(text, errors);
  const offset = errors[0]?.offset ?? (root && secondOfTwo(root)?.offset);
  return offset === undefined ? undefined : lineAt(text, offset);
}

/** A text that is nested too deeply for the parser has no tree. */
function treeOf(text: string, errors: ParseError[] = []): Node | undefined {
  try {
    return parseTree(text, errors, PARSING);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The deepest node on the way of `field`, such as `env.TOKEN` or `args[1]`. Names may have dots themselves, so the longest name fits. */
function inside(node: Node, field: string): Node {
  const rest = field.replace(/^\./, "");
  const index = /^\[(\d+)\]/.exec(rest);
  if (index !== null && node.type === "array") {
    const item = node.children?.[Number(index[1])];
    return item === undefined ? node : inside(item, rest.slice(index[0].length));
  }
  const fits = (name: string): boolean => rest === name || rest.startsWith(`${name}.`) || rest.startsWith(`${name}[`);
  const [best] = membersOf(node)
    .filter((member) => nameOf(member) !== "" && fits(nameOf(member)))
    .toSorted((one, other) => nameOf(other).length - nameOf(one).length);
  const value = best?.children![1];
  return value === undefined ? node : inside(value, rest.slice(nameOf(best!).length));
}

function secondOfTwo(node: Node): Node | undefined {
  const names = new Set<string>();
  for (const child of node.children ?? []) {
    const name = node.type === "object" ? nameOf(child) : undefined;
    if (name !== undefined && names.has(name)) return child;
    if (name !== undefined) names.add(name);
    const found = secondOfTwo(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

function membersOf(node: Node | undefined): readonly Node[] {
  return node?.type === "object" ? (node.children ?? []) : [];
}

function nameOf(property: Node): string {
  return String(property.children![0]!.value);
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
