/** `server.connect(new StdioServerTransport())` as `serveStdio(server)`. */
import type { CallExpression } from "@babel/types";
import type { Splice } from "../../hosts/file-edit.ts";
import { type Imports, officialName } from "../source/imports.ts";
import type { Node } from "../source/syntax-tree.ts";
import { replace, StaysError } from "./pieces.ts";
import type { Place, ServerVariable } from "./servers.ts";

/**
 * `serveStdio()` resolves when the connection has ended: it is awaited only if nothing follows.
 * @param transports the variables that hold a `StdioServerTransport`
 * @throws StaysError if another transport is connected, or the call is a part of something larger
 */
export function connectSplices(
  call: CallExpression,
  { around, name }: Place,
  { imports, transports }: { readonly imports: Imports; readonly transports: readonly ServerVariable[] },
): Splice[] {
  const [transport] = call.arguments;
  const outer = around.slice(0, -2);
  const awaited = outer.at(-1)?.type === "AwaitExpression" ? outer.pop() : undefined;
  const [block, statement] = outer.slice(-2);
  if (statement?.type !== "ExpressionStatement" || block === undefined || !("body" in block) || !Array.isArray(block.body))
    throw new StaysError("connect() is a part of something larger");
  const isLast = (block.body as readonly Node[]).at(-1) === statement; // the statements of a block
  const serve = `serveStdio(${name.name})`;
  const text = replace(awaited ?? call, awaited !== undefined && isLast ? `await ${serve}` : `void ${serve}`);
  if (
    transport?.type === "NewExpression" &&
    officialName(transport.callee, imports) === "StdioServerTransport" &&
    transport.arguments.length === 0
  )
    return [text];
  const variable = transports.find((each) => transport?.type === "Identifier" && transport.name === each.name);
  if (variable === undefined || variable.places.length !== 1 || variable.made.arguments.length > 0)
    throw new StaysError("it is connected to another transport; over HTTP serveHttp(server.tenon) serves every revision");
  return [text];
}
