/**
 * The head of a `SKILL.md`: YAML between two lines of `---`.
 *
 * Clients compare it with the entry of the server, and some of them have a partial YAML parser. So a server refuses text that
 * parsers read differently, and names the line. A client accepts the core schema of YAML 1.2 except aliases: with them a small
 * text can become very large.
 */
import { isCollection, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit, type Document, type Node } from "yaml";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";

export interface Manifest {
  readonly frontmatter: JsonObject;
  readonly body: string;
}

const OPENING = /^\uFEFF?---[ \t]*\r?\n/;
const CLOSING = /^---[ \t]*\r?$/m;
const MAX_DEPTH = 32;

/**
 * Splits a `SKILL.md` into its frontmatter and its body.
 * @param portable whether to refuse text that only some parsers read
 * @throws SyntaxError that names the line, if there is no frontmatter or it cannot be read
 */
export function parseManifest(text: string, { portable = false }: { readonly portable?: boolean } = {}): Manifest {
  const opening = OPENING.exec(text)?.[0];
  const rest = text.slice(opening?.length);
  const closing = CLOSING.exec(rest);
  if (opening === undefined || closing === null) throw new SyntaxError("SKILL.md must begin with YAML between two lines of ---");
  const source = rest.slice(0, closing.index).replaceAll("\r\n", "\n");
  const lines = new LineCounter();
  const document = parseDocument(source, { schema: "core", uniqueKeys: true, lineCounter: lines, prettyErrors: false });
  const refuse = (offset: number, reason: string): never => {
    throw new SyntaxError(`SKILL.md, line ${lines.linePos(offset).line + 1}: ${reason}`);
  };
  const [error] = document.errors;
  if (error !== undefined) refuse(error.pos[0], error.message);
  inspect(document, { source, portable, refuse });
  const frontmatter: unknown = document.toJS({ maxAliasCount: 0 });
  if (!isJsonObject(frontmatter)) throw new SyntaxError("SKILL.md: the frontmatter must be a YAML mapping");
  return { frontmatter, body: rest.slice(closing.index + closing[0].length).replace(/^\n/, "") };
}

interface Inspection {
  readonly source: string;
  readonly portable: boolean;
  readonly refuse: (offset: number, reason: string) => never;
}

/** Checks the parsed YAML. @throws SyntaxError if it has aliases or a bad key, or if it is not portable and must be */
function inspect(document: Document, { source, portable, refuse }: Inspection): void {
  visit(document, {
    Alias: (_key, node) => refuse(offsetOf(node), "aliases are not allowed"),
    Pair(_key, { key }) {
      const name = isScalar(key) ? key.value : undefined;
      if (typeof name !== "string") refuse(offsetOf(key), "keys must be strings");
      if (name === "__proto__") refuse(offsetOf(key), "the key __proto__ is not allowed");
    },
    Node(_key, node, path) {
      if (path.filter(isCollection).length > MAX_DEPTH) refuse(offsetOf(node), `it is nested deeper than ${MAX_DEPTH} levels`);
      const reason = portable ? portabilityProblem(node, source) : undefined;
      if (reason !== undefined) refuse(offsetOf(node), reason);
    },
  });
}

function offsetOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

function portabilityProblem(node: Node, source: string): string | undefined {
  if ("anchor" in node && node.anchor !== undefined) return "anchors are not allowed";
  if (node.tag !== undefined) return "tags are not allowed";
  if (isSeq(node) && node.items.some((item) => isMap(item) && item.flow && source[item.range![0]] !== "{"))
    return "[a: b] is not allowed: write [{a: b}]";
  if (!isScalar(node)) return undefined;
  const text = source.slice(...(node.range ?? [0, 0]).slice(0, 2));
  if (node.type?.startsWith("QUOTE_") && text.includes("\n")) return "a quoted value must be on one line";
  if (node.type?.startsWith("BLOCK_") && /^[|>][+-]?\d/.test(text)) return "a block must not have an indentation number";
  if (typeof node.value === "number" && !JSON_NUMBER.test(text)) return `${text} is not a number in JSON: put it in quotes`;
  return undefined;
}
