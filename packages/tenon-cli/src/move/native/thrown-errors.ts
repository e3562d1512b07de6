/**
 * Errors that a rewritten handler throws: a client gets the text that it got from 1.x.
 *
 * 1.x sends the text of every error. Tenon sends the text of a `ToolError` and of its own `McpError`, and hides others.
 */
import type { NewExpression } from "@babel/types";
import type { Splice } from "../../hosts/file-edit.ts";
import { officialName } from "../source/imports.ts";
import { type Node, walk } from "../source/syntax-tree.ts";
import { insertAt, replace, type Source } from "./pieces.ts";

/** The name of Tenon's `McpError` in a file that also has the official one. */
export const TENON_ERROR = "TenonError";

const PLAIN = new Set(["Error", "TypeError", "RangeError"]);

/** @param kind `tool`: 1.x makes a result of the error; `request`: it sends an error with a code */
export function thrownSplices(source: Source, body: Node, kind: "request" | "tool"): Splice[] {
  const splices: Splice[] = [];
  walk(body, (node, around) => {
    if (node.type !== "ThrowStatement" || node.argument.type !== "NewExpression" || isCaught(node, around)) return;
    const made = node.argument;
    const isPlain = made.callee.type === "Identifier" && PLAIN.has(made.callee.name) && made.arguments.length === 1;
    const isOfficial = /^(?:McpError|ProtocolError)$/.test(officialName(made.callee, source.imports) ?? "");
    if (!isPlain && !isOfficial) return;
    splices.push(...(kind === "tool" ? toolError(made, isPlain) : requestError(source, made, isPlain)));
  });
  return splices;
}

/** Whether the handler catches what is thrown there. */
function isCaught(node: Node, around: readonly Node[]): boolean {
  return around.some(
    (each) => each.type === "TryStatement" && each.handler && node.start! >= each.block.start! && node.end! <= each.block.end!,
  ); // nodes have their places
}

/** `new ToolError(text)`: of an `McpError` the second argument is the text. */
function toolError({ callee, arguments: args }: NewExpression, isPlain: boolean): Splice[] {
  const [first, second] = args;
  if (isPlain) return [replace(callee, "ToolError")];
  if (first === undefined || second === undefined) return [];
  const end = args.at(-1)!.end!; // arguments have their places
  const rest = { offset: second.end!, length: end - second.end!, text: "" };
  return [
    replace(callee, "ToolError"),
    { offset: first.start!, length: second.start! - first.start!, text: "" },
    ...(rest.length > 0 ? [rest] : []),
  ];
}

function requestError({ isWhole }: Source, { callee, arguments: args }: NewExpression, isPlain: boolean): Splice[] {
  if (!isPlain) return isWhole ? [] : [replace(callee, TENON_ERROR)];
  const [name, code] = isWhole ? ["McpError", "ErrorCode.InternalError"] : [TENON_ERROR, "-32603"];
  return [replace(callee, name), insertAt(args[0]!.start!, `${code}, `)]; // a plain error has one argument
}
