/** `server.connect(new StdioServerTransport())` as `serveStdio(server)`. */
import type { CallExpression } from "@babel/types";
import type { Splice } from "../../hosts/file-edit.ts";
import { type Imports, officialName } from "../source/imports.ts";
import type { Node } from "../source/syntax-tree.ts";
import { replace, StaysError } from "./pieces.ts";
import type { Place } from "./scopes.ts";
import type { ServerVariable } from "./server-variable.ts";

interface Facts {
  readonly imports: Imports;
  /** The variables that hold a `StdioServerTransport`. */
  readonly transports: readonly ServerVariable[];
  /** Why the wiring of HTTP in the file stays, if it does. */
  readonly why: string | undefined;
  /** The server, as an expression. */
  readonly text: string;
}

/**
 * `serveStdio()` resolves when the connection has ended: it is awaited only if nothing follows.
 * @throws StaysError if another transport is connected, or the call is a part of something larger
 */
export function connectSplices(call: CallExpression, { around }: Place, { imports, transports, why, text: server }: Facts): Splice[] {
  const [transport] = call.arguments;
  const variable = transports.find(({ places }) => places.some(({ name }) => name === transport));
  const isNew =
    transport?.type === "NewExpression" &&
    officialName(transport.callee, imports) === "StdioServerTransport" &&
    transport.arguments.length === 0;
  const isKnown = variable !== undefined && variable.places.length === 1 && variable.made?.arguments.length === 0;
  if (!isNew && !isKnown)
    throw new StaysError(`${why ?? "it is connected to another transport"}; over HTTP serveHttp(server.tenon) serves every revision`);
  const outer = around.slice(0, -2);
  const awaited = outer.at(-1)?.type === "AwaitExpression" ? outer.pop() : undefined;
  const [block, statement] = outer.slice(-2);
  const serve = `serveStdio(${server})`;
  if (awaited === undefined && isCaught(outer)) return [replace(call, serve)];
  if (statement?.type !== "ExpressionStatement" || block === undefined || !("body" in block) || !Array.isArray(block.body))
    throw new StaysError("connect() is a part of something larger");
  const isLast = (block.body as readonly Node[]).at(-1) === statement; // the statements of a block
  return [replace(awaited ?? call, awaited !== undefined && isLast ? `await ${serve}` : `void ${serve}`)];
}

/** Whether the call is the one of `connect(…).catch(…)`, a statement of its own. */
function isCaught(outer: readonly Node[]): boolean {
  const [statement, call, member] = outer.slice(-3);
  const isCatch = member?.type === "MemberExpression" && member.property.type === "Identifier" && member.property.name === "catch";
  return isCatch && call?.type === "CallExpression" && statement?.type === "ExpressionStatement";
}
