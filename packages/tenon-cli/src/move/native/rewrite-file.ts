/**
 * Rewrites a file from the API of 1.x to Tenon's: what is registered on an official server is registered on a server of Tenon.
 *
 * If every place that names a server of the file can be rewritten, the servers become Tenon's. Otherwise they stay on the layer, what can be
 * rewritten goes to `server.tenon`, and the rest is marked.
 */
import { applySplices, type Splice } from "../../hosts/file-edit.ts";
import { importsOf, moduleOf, newerModuleOf, officialName } from "../source/imports.ts";
import { type Node, treeOf, walk } from "../source/syntax-tree.ts";
import { wiringOf } from "./http/wiring.ts";
import { finishImports } from "./imports-after.ts";
import { indentAt, insertAt, keyOf, lineStart, tidied, type Source, StaysError, replace } from "./pieces.ts";
import { outcomeOf, type Surroundings } from "./places.ts";
import { type Place, isFunction, isReference } from "./scopes.ts";
import { isMade, madeSplices, typeSplices } from "./made.ts";
import type { ServerVariable } from "./server-variable.ts";
import { serversOf, variablesOf } from "./servers.ts";
import { isServed } from "./local-functions.ts";

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
  readonly link: string;
}

/** @throws SyntaxError if the file cannot be parsed */
export function rewriteFile(path: string, text: string, options: RewriteOptions): Rewritten {
  const tree = treeOf(text, path);
  if (NEWER.test(text)) return rewriteNewer(path, tree, text, options);
  const whole = attempt(tree, sourceOf(text, tree, { ...options, isWhole: true }));
  const done = whole.staying.length === 0 && whole.isWhole ? whole : attempt(tree, sourceOf(text, tree, { ...options, isWhole: false }));
  const marks = done.staying.map(({ place, why }) => ({ line: place.name.loc?.start.line ?? 0, why }));
  if (done.edits === 0) return { text, edits: 0, marks: [] };
  const comments = done.staying.map(({ place, why }) => markAt(text, place, `${why}. ${options.link}`));
  const written = tidied(applySplices(text, unique([...done.splices, ...comments])), text);
  return { text: finishImports(written, path, { isWhole: done.isWhole, before: text, moduleIn: moduleOf }), edits: done.edits, marks };
}

/** A file on the official SDK 2.x, which has no layer: it becomes Tenon's as a whole, or stays with the reasons. */
function rewriteNewer(path: string, tree: Node, text: string, options: RewriteOptions): Rewritten {
  const source = sourceOf(text, tree, { ...options, isWhole: true, release: 2 });
  const { isWhole, staying, splices, edits } = attempt(tree, source);
  const marks = staying.map(({ place, why }) => ({ line: place.name.loc?.start.line ?? 0, why }));
  if (!isWhole || marks.length > 0) return { text, edits: 0, marks };
  const moved = tidied(applySplices(text, splices), text);
  const written = applySplices(moved, newerSplices(sourceOf(moved, treeOf(moved, path), { ...options, isWhole, release: 2 })));
  return { text: finishImports(written, path, { isWhole, before: text, moduleIn: newerModuleOf }), edits, marks };
}

/** What names the official SDK 2.x. */
export const NEWER: RegExp = /["']@modelcontextprotocol\/server["'/]/;

interface SourceOptions {
  readonly hasZod: boolean;
  readonly isWhole: boolean;
  readonly release?: 1 | 2;
}

function sourceOf(text: string, tree: Node, { hasZod, isWhole, release = 1 }: SourceOptions): Source {
  const imports = importsOf(tree, release === 1 ? moduleOf : newerModuleOf);
  const named = (wanted: string): string | undefined => [...imports.names].find(([, { name }]) => name === wanted)?.[0];
  return {
    text,
    tree,
    imports,
    release,
    isWhole,
    zod: hasZod ? zodIn(tree) : undefined,
    completable: named("completable"),
    template: named("ResourceTemplate"),
  };
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

interface Attempt {
  readonly isWhole: boolean;
  readonly splices: readonly Splice[];
  readonly edits: number;
  readonly staying: readonly { readonly place: Place; readonly why: string }[];
}

function attempt(tree: Node, source: Source): Attempt {
  const { servers, functions } = serversOf(tree, source.imports);
  const transports = variablesOf(tree, source.imports, ["StdioServerTransport"]);
  const { wiring, why } = wiringOf({ source, tree, functions, servers });
  const surroundings: Surroundings = { source, functions, servers, transports, wiring, why };
  const all = servers.map((server) => rewriteServer(server, surroundings));
  const isWhole = source.isWhole && servers.length > 0 && servers.every((each) => !each.isExported && isMade(source, each));
  return {
    isWhole,
    splices: [...all.flatMap(({ splices }) => splices), ...wiring.splices, ...(isWhole ? typeSplices(source, tree) : [])],
    edits: all.reduce((sum, each) => sum + each.edits, wiring.edits),
    staying: all.flatMap(({ staying }) => staying),
  };
}

function rewriteServer(server: ServerVariable, surroundings: Surroundings): Omit<Attempt, "isWhole"> {
  const { source, wiring } = surroundings;
  const staying: { place: Place; why: string }[] = [];
  const splices: Splice[] = [];
  let [edits, handles] = [0, false];
  const options: string[] = [];
  for (const place of server.places) {
    if (wiring.removes(place.name)) continue;
    try {
      const outcome = outcomeOf(server, place, surroundings);
      splices.push(...outcome.splices);
      options.push(...(outcome.options ?? []));
      edits += outcome.edits;
      if (outcome.isHandler === true) handles = true;
    } catch (error) {
      if (!(error instanceof StaysError)) throw error;
      staying.push({ place, why: error.message });
    }
  }
  const made = source.isWhole && server.made !== undefined ? madeSplices(source, server, { options, handles }) : [];
  return { splices: [...splices, ...(made ?? [])], edits: edits + (source.isWhole && server.made !== undefined ? 1 : 0), staying };
}

/** A comment on the line before the statement. */
function markAt(text: string, { name }: Place, why: string): Splice {
  const start = lineStart(text, name.start!); // a name has its place
  return insertAt(start, `${indentAt(text, start)}// tenon move: this stays on tenon-sdk-v1, because ${why}\n`);
}

/** Without a second mark on the same line. */
function unique(splices: readonly Splice[]): Splice[] {
  return splices.filter(
    ({ offset, length }, index) => length > 0 || splices.findIndex((each) => each.length === 0 && each.offset === offset) === index,
  );
}

/** The names of the official SDK 2.x that Tenon has under others. */
const NAMES: ReadonlyMap<string, string> = new Map(Object.entries({ ProtocolError: "McpError", ProtocolErrorCode: "ErrorCode" }));

/** Those names, and `serveStdio()`, which takes a server here and no factory. */
function newerSplices({ tree, imports }: Source): Splice[] {
  const splices: Splice[] = [];
  walk(tree, (node, around) => {
    if (node.type === "Identifier" && isReference(node, around.at(-1))) {
      const name = NAMES.get(officialName(node, imports) ?? "");
      if (name !== undefined) splices.push(replace(node, name));
    }
    const [factory] = node.type === "CallExpression" && isServed(node.callee) ? node.arguments : [];
    if (factory?.type === "Identifier") splices.push(insertAt(factory.end!, "()")); // nodes of a parsed file have their places
    else if (factory !== undefined && isFunction(factory)) splices.push(insertAt(factory.start!, "("), insertAt(factory.end!, ")()")); // the same
  });
  return splices;
}
