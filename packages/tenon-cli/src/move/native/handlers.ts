/**
 * Handlers of 1.x as Tenon calls them: with the input first, also if there is none, and with a context for `extra`.
 *
 * Tenon takes the whole results that they return.
 */
import type { ArrowFunctionExpression, FunctionExpression } from "@babel/types";
import { applySplices, type Splice } from "../../hosts/file-edit.ts";
import { memberName, type Node, walk } from "../source/syntax-tree.ts";
import { insertAt, keyOf, replace, type Source, StaysError, textOf } from "./pieces.ts";

/** Members of `extra` with their names in the context. */
const MEMBERS: Readonly<Record<string, string>> = { signal: "signal", requestId: "requestId", _meta: "meta" };

type Written = ArrowFunctionExpression | FunctionExpression;

/** @throws StaysError if the handler is not written in its place */
export function writtenHandler(node: Node | undefined): Written {
  if (node?.type === "ArrowFunctionExpression" || node?.type === "FunctionExpression") return node;
  throw new StaysError("its handler is written elsewhere");
}

/** The text of the handler of a tool or a prompt. @throws StaysError if it uses more of `extra` than the context has under another name */
export function handlerText(source: Source, handler: Written, hasInput: boolean): string {
  const extra = handler.params[hasInput ? 1 : 0];
  if (extra === undefined) return textOf(source, handler);
  const splices = extraSplices(handler, extra);
  if (!hasInput) splices.push(...withInput(source, handler, extra));
  const moved = splices.map((splice) => ({ ...splice, offset: splice.offset - handler.start! })); // it has its place
  return applySplices(textOf(source, handler), moved);
}

/** Puts a parameter for the input before the only one. */
function withInput(source: Source, handler: Written, extra: Node): Splice[] {
  const before = source.text.slice(handler.start!, extra.start!); // they have their places
  return before.includes("(") ? [insertAt(extra.start!, "_input, ")] : [replace(extra, `(_input, ${textOf(source, extra)})`)];
}

function extraSplices(handler: Written, extra: Node): Splice[] {
  if (extra.type === "ObjectPattern") {
    for (const property of extra.properties) {
      const name = property.type === "ObjectProperty" ? keyOf(property.key) : undefined;
      if (name === undefined || MEMBERS[name] !== name) throw new StaysError(`its handler uses extra.${name ?? "…"}`);
    }
    return [];
  }
  if (extra.type !== "Identifier" || extra.typeAnnotation) throw new StaysError("its handler gives extra a type of its own");
  const splices: Splice[] = [];
  walk(handler.body, (node, around) => {
    if (node.type !== "Identifier" || node.name !== extra.name) return;
    const parent = around.at(-1) ?? handler.body;
    const member = "object" in parent && parent.object === node ? memberName(parent) : undefined;
    const isKey =
      ("property" in parent && parent.property === node) ||
      ("key" in parent && parent.key === node && !("shorthand" in parent && parent.shorthand));
    if (member === undefined && isKey) return;
    const name = member === undefined ? undefined : MEMBERS[member];
    if (name === undefined) throw new StaysError(member === undefined ? "its handler passes extra on" : `its handler uses extra.${member}`);
    if (name !== member && "property" in parent && parent.property) splices.push(replace(parent.property, name));
  });
  return splices;
}

/** The handler of a resource, which gets its URI as 1.x gives it. @param from the URI as text; undefined for a template */
export function readerText(source: Source, handler: Written, from: string | undefined): string {
  const most = from === undefined ? 2 : 1;
  if (handler.params.length > most) throw new StaysError("its handler uses extra");
  if (handler.params.length === 0) return textOf(source, handler);
  if (from !== undefined) return `() => (${textOf(source, handler)})(new URL(${from}))`;
  return `(variables, ctx) => (${textOf(source, handler)})(new URL(String(ctx.params["uri"])), variables)`;
}
