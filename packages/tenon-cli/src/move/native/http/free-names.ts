/** What a route uses besides its own variables: a route that only carries MCP uses nothing but the transports, the server and ids. */
import { memberName, type Node, walk } from "../../source/syntax-tree.ts";
import { StaysError } from "../pieces.ts";
import { isReference, isWithin, namesOf, type Range } from "../scopes.ts";
import type { Handler } from "./routes.ts";

const GLOBALS = new Set(
  "console undefined Object Array String Boolean Number Error JSON Date Promise Map crypto globalThis NodeJS Record".split(" "),
);
/** Members of a request that a route of MCP reads, and of a response that it writes. */
const REQUEST = new Set(["headers", "body", "query", "method", "on", "path", "url", "ip", "get", "header"]);
const RESPONSE = new Set(["status", "json", "send", "end", "on", "once", "headersSent", "writeHead", "sendStatus"]);
/** Headers that belong to MCP. */
const HEADER = /^(?:mcp-.*|last-event-id|accept|content-type|user-agent)$/i;

/** The names that a node uses and does not bind. @param apart stretches that do not count */
export function freeNames(node: Node, apart: readonly Range[] = []): Set<string> {
  const bound = new Set<string>();
  const used = new Set<string>();
  walk(node, (each, around) => {
    if (isType(each) || apart.some((range) => isWithin(each, range))) return false;
    if (each.type === "VariableDeclarator") for (const name of namesOf(each.id)) bound.add(name);
    if ((each.type === "FunctionDeclaration" || each.type === "FunctionExpression") && each.id) bound.add(each.id.name);
    if (each.type === "CatchClause" && each.param) for (const name of namesOf(each.param)) bound.add(name);
    if ("params" in each && Array.isArray(each.params)) for (const name of (each.params as Node[]).flatMap(namesOf)) bound.add(name); // parameters
    if (each.type === "Identifier" && isReference(each, around.at(-1))) used.add(each.name);
    return undefined;
  });
  return new Set([...used].filter((name) => !bound.has(name) && !GLOBALS.has(name)));
}

/** Whether a node is a type: no name in it counts. */
function isType(node: Node): boolean {
  return node.type.startsWith("TS") && !/^TS(?:As|NonNull|Satisfies)/.test(node.type);
}

/** Reads only what belongs to MCP. @throws StaysError that names what else a route reads or writes */
export function assertCarriesOnly({ params, body }: Handler): void {
  const [request, response] = params.map((each) => (each.type === "Identifier" ? each.name : undefined));
  walk(body, (node, around) => {
    if (isType(node)) return false;
    if (node.type !== "Identifier" || !isReference(node, around.at(-1))) return undefined;
    if (node.name === request) assertReads(node, around);
    else if (node.name === response) assertMember(node, around, RESPONSE);
    return undefined;
  });
}

function assertReads(node: Node, around: readonly Node[]): void {
  const member = assertMember(node, around, REQUEST);
  const outer = around.at(-2);
  if (member === "query" && outer !== undefined && memberName(outer) !== "sessionId") throw new StaysError("its route reads the query");
  if (member !== "headers" || outer === undefined || isLogged(around)) return;
  const name = memberName(outer);
  if (name === undefined || !HEADER.test(name))
    throw new StaysError(`its route reads ${name === undefined ? "all headers" : `the header ${name}`}`);
}

function isLogged(around: readonly Node[]): boolean {
  return around.some(
    (each) =>
      each.type === "CallExpression" &&
      each.callee.type === "MemberExpression" &&
      each.callee.object.type === "Identifier" &&
      each.callee.object.name === "console",
  );
}

/** The member that is used of a name. As a whole it may only be passed on, to a transport. */
function assertMember(node: Node, around: readonly Node[], allowed: ReadonlySet<string>): string | undefined {
  const parent = around.at(-1);
  const member = parent !== undefined && "object" in parent && parent.object === node ? memberName(parent) : undefined;
  if (member === undefined && parent?.type !== "CallExpression" && parent?.type !== "NewExpression")
    throw new StaysError("its route uses the request as a value");
  if (member !== undefined && !allowed.has(member)) throw new StaysError(`its route uses ${member} of the request`);
  return member;
}
