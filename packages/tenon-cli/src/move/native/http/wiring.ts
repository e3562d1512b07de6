/**
 * Express wiring of 1.x as one endpoint of Tenon: one transport for each session in a map, one for each request, HTTP+SSE.
 *
 * If the app only carries MCP it goes away, and `serveHttp()` listens in its place. Otherwise one route of it is Tenon's handler.
 */
import type { Splice } from "../../../hosts/file-edit.ts";
import type { Node } from "../../source/syntax-tree.ts";
import { END_OF_LEFT, LEFT, removalOf, type Source, StaysError, textOf } from "../pieces.ts";
import { isWithin, type Place, type Range } from "../scopes.ts";
import { callAt } from "../place-kinds.ts";
import type { ServerVariable } from "../server-variable.ts";
import { keptIn } from "./kept-server.ts";
import { type Carriers, carriersOf, type FileParts, pathText } from "./carriers.ts";
import { handlerText, serveText, transportOptions } from "./endpoint-text.ts";
import { type App, appsOf, type Route } from "./routes.ts";

export interface Wiring {
  readonly splices: readonly Splice[];
  readonly edits: number;
  /** Whether a node goes away. */
  removes(node: Node): boolean;
}

const NONE: Wiring = { splices: [], edits: 0, removes: () => false };

/** The wiring of a file; why it stays as it is, if it is of another shape. */
export function wiringOf(parts: FileParts): { readonly wiring: Wiring; readonly why: string | undefined } {
  const apps = appsOf(parts.tree, parts.source.imports, parts.functions);
  try {
    const [app, more] = apps.filter((each) => each.routes.length > 0);
    if (app === undefined) return { wiring: NONE, why: undefined };
    if (more !== undefined) throw new StaysError("there are several apps");
    const carriers = carriersOf(app, parts);
    if (carriers.routes.length === 0) return { wiring: NONE, why: undefined };
    return { wiring: rewired(app, carriers, parts), why: undefined };
  } catch (error) {
    if (!(error instanceof StaysError)) throw error;
    return { wiring: NONE, why: error.message };
  }
}

function rewired(app: App, { routes, removed }: Carriers, parts: FileParts): Wiring {
  const { source } = parts;
  const connected = connectedIn(routes, parts);
  const paths = pathsOf(routes, source);
  const facts = { server: connected.text, paths, options: transportOptions(source, routes) };
  const isWhole = app.isPlain && app.listening !== undefined && routes.length === app.routes.length && paths.length === 1;
  const gone = isWhole ? [...removed, app.declaration, ...app.readers] : removed;
  const splices = gone.flatMap((node) =>
    connected.kept !== undefined && isWithin(connected.kept, node) ? around(node, connected.kept) : [removalOf(source.text, node)],
  );
  const first = routes[0]!.statement; // there is one
  const placed = isWhole ? app.listening.statement : first;
  const text = isWhole ? serveText(source, app, app.listening, facts) : handlerText(app, facts);
  return {
    splices: withText(splices, placed, text),
    edits: routes.length + (isWhole ? 1 : 0),
    removes: (node) => gone.some((each) => isWithin(node, each)) && !(connected.kept !== undefined && isWithin(node, connected.kept)),
  };
}

/** The paths at which clients connect: of HTTP+SSE the one of its stream, and not the one of its messages. */
function pathsOf(routes: readonly Route[], source: Source): string[] {
  const makes = routes.filter(({ handler }) => /\bnew\s+\w*Transport\b/.test(textOf(source, handler)));
  return [...new Set(makes.map(({ path }) => pathText(path, source)))];
}

/** What is left of a node: nothing but a stretch in it. */
function around(node: Node, { start, end }: Range): Splice[] {
  return [
    { offset: node.start!, length: start! - node.start!, text: LEFT }, // they have their places
    { offset: end!, length: node.end! - end!, text: END_OF_LEFT }, // the same
  ];
}

/** Puts a text in the place of a statement, also if the statement goes away. */
function withText(splices: readonly Splice[], { start, end }: Range, text: string): Splice[] {
  const at = splices.findIndex(({ offset, length }) => offset <= start! && offset + length >= end!); // statements have their places
  if (at !== -1) return splices.with(at, { offset: start!, length: end! - start!, text });
  const after = splices.find(({ offset, length }) => length > 0 && offset > start! && offset + length === end!); // what follows a kept stretch
  if (after !== undefined) return splices.map((each) => (each === after ? { ...each, text: `${END_OF_LEFT}\n${text}` } : each));
  return [...splices, { offset: start!, length: end! - start!, text }];
}

interface Connected {
  /** The server as an expression outside of the routes. */
  readonly text: string;
  /** The statements in a route that make the server, which stay. */
  readonly kept: Range | undefined;
}

/** The server that the routes connect. @throws StaysError if there are several, or if it depends on the request */
function connectedIn(routes: readonly Route[], { source, servers }: FileParts): Connected {
  const found: Connected[] = [];
  for (const { handler } of routes)
    for (const server of servers)
      for (const place of server.places)
        if (place.around.includes(handler) && callAt(place)?.method === "connect") found.push(expressionOf(source, server, place, handler));
  const [first] = found;
  if (first === undefined) throw new StaysError("its routes connect no server of this file");
  if (found.some(({ text, kept }) => text !== first.text || kept !== first.kept))
    throw new StaysError("its routes connect several servers");
  return first;
}

function expressionOf(source: Source, server: ServerVariable, { name }: Place, handler: Node): Connected {
  const own = source.isWhole ? "" : ".tenon";
  if (!server.around.includes(handler)) return { text: `${server.name}${own}`, kept: undefined };
  if (server.made !== undefined) return { text: `${server.name}${own}`, kept: keptIn(server) };
  const declared = server.around.at(-1);
  const init = declared?.type === "VariableDeclarator" && declared.init ? declared.init : name;
  const made = init.type === "AwaitExpression" ? init.argument : init;
  if (made.type !== "CallExpression" || made.arguments.length > 0) throw new StaysError("its server depends on the request");
  return {
    text: init.type === "AwaitExpression" && own !== "" ? `(${textOf(source, init)})${own}` : `${textOf(source, init)}${own}`,
    kept: undefined,
  };
}
