/** The routes of an app that only carry MCP, with all that exists for them: maps of transports, functions, loops that close sessions. */
import { officialName } from "../../source/imports.ts";
import { memberName, type Node, walk } from "../../source/syntax-tree.ts";
import type { LocalFunction } from "../local-functions.ts";
import { type Source, StaysError } from "../pieces.ts";
import { isWithin, referencesIn, scopeIn } from "../scopes.ts";
import type { ServerVariable } from "../server-variable.ts";
import { serversMadeIn } from "./kept-server.ts";
import { assertCarriesOnly, freeNames } from "./free-names.ts";
import type { App, Route } from "./routes.ts";

export const TRANSPORTS: ReadonlySet<string> = new Set(["StreamableHTTPServerTransport", "SSEServerTransport"]);

export interface Carriers {
  /** In the order of the file. */
  readonly routes: readonly Route[];
  readonly removed: readonly Node[];
}

export interface FileParts {
  readonly source: Source;
  readonly tree: Node;
  readonly functions: readonly LocalFunction[];
  readonly servers: readonly ServerVariable[];
}

/** @throws StaysError if a route that carries MCP does something else, too */
export function carriersOf(app: App, parts: FileParts): Carriers {
  const carrying = app.routes.filter(({ handler }) => carries(handler, parts.source));
  const paths = new Set(carrying.map(({ path }) => pathText(path, parts.source)));
  const routes = app.routes.filter(
    (route) => carrying.includes(route) || (paths.has(pathText(route.path, parts.source)) && refuses(route)),
  );
  const handlers = routes.flatMap(({ statement, named }) => (named === undefined ? [statement] : [statement, named.statement]));
  const removed: Node[] = [...new Set<Node>(handlers)];
  for (const route of routes) assertCarries(route, parts, removed);
  return { routes, removed };
}

export function pathText({ type, start, end }: Node, { text }: Source): string {
  return type === "StringLiteral" ? JSON.stringify(text.slice(start! + 1, end! - 1)) : text.slice(start!, end!); // nodes have their places
}

/** Whether a handler makes a transport, or hands a request to one. */
function carries(handler: Node, { imports }: Source): boolean {
  let found = false;
  walk(handler, (node) => {
    if (node.type === "NewExpression" && TRANSPORTS.has(officialName(node.callee, imports) ?? "")) found = true;
    if (node.type === "CallExpression" && /^(?:handleRequest|handlePostMessage)$/.test(memberName(node.callee) ?? "")) found = true;
  });
  return found;
}

/** Whether a route only says that its method is not allowed: the endpoint says so, too. */
function refuses({ handler }: Route): boolean {
  let isRefusal = false;
  walk(handler.body, (node) => {
    if (node.type === "NumericLiteral" && node.value === 405) isRefusal = true;
  });
  return isRefusal;
}

function assertCarries({ handler, isGuarded }: Route, parts: FileParts, removed: Node[]): void {
  if (isGuarded) throw new StaysError("its route has a middleware of its own");
  assertCarriesOnly(handler);
  const { source, functions, servers } = parts;
  for (const name of freeNames(handler, serversMadeIn(handler, servers))) {
    if (
      name === "InMemoryEventStore" ||
      source.imports.names.has(name) ||
      makesIds(parts.tree, name) ||
      servers.some((each) => each.name === name)
    )
      continue;
    if (functions.some((each) => each.name === name && returnsServer(each, servers))) continue;
    const declared = declarationOf(parts.tree, name);
    if (declared?.init?.type.endsWith("Literal")) continue;
    if (declared === undefined || !isState(declared.init)) throw new StaysError(`its route uses ${name}`);
    if (!removed.includes(declared.statement)) takeState(declared, name, removed);
  }
}

function makesIds(tree: Node, name: string): boolean {
  const body = tree.type === "File" ? tree.program.body : [];
  return body.some(
    (node) =>
      node.type === "ImportDeclaration" &&
      /^(?:node:crypto|crypto|uuid|nanoid)$/.test(node.source.value) &&
      node.specifiers.some(({ local }) => local.name === name),
  );
}

function returnsServer({ node }: LocalFunction, servers: readonly ServerVariable[]): boolean {
  return servers.some(({ places }) => places.some(({ around }) => around.includes(node) && around.at(-1)?.type === "ReturnStatement"));
}

interface Declared {
  readonly statement: Node;
  readonly init: Node | null | undefined;
  readonly around: readonly Node[];
}

/** The declaration of a name at the top of the file or in the function that makes the app. */
function declarationOf(tree: Node, name: string): Declared | undefined {
  let found: Declared | undefined;
  walk(tree, (node, around) => {
    if (node.type === "VariableDeclarator" && node.id.type === "Identifier" && node.id.name === name)
      found ??= { statement: around.at(-1)!, init: node.init, around };
  });
  return found;
}

/** Whether a variable begins empty: `{}`, `new Map()`, `null`, nothing. */
function isState(init: Node | null | undefined): boolean {
  if (init === null || init === undefined || init.type === "NullLiteral") return true;
  if (init.type === "TSAsExpression") return isState(init.expression);
  if (init.type === "ObjectExpression") return init.properties.length === 0;
  return init.type === "NewExpression" && init.callee.type === "Identifier" && init.callee.name === "Map" && init.arguments.length === 0;
}

/** Takes a map of transports away, with the loops over it. @throws StaysError if something else uses it */
function takeState({ statement, around }: Declared, name: string, removed: Node[]): void {
  if (statement.type === "VariableDeclaration" && statement.declarations.length > 1) throw new StaysError(`its route uses ${name}`);
  const scope = scopeIn(around);
  for (const place of referencesIn(scope, name, around.slice(0, around.indexOf(scope)))) {
    if (removed.some((each) => isWithin(place.name, each))) continue;
    const loop = place.around.find(
      (each) => /^For(?:In|Of)Statement$/.test(each.type) && "right" in each && isWithin(place.name, each.right as Node),
    ); // a loop has it
    const isKnown = loop !== undefined && [...freeNames(loop)].every((each) => each === name);
    if (!isKnown) throw new StaysError(`${name} is used outside of the routes`);
    removed.push(loop);
  }
  removed.push(statement);
}
