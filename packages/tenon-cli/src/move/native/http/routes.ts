/** Express apps of a file: their routes, what else they do, and which routes only carry MCP. */
import type { ArrowFunctionExpression, CallExpression, ExpressionStatement, FunctionDeclaration, FunctionExpression } from "@babel/types";
import { type Imports, officialName } from "../../source/imports.ts";
import { type Node, walk } from "../../source/syntax-tree.ts";
import type { LocalFunction } from "../local-functions.ts";
import { keyOf } from "../pieces.ts";
import { type Place, referencesIn, scopeIn } from "../scopes.ts";
import { callAt } from "../place-kinds.ts";

export type Handler = ArrowFunctionExpression | FunctionDeclaration | FunctionExpression;

export interface Route {
  readonly statement: ExpressionStatement;
  readonly method: string;
  readonly path: Node;
  readonly handler: Handler;
  readonly named: LocalFunction | undefined;
  /** Whether something runs before the handler. */
  readonly isGuarded: boolean;
}

/** `app.listen(…)`, as a statement of its own. */
export interface Listening {
  readonly statement: ExpressionStatement;
  readonly call: CallExpression;
  readonly around: readonly Node[];
}

export interface App {
  readonly name: string;
  readonly declaration: Node;
  /** The call of `express()` or of `createMcpExpressApp()`. */
  readonly made: CallExpression;
  readonly isOfSdk: boolean;
  readonly routes: readonly Route[];
  readonly listening: Listening | undefined;
  /** The statements that only read bodies: `app.use(express.json())`. */
  readonly readers: readonly Node[];
  /** Whether the app does nothing else than what is named here. */
  readonly isPlain: boolean;
  /** The nodes around its declaration. */
  readonly around: readonly Node[];
}

export function appsOf(tree: Node, imports: Imports, functions: readonly LocalFunction[]): App[] {
  const found: App[] = [];
  const express = defaultImport(tree, "express");
  walk(tree, (node, around) => {
    if (node.type !== "VariableDeclarator" || node.id.type !== "Identifier" || node.init?.type !== "CallExpression") return;
    const isOfSdk = officialName(node.init.callee, imports) === "createMcpExpressApp";
    if (!isOfSdk && !(node.init.callee.type === "Identifier" && node.init.callee.name === express)) return;
    const scope = scopeIn(around);
    const places = referencesIn(scope, node.id.name, around.slice(0, around.indexOf(scope)));
    const base = { name: node.id.name, declaration: around.at(-1)!, made: node.init, isOfSdk, around };
    found.push({ ...base, ...usesOf(places, { express, functions }) });
  });
  return found;
}

function defaultImport(tree: Node, from: string): string | undefined {
  const body = tree.type === "File" ? tree.program.body : [];
  const found = body.find((node) => node.type === "ImportDeclaration" && node.source.value === from);
  const specifier = found?.type === "ImportDeclaration" ? found.specifiers.find(({ type }) => type !== "ImportSpecifier") : undefined;
  return specifier?.local.name;
}

interface Facts {
  readonly express: string | undefined;
  readonly functions: readonly LocalFunction[];
}

function usesOf(places: readonly Place[], facts: Facts): Pick<App, "isPlain" | "listening" | "readers" | "routes"> {
  const [routes, readers]: [Route[], Node[]] = [[], []];
  let [isPlain, listening]: [boolean, Listening | undefined] = [true, undefined];
  for (const place of places) {
    const found = callAt(place);
    const statement = found?.around.at(-1);
    if (found === undefined || statement?.type !== "ExpressionStatement") isPlain = false;
    else if (found.method === "listen") listening = { statement, call: found.call, around: found.around.slice(0, -1) };
    else if (isReader(found.call, found.method, facts)) readers.push(statement);
    else {
      const route = routeOf(found.method, found.call, { statement, functions: facts.functions });
      if (route === undefined) isPlain = false;
      else routes.push(route);
    }
  }
  return { routes, readers, listening, isPlain };
}

/** Whether a call is `app.use(express.json())`. */
function isReader({ arguments: args }: CallExpression, method: string, { express }: Facts): boolean {
  const [made, more] = args;
  if (method !== "use" || more !== undefined || made?.type !== "CallExpression" || made.arguments.length > 0) return false;
  const { callee } = made;
  return (
    callee.type === "MemberExpression" &&
    callee.object.type === "Identifier" &&
    callee.object.name === express &&
    keyOf(callee.property) === "json"
  );
}

const METHODS = new Set(["get", "post", "delete", "all"]);

function routeOf(
  method: string,
  { arguments: args }: CallExpression,
  { statement, functions }: { readonly statement: ExpressionStatement; readonly functions: readonly LocalFunction[] },
): Route | undefined {
  const [path, last] = [args[0], args.at(-1)];
  if (!METHODS.has(method) || path === undefined || last === undefined || args.length < 2) return undefined;
  const named = functions.find(({ places }) => places.some(({ name }) => name === last));
  const handler = named?.node ?? last;
  const isWritten =
    handler.type === "ArrowFunctionExpression" || handler.type === "FunctionExpression" || handler.type === "FunctionDeclaration";
  return isWritten ? { statement, method, path, handler, named, isGuarded: args.length > 2 } : undefined;
}
