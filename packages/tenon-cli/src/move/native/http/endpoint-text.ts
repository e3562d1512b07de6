/** The endpoint that takes the place of an app's routes: its options, and the calls of `serveHttp()` and `toNodeHandler()`. */
import type { NewExpression, ObjectExpression } from "@babel/types";
import { officialName } from "../../source/imports.ts";
import { type Node, walk } from "../../source/syntax-tree.ts";
import { constantIn, indentAt, keyOf, type Source, StaysError, textOf } from "../pieces.ts";
import { isFunction } from "../scopes.ts";
import { TRANSPORTS } from "./carriers.ts";
import type { App, Listening, Route } from "./routes.ts";

/** The options of the transports, as Tenon's endpoint has them. @throws StaysError if a transport has others */
export function transportOptions(source: Source, routes: readonly Route[]): string[] {
  const options = new Set<string>();
  for (const { handler } of routes)
    walk(handler, (node) => {
      const made = node.type === "NewExpression" ? officialName(node.callee, source.imports) : undefined;
      if (node.type !== "NewExpression" || made === undefined || !TRANSPORTS.has(made)) return;
      const keepsEvents = /\bnew InMemoryEventStore\b/.test(textOf(source, handler));
      for (const option of made === "SSEServerTransport" ? ["httpSse: true"] : streamableOptions(source, node, keepsEvents))
        options.add(option);
    });
  return [...options];
}

/** @param keepsEvents whether events are kept in memory, as Tenon keeps them by itself */
function streamableOptions(source: Source, { arguments: [given] }: NewExpression, keepsEvents: boolean): string[] {
  if (given === undefined) return ["sessions: false"];
  if (given.type !== "ObjectExpression") throw new StaysError("its transport's options are written elsewhere");
  const of = (name: string): Node | undefined => valueOf(given, name);
  for (const property of given.properties) {
    const key = property.type === "SpreadElement" ? undefined : keyOf(property.key);
    if (key === undefined || !(KNOWN.has(key) || (key === "eventStore" && keepsEvents)))
      throw new StaysError(`its transport has the option ${key ?? "…"}`);
  }
  const ids = of("sessionIdGenerator");
  const hasNone = ids === undefined ? !hasMethod(given) : ids.type === "Identifier" && ids.name === "undefined";
  const isGuarded = isTrue(of("enableDnsRebindingProtection"));
  const lists = ["allowedHosts", "allowedOrigins"].flatMap((name) => {
    const list = isGuarded ? of(name) : undefined;
    return list === undefined ? [] : [`${name}: ${textOf(source, list)}`];
  });
  const [retry, most] = [of("retryInterval"), of("maxRequestBodySize")];
  return [
    ...(hasNone ? ["sessions: false"] : []),
    ...(isTrue(of("enableJsonResponse")) ? ['responseMode: "json"'] : []),
    ...(retry === undefined ? [] : [`streams: { retry: ${textOf(source, retry)} }`]),
    ...(most === undefined ? [] : [`limits: { maxBodyBytes: ${textOf(source, most)} }`]),
    ...lists,
  ];
}

const KNOWN = new Set(
  (
    "sessionIdGenerator onsessioninitialized onsessionclosed enableJsonResponse retryInterval maxRequestBodySize " +
    "enableDnsRebindingProtection allowedHosts allowedOrigins"
  ).split(" "),
);

function valueOf({ properties }: ObjectExpression, name: string): Node | undefined {
  const found = properties.find((each) => each.type === "ObjectProperty" && keyOf(each.key) === name);
  return found?.type === "ObjectProperty" ? found.value : undefined;
}

const hasMethod = ({ properties }: ObjectExpression): boolean =>
  properties.some((each) => each.type === "ObjectMethod" && keyOf(each.key) === "sessionIdGenerator");
const isTrue = (node: Node | undefined): boolean => node?.type === "BooleanLiteral" && node.value;

const call = (name: string, server: string, options: readonly string[]): string =>
  `${name}(${server}${options.length === 0 ? "" : `, { ${options.join(", ")} }`})`;

/** The routes in an app that does more: it has checked hosts and origins, if it wants to. */
export function handlerText(app: App, { server, paths, options }: EndpointFacts): string {
  const list = paths.length === 1 ? paths[0]! : `[${paths.join(", ")}]`;
  const guards = ["allowedHosts", "allowedOrigins"].filter((name) => !options.some((each) => each.startsWith(`${name}:`)));
  return `${app.name}.all(${list}, ${call("toNodeHandler", server, [...options, ...guards.map((name) => `${name}: "any"`)])});`;
}

