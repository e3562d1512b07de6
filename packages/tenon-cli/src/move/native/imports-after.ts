/** The imports of a rewritten file: what is not named any more goes, what is new comes. */
import type { ImportDeclaration } from "@babel/types";
import { applySplices, type Splice } from "../../hosts/file-edit.ts";
import { moduleOf } from "../source/imports.ts";
import { type Node, treeOf, walk } from "../source/syntax-tree.ts";
import { keyOf, lineRemoval, removalOf, replace } from "./pieces.ts";
import { TENON_ERROR } from "./thrown-errors.ts";

/** Names that Tenon has under the same name, if the whole file is Tenon's. */
const SAME = new Set(["McpServer", "McpError", "ErrorCode", "UrlElicitationRequiredError"]);
/** Types of the protocol that Tenon has under the same name. */
const TYPES = new Set(
  (
    "CallToolResult GetPromptResult ReadResourceResult ListToolsResult ListResourcesResult ListPromptsResult ListResourceTemplatesResult " +
    "CompleteResult Tool Resource Prompt TextContent ImageContent AudioContent EmbeddedResource ResourceLink ContentBlock PromptMessage " +
    "ToolAnnotations Implementation ServerCapabilities ClientCapabilities LoggingLevel Icon CreateMessageResult ElicitResult Root"
  ).split(" "),
);

interface Finished {
  /** Whether no server of the file stays on the layer. */
  readonly isWhole: boolean;
  /** The file before it was written. */
  readonly before: string;
  /** Which release of the SDK the file imports. */
  readonly moduleIn: typeof moduleOf;
}

export function finishImports(written: string, path: string, { isWhole, before, moduleIn }: Finished): string {
  const text = withoutTransports(written, path);
  const tree = treeOf(text, path);
  const body = tree.program.body;
  const used = namesIn(tree);
  const usedBefore = namesIn(treeOf(before, path));
  const splices: Splice[] = [];
  const wanted: Wanted = { values: new Set(), types: new Set() };
  for (const node of body) {
    if (node.type !== "ImportDeclaration") continue;
    const isOfSdk = moduleIn(node.source.value) !== undefined;
    const specifiers = isOfSdk
      ? split(node, used, { isWhole, wanted })
      : node.specifiers.filter(({ local: { name } }) => used.has(name) || !usedBefore.has(name));
    if (specifiers.length === node.specifiers.length) continue;
    splices.push(specifiers.length === 0 ? lineRemoval(text, node.start!, node.end!) : replace(node, importText(text, node, specifiers)));
  }
  addMissing(used, wanted, { isWhole, body, moduleIn });
  const first = body.find((node) => node.type === "ImportDeclaration");
  const added = { offset: first?.start ?? 0, length: 0, text: linesFor(wanted, used) };
  return applySplices(text, joined(splices, added));
}

interface Wanted {
  readonly values: Set<string>;
  readonly types: Set<string>;
}

/** What the rewriting itself has brought. */
function addMissing(
  used: ReadonlySet<string>,
  { values }: Wanted,
  { isWhole, body, moduleIn }: { readonly isWhole: boolean; readonly body: readonly Node[]; readonly moduleIn: typeof moduleOf },
): void {
  const bound = new Set(
    body.flatMap((node) =>
      node.type === "ImportDeclaration" && moduleIn(node.source.value) === undefined ? node.specifiers.map(({ local }) => local.name) : [],
    ),
  );
  const own = isWhole ? ["McpServer", "McpError", "ErrorCode", "ToolError"] : ["ToolError"];
  for (const name of own) if (used.has(name) && !bound.has(name)) values.add(name);
  if (used.has(TENON_ERROR)) values.add(`McpError as ${TENON_ERROR}`);
}

function linesFor({ values, types }: Wanted, used: ReadonlySet<string>): string {
  const node = ["serveHttp", "serveStdio", "toNodeHandler"].filter((name) => used.has(name));
  return [
    ...(types.size === 0 ? [] : [`import type { ${[...types].toSorted().join(", ")} } from "tenon";\n`]),
    ...(values.size === 0 ? [] : [`import { ${[...values].toSorted().join(", ")} } from "tenon/server";\n`]),
    ...(node.length === 0 ? [] : [`import { ${node.join(", ")} } from "tenon/node";\n`]),
  ].join("");
}

/** An insertion and a removal at one place are one splice. */
function joined(splices: readonly Splice[], added: Splice): Splice[] {
  const at = splices.findIndex(({ offset }) => offset === added.offset);
  if (at === -1) return [...splices, added];
  return splices.map((splice, index) => (index === at ? { ...splice, text: added.text + splice.text } : splice));
}

type Specifier = ImportDeclaration["specifiers"][number];

/** The specifiers of an import that stay; the others are not used any more, or Tenon has them. */
function split(
  node: ImportDeclaration,
  used: ReadonlySet<string>,
  { isWhole, wanted }: { readonly isWhole: boolean; readonly wanted: Wanted },
): Specifier[] {
  return node.specifiers.filter((each) => {
    const local = each.local.name;
    const imported = each.type === "ImportSpecifier" ? keyOf(each.imported)! : "*"; // it is a name
    if (!used.has(local) || (isWhole && imported === "serveStdio")) return false;
    const text = imported === local ? local : `${imported} as ${local}`;
    if (isWhole && TYPES.has(imported)) wanted.types.add(text);
    else if (isWhole && SAME.has(imported)) (node.importKind === "type" ? wanted.types : wanted.values).add(text);
    else return true;
    return false;
  });
}

/** An import of some of its names. */
function importText(text: string, node: ImportDeclaration, specifiers: readonly Specifier[]): string {
  const whole = specifiers.filter(({ type }) => type !== "ImportSpecifier").map(({ start, end }) => text.slice(start!, end!)); // they have their places
  const named = specifiers.filter(({ type }) => type === "ImportSpecifier").map(({ start, end }) => text.slice(start!, end!)); // the same
  const names = [...whole, ...(named.length === 0 ? [] : [`{ ${named.join(", ")} }`])].join(", ");
  return `import ${node.importKind === "type" ? "type " : ""}${names} from ${text.slice(node.source.start!, node.source.end!)};`; // the same
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
    if (isUnusedTransport(text, node, tree)) splices.push(removalOf(text, node));
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
