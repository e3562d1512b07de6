/** What a file takes from the official SDK: the local names of its imports, by `import`, `require` and `import()`. */
import { memberName, type Node, walk } from "./syntax-tree.ts";

export const OFFICIAL = "@modelcontextprotocol/sdk";

export interface Imported {
  /** The module without the package and the ending: `server/mcp`; "" for the package itself. */
  readonly module: string;
  /** The name there; "*" for the whole module. */
  readonly name: string;
  readonly line: number;
}

export interface Imports {
  readonly names: ReadonlyMap<string, Imported>;
  readonly modules: readonly { readonly module: string; readonly line: number; readonly isRequired: boolean }[];
}

/** The module of the official SDK that a specifier names; undefined for another package. */
export function moduleOf(specifier: string): string | undefined {
  if (specifier === OFFICIAL) return "";
  return specifier.startsWith(`${OFFICIAL}/`)
    ? specifier
        .slice(OFFICIAL.length + 1)
        .replace(/^dist\/(?:esm|cjs)\//, "")
        .replace(/\.js$/, "")
    : undefined;
}

/** The module of the official SDK 2.x that a specifier names: `server`, `server/stdio`; undefined for another package. */
export function newerModuleOf(specifier: string): string | undefined {
  return /^@modelcontextprotocol\/((?:server|core)(?:\/.*)?)$/.exec(specifier)?.[1];
}

/** @param moduleIn which release of the SDK counts: {@link moduleOf} for 1.x, {@link newerModuleOf} for 2.x */
export function importsOf(tree: Node, moduleIn: (specifier: string) => string | undefined = moduleOf): Imports {
  const names = new Map<string, Imported>();
  const modules: { module: string; line: number; isRequired: boolean }[] = [];
  walk(tree, (node, around) => {
    const found = specifierIn(node);
    const module = found === undefined ? undefined : moduleIn(found.specifier);
    if (found === undefined || module === undefined) return;
    const line = node.loc?.start.line ?? 0;
    modules.push({ module, line, isRequired: found.isRequired });
    for (const [local, name] of localNames(node, around)) names.set(local, { module, name, line });
  });
  return { names, modules };
}

function specifierIn(node: Node): { specifier: string; isRequired: boolean } | undefined {
  if (node.type === "ImportDeclaration" || node.type === "ExportAllDeclaration") return { specifier: node.source.value, isRequired: false };
  if (node.type === "ExportNamedDeclaration" && node.source) return { specifier: node.source.value, isRequired: false };
  if (node.type === "TSImportEqualsDeclaration" && node.moduleReference.type === "TSExternalModuleReference")
    return { specifier: node.moduleReference.expression.value, isRequired: true };
  if (node.type !== "CallExpression") return undefined;
  const [argument] = node.arguments;
  const isRequired = node.callee.type === "Identifier" && node.callee.name === "require";
  if (argument?.type !== "StringLiteral" || (!isRequired && node.callee.type !== "Import")) return undefined;
  return { specifier: argument.value, isRequired };
}

/** The local names that a node gives to what it loads, each with the name in the module. */
function localNames(node: Node, around: readonly Node[]): [string, string][] {
  if (node.type === "ImportDeclaration")
    return node.specifiers.map((each) => [
      each.local.name,
      each.type === "ImportSpecifier" ? (each.imported.type === "Identifier" ? each.imported.name : each.imported.value) : "*",
    ]);
  if (node.type === "TSImportEqualsDeclaration") return [[node.id.name, "*"]];
  const declared = around.findLast((each) => each.type === "VariableDeclarator");
  return declared?.type === "VariableDeclarator" ? namesIn(declared.id) : [];
}

/** The names of a pattern such as `{ McpServer: Server }`. */
function namesIn(pattern: Node): [string, string][] {
  if (pattern.type === "Identifier") return [[pattern.name, "*"]];
  if (pattern.type !== "ObjectPattern") return [];
  return pattern.properties.flatMap((property): [string, string][] =>
    property.type === "ObjectProperty" && property.key.type === "Identifier" && property.value.type === "Identifier"
      ? [[property.value.name, property.key.name]]
      : [],
  );
}

/** The official name behind an expression such as `McpServer` or `mcp.McpServer`; undefined for what is not of the SDK. */
export function officialName(expression: Node, { names }: Imports): string | undefined {
  if (expression.type === "Identifier") {
    const found = names.get(expression.name);
    return found === undefined || found.name === "*" ? undefined : found.name;
  }
  const member = memberName(expression);
  if (member === undefined || !("object" in expression) || expression.object?.type !== "Identifier") return undefined;
  return names.get(expression.object.name)?.name === "*" ? member : undefined;
}
