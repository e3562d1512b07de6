/** The names of the official SDK 2.x that Tenon has under others, and `serveStdio()`, which takes a server here and no factory. */
import type { Splice } from "../../hosts/file-edit.ts";
import { officialName } from "../source/imports.ts";
import { walk } from "../source/syntax-tree.ts";
import { isServed } from "./local-functions.ts";
import { insertAt, replace, type Source } from "./pieces.ts";
import { isFunction, isReference } from "./scopes.ts";

const NAMES: Readonly<Record<string, string>> = { ProtocolError: "McpError", ProtocolErrorCode: "ErrorCode" };

export function newerSplices({ tree, imports }: Source): Splice[] {
  const splices: Splice[] = [];
  walk(tree, (node, around) => {
    if (node.type === "Identifier" && isReference(node, around.at(-1))) {
      const name = NAMES[officialName(node, imports) ?? ""];
      if (name !== undefined) splices.push(replace(node, name));
    }
    const [factory] = node.type === "CallExpression" && isServed(node.callee) ? node.arguments : [];
    if (factory?.type === "Identifier") splices.push(insertAt(factory.end!, "()")); // nodes of a parsed file have their places
    else if (factory !== undefined && isFunction(factory)) splices.push(insertAt(factory.start!, "("), insertAt(factory.end!, ")()")); // the same
  });
  return splices;
}