export interface EndpointFacts {
  /** The server, as an expression. */
  readonly server: string;
  readonly paths: readonly string[];
  readonly options: readonly string[];
}

/** The statement that takes the place of `app.listen()`. */
export function serveText(source: Source, app: App, { statement, call: listen, around }: Listening, facts: EndpointFacts): string {
  const [port, ...rest] = listen.arguments;
  const callback = rest.find((each) => isFunction(each));
  const host = rest.find((each) => !isFunction(each));
  if (port === undefined || (host !== undefined && rest.length > (callback === undefined ? 1 : 2)))
    throw new StaysError("listen() has other arguments");
  const [path] = facts.paths;
  const options = [
    numberText(source, port) === "port" ? "port" : `port: ${numberText(source, port)}`,
    ...(path === '"/mcp"' ? [] : [`path: ${path}`]),
    ...hostOptions(source, app, host, facts.options),
    ...facts.options,
  ];
  const inside = around.findLast(isFunction);
  const isAsync = inside === undefined || ("async" in inside && (inside.async ?? false));
  const then = callback === undefined ? "" : `.then(${callbackText(source, callback)})`;
  const open = hosts(options)
    ? `// As before, every host and every origin is served: name yours here.\n${indentAt(source.text, statement.start!)}`
    : ""; // it has its place
  return `${open}${isAsync ? "await" : "void"} ${call("serveHttp", facts.server, options)}${then};`;
}

const hosts = (options: readonly string[]): boolean => options.includes('allowedHosts: "any"');

/** A port of the environment is a text. */
function numberText(source: Source, node: Node): string {
  return isNumber(source, node) ? textOf(source, node) : `Number(${textOf(source, node)})`;
}

function isNumber(source: Source, node: Node): boolean {
  const constant = node.type === "Identifier" ? constantIn(source.tree, node.name) : undefined;
  if (constant !== undefined && constant.type !== "Identifier") return isNumber(source, constant);
  return node.type === "NumericLiteral" || /^(?:Number|parseInt|Number\.parseInt)\(|^\+/.test(textOf(source, node));
}

/** Where it listens. Express listens everywhere unless a host is named; with the SDK's own app the hosts of this machine are meant. */
function hostOptions(source: Source, { isOfSdk, made }: App, host: Node | undefined, given: readonly string[]): string[] {
  const [options] = made.arguments;
  if (isOfSdk && options !== undefined) {
    if (options.type !== "ObjectExpression") throw new StaysError("its app's options are written elsewhere");
    const [named, list] = [valueOf(options, "host"), valueOf(options, "allowedHosts")];
    if (list !== undefined) return [`host: ${host ? textOf(source, host) : '"0.0.0.0"'}`, `allowedHosts: ${textOf(source, list)}`];
    if (named !== undefined && !isLocal(named)) return everywhere(source, host ?? named, given);
    return [];
  }
  if (isOfSdk || (host !== undefined && isLocal(host))) return [];
  return everywhere(source, host, given);
}

function isLocal(host: Node): boolean {
  return host.type === "StringLiteral" && /^(?:localhost|127\.|::1)/.test(host.value);
}

function everywhere(source: Source, host: Node | undefined, given: readonly string[]): string[] {
  const guards = ["allowedHosts", "allowedOrigins"].filter((name) => !given.some((each) => each.startsWith(`${name}:`)));
  return [`host: ${host === undefined ? '"0.0.0.0"' : textOf(source, host)}`, ...guards.map((name) => `${name}: "any"`)];
}

/** The callback of `listen()`. Express 5 calls it with an error, too, which `serveHttp()` throws. @throws StaysError */
function callbackText(source: Source, callback: Node): string {
  const parameter = "params" in callback ? (callback.params as Node[])[0] : undefined; // a function has parameters
  if (parameter === undefined) return textOf(source, callback);
  const body = "body" in callback && !Array.isArray(callback.body) ? (callback.body as Node) : undefined; // a function has one
  const [first, ...rest] = body?.type === "BlockStatement" ? body.body : [];
  const name = parameter.type === "Identifier" ? parameter.name : undefined;
  const isCheck = first?.type === "IfStatement" && first.test.type === "Identifier" && first.test.name === name;
  if (!isCheck || first.alternate || rest.some((each) => new RegExp(`\\b${name}\\b`).test(textOf(source, each))))
    throw new StaysError("the callback of listen() uses its argument");
  const lines = rest.map((each) => `${indentAt(source.text, each.start!)}${textOf(source, each)}\n`); // it has its place
  return `() => {\n${lines.join("")}${indentAt(source.text, callback.start!)}}`;
}
