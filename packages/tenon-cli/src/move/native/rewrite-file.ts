/**
 * Rewrites one file: what is registered on an official `McpServer` is registered on a server of Tenon.
 *
 * If every place that names the server can be rewritten, the server itself becomes Tenon's. Otherwise it stays on the layer, what can be
 * rewritten goes to `server.tenon`, and the rest is marked.
 */
import type { NewExpression } from "@babel/types";
import { applySplices, type Splice } from "../../hosts/file-edit.ts";
import { type Imports, importsOf } from "../source/imports.ts";
import { type Node, treeOf } from "../source/syntax-tree.ts";
import { finishImports } from "./imports-after.ts";
import { insertAt, keyOf, replace, type Source, StaysError, textOf } from "./pieces.ts";
import { REGISTRATIONS } from "./registrations.ts";
import { callAt, type Place, type ServerVariable, variablesOf } from "./servers.ts";
import { connectSplices } from "./stdio.ts";

/** A place that stays on the layer. */
export interface Mark {
  readonly line: number;
  readonly why: string;
}

export interface Rewritten {
  readonly text: string;
  /** How many calls were rewritten. */
  readonly edits: number;
  readonly marks: readonly Mark[];
}

export interface RewriteOptions {
  /** Whether the project's zod makes JSON Schemas by itself: from 4.2 on. */
  readonly hasZod: boolean;
  /** Where a mark leads. */
  readonly link: string;
}

/** @throws SyntaxError if the file cannot be parsed */
export function rewriteFile(path: string, text: string, { hasZod, link }: RewriteOptions): Rewritten {
  const tree = treeOf(text, path);
  const imports = importsOf(tree);
  const source = sourceOf(text, tree, imports, hasZod);
  const transports = variablesOf(tree, imports, "StdioServerTransport");
  const all = variablesOf(tree, imports, "McpServer").map((server) => rewriteServer(source, server, { imports, transports }));
  const splices = all.flatMap((each) => [
    ...each.splices,
    ...each.staying.map(({ place, why }) => markAt(source, place, `${why}. ${link}`)),
  ]);
  const edits = all.reduce((sum, each) => sum + each.edits, 0);
  const marks = all.flatMap(({ staying }) => staying.map(({ place, why }) => ({ line: place.name.loc?.start.line ?? 0, why })));
  if (edits === 0) return { text, edits, marks: [] };
  const isWhole = all.every((each) => each.isWhole);
  return { text: finishImports(applySplices(text, unique(splices)), path, isWhole), edits, marks };
}

function sourceOf(text: string, tree: Node, imports: Imports, hasZod: boolean): Source {
  const named = (wanted: string): string | undefined => [...imports.names].find(([, { name }]) => name === wanted)?.[0];
  return { text, zod: hasZod ? zodIn(tree) : undefined, completable: named("completable"), template: named("ResourceTemplate") };
}

/** The local name of zod 4. */
function zodIn(tree: Node): string | undefined {
  const body = tree.type === "File" ? tree.program.body : [];
  for (const node of body) {
    if (node.type !== "ImportDeclaration" || !/^zod(?:\/v4)?$/.test(node.source.value)) continue;
    const whole = node.specifiers.find((each) => each.type !== "ImportSpecifier" || keyOf(each.imported) === "z");
    if (whole !== undefined) return whole.local.name;
  }
  return undefined;
}

interface RewrittenServer {
  /** Whether the server itself is Tenon's now. */
  readonly isWhole: boolean;
  readonly splices: Splice[];
  readonly edits: number;
  readonly staying: readonly { readonly place: Place; readonly why: string }[];
}

interface Surroundings {
  readonly imports: Imports;
  readonly transports: readonly ServerVariable[];
}

function rewriteServer(source: Source, server: ServerVariable, surroundings: Surroundings): RewrittenServer {
  const [calls, connects]: [Splice[], { place: Place; splices: Splice[] }[]] = [[], []];
  const staying: { place: Place; why: string }[] = [];
  for (const place of server.places) {
    try {
      const found = callAt(place);
      const register = found && REGISTRATIONS[found.method];
      if (found?.method === "connect") connects.push({ place, splices: connectSplices(found.call, place, surroundings) });
      else if (found === undefined || register === undefined) throw new StaysError(whyOf(found?.method));
      else calls.push(replace(found.call, `${server.name}.tenon.${register(source, found.call.arguments)}`));
    } catch (error) {
      if (!(error instanceof StaysError)) throw error;
      staying.push({ place, why: error.message });
    }
  }
  const made = staying.length === 0 && !server.isExported ? madeSplices(source, server.made) : undefined;
  if (made === undefined) return { isWhole: false, splices: calls, edits: calls.length, staying };
  const own = calls.map((splice) => ({ ...splice, text: splice.text.replace(`${server.name}.tenon.`, `${server.name}.`) }));
  return {
    isWhole: true,
    splices: [...own, ...made, ...connects.flatMap(({ splices }) => splices)],
    edits: own.length + connects.length + 1,
    staying,
  };
}

function whyOf(method: string | undefined): string {
  return method === undefined ? "the server is used as a value" : `${method}() has no counterpart here`;
}

/** Options of 1.x that Tenon finds out by itself. */
const KNOWN_CAPABILITIES = new Set(["logging", "tools", "resources", "prompts", "completions"]);

/** The server's own options; undefined if Tenon has nothing of the kind. */
function madeSplices(source: Source, { arguments: [, options] }: NewExpression): Splice[] | undefined {
  if (options === undefined) return [];
  if (options.type !== "ObjectExpression") return undefined;
  const kept: string[] = [];
  for (const property of options.properties) {
    if (property.type !== "ObjectProperty") return undefined;
    const key = keyOf(property.key);
    if (key === "instructions") kept.push(textOf(source, property));
    else if (key !== "capabilities" || !isKnown(property.value)) return undefined;
  }
  return [replace(options, kept.length === 0 ? "{}" : `{ ${kept.join(", ")} }`)];
}

function isKnown(capabilities: Node): boolean {
  return (
    capabilities.type === "ObjectExpression" &&
    capabilities.properties.every((each) => each.type === "ObjectProperty" && KNOWN_CAPABILITIES.has(keyOf(each.key) ?? ""))
  );
}

/** A comment on the line before the statement. */
function markAt({ text }: Source, { name }: Place, why: string): Splice {
  const start = text.lastIndexOf("\n", name.start!) + 1; // a name has its place
  const [indent = ""] = /^[ \t]*/.exec(text.slice(start)) ?? [];
  return insertAt(start, `${indent}// tenon move: this stays on tenon-sdk-v1, because ${why}\n`);
}

/** Without a second mark on the same line. */
function unique(splices: readonly Splice[]): Splice[] {
  return splices.filter(
    ({ offset, length }, index) => length > 0 || splices.findIndex((each) => each.length === 0 && each.offset === offset) === index,
  );
}
