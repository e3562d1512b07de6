/** The imports of a rewritten file: what is not named any more goes, what is new comes. */
import type { ImportDeclaration } from "@babel/types";
import { applySplices, type Splice } from "../../hosts/file-edit.ts";
import { moduleOf } from "../source/imports.ts";
import { type Node, treeOf, walk } from "../source/syntax-tree.ts";
import { keyOf } from "./pieces.ts";

/** Names that Tenon has under the same name, if the whole file is Tenon's. */
const SAME = new Set(["McpServer", "McpError", "ErrorCode", "UrlElicitationRequiredError"]);

/** @param isWhole whether no server of the file stays on the layer */
export function finishImports(written: string, path: string, isWhole: boolean): string {
  const text = withoutTransports(written, path);
  const tree = treeOf(text, path);
  const body = tree.program.body;
  const used = namesIn(tree);
  const splices: Splice[] = [];
  const wanted: string[] = [];
  for (const node of body) {
    if (node.type !== "ImportDeclaration" || moduleOf(node.source.value) === undefined || node.importKind === "type") continue;
    const { kept, moved } = split(node, used, isWhole);
    wanted.push(...moved);
    if (kept.length === node.specifiers.length) continue;
    const text2 = `import { ${kept.join(", ")} } from ${JSON.stringify(node.source.value)};`;
    splices.push(kept.length === 0 ? lineOf(text, node) : { offset: node.start!, length: node.end! - node.start!, text: text2 }); // it has its place
  }
  const first = body.find((node) => node.type === "ImportDeclaration");
  const lines = [
    ...(wanted.length === 0 ? [] : [`import { ${wanted.toSorted().join(", ")} } from "tenon/server";\n`]),
    ...(used.has("serveStdio") ? ['import { serveStdio } from "tenon/node";\n'] : []),
  ];
  const added = { offset: first?.start ?? 0, length: 0, text: lines.join("") };
  return applySplices(text, joined(splices, added));
}

/** An insertion and a removal at one place are one splice. */
function joined(splices: readonly Splice[], added: Splice): Splice[] {
  const at = splices.findIndex(({ offset }) => offset === added.offset);
  if (at === -1) return [...splices, added];
  return splices.map((splice, index) => (index === at ? { ...splice, text: added.text + splice.text } : splice));
}

/** The specifiers of an import that stay, as text, and the names that Tenon has. */
function split(node: ImportDeclaration, used: ReadonlySet<string>, isWhole: boolean): { kept: string[]; moved: string[] } {
  const [kept, moved]: [string[], string[]] = [[], []];
  for (const each of node.specifiers) {
    const local = each.local.name;
    const imported = each.type === "ImportSpecifier" ? keyOf(each.imported)! : "*"; // it is a name
    if (!used.has(local)) continue;
    const text = imported === local ? local : `${imported} as ${local}`;
    if (isWhole && SAME.has(imported)) moved.push(text);
    else kept.push(text);
  }
  return { kept, moved };
}

/** The names that a file uses, besides its imports. */
function namesIn(tree: Node): Set<string> {
  const names = new Set<string>();
  walk(tree, (node, around) => {
    if (node.type === "ImportDeclaration") return false;
    if (node.type === "JSXIdentifier") names.add(node.name);
    const parent = around.at(-1);
    const isMember = parent !== undefined && "property" in parent && parent.property === node && !("computed" in parent && parent.computed);
    if (node.type === "Identifier" && !isMember) names.add(node.name);
    return undefined;
  });
  return names;
}

/** Without the transports that nothing uses any more. */
function withoutTransports(text: string, path: string): string {
  const tree = treeOf(text, path);
  const splices: Splice[] = [];
  walk(tree, (node) => {
    if (isUnusedTransport(text, node, tree)) splices.push(lineOf(text, node));
  });
  return applySplices(text, splices);
}

/** Whether a declaration makes a transport that nothing uses any more. */
function isUnusedTransport(text: string, node: Node, tree: Node): boolean {
  if (node.type !== "VariableDeclaration" || node.declarations.length !== 1) return false;
  const [{ id, init }] = node.declarations as [(typeof node.declarations)[number]]; // of length 1
  if (
    id.type !== "Identifier" ||
    init?.type !== "NewExpression" ||
    text.slice(init.callee.start!, init.callee.end!) !== "StdioServerTransport"
  )
    return false;
  let uses = 0;
  walk(tree, (each) => {
    if (each.type === "Identifier" && each.name === id.name) uses++;
  });
  return uses === 1;
}

/** A node with the line that it is on. */
function lineOf(text: string, node: Node): Splice {
  const end = text[node.end!] === "\n" ? node.end! + 1 : node.end!; // it has its place
  const [indent = ""] = /[ \t]*$/.exec(text.slice(0, node.start!)) ?? []; // the same
  const start = node.start! - indent.length; // the same
  return { offset: start, length: end - start, text: "" };
}
