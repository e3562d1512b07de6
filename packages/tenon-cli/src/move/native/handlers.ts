/**
 * Handlers of 1.x as Tenon calls them: with the input first, also if there is none, and with a context for `extra`.
 *
 * Tenon takes the whole results that they return.
 */
import type { ArrowFunctionExpression, FunctionExpression } from "@babel/types";
import { applySplices, type Splice } from "../../hosts/file-edit.ts";
import { memberName, type Node, walk } from "../source/syntax-tree.ts";
import { insertAt, keyOf, replace, type Source, StaysError, textOf } from "./pieces.ts";
import { thrownSplices } from "./thrown-errors.ts";

/** Members of `ctx.mcpReq` of 2.x with their names in the context. */
const NEWER: ReadonlyMap<string, string> = new Map(Object.entries({ signal: "signal", id: "requestId", _meta: "meta" }));
/** Members of `extra` with their names in the context. */
const MEMBERS: ReadonlyMap<string, string> = new Map(Object.entries({ signal: "signal", requestId: "requestId", _meta: "meta" }));

export type Written = ArrowFunctionExpression | FunctionExpression;

/** @throws StaysError if the handler is not written in its place */
export function writtenHandler(node: Node | undefined): Written {
  if (node?.type === "ArrowFunctionExpression" || node?.type === "FunctionExpression") return node;
  throw new StaysError("its handler is written elsewhere");
}

/** The text of the handler of a tool or a prompt. @throws StaysError if it uses more of `extra` than the context has under another name */
export function handlerText(
  source: Source,
  handler: Written,
  { hasInput, isTool }: { readonly hasInput: boolean; readonly isTool: boolean },
): string {
  const extra = handler.params[hasInput ? 1 : 0];
  const splices = [
    ...thrownSplices(source, handler.body, isTool ? "tool" : "request"),
    ...(extra === undefined ? [] : [...extraSplices(handler, extra), ...(hasInput ? [] : withInput(source, handler, extra))]),
  ];
  return spliced(source, handler, splices);
}

/** The text of a node after edits inside it. */
export function spliced(source: Source, node: Node, splices: readonly Splice[]): string {
  const moved = splices.map((splice) => ({ ...splice, offset: splice.offset - node.start! })); // it has its place
  return applySplices(textOf(source, node), moved);
}

/** Puts a parameter for the input before the only one. */
function withInput(source: Source, handler: Written, extra: Node): Splice[] {
  const before = source.text.slice(handler.start!, extra.start!); // they have their places
  return before.includes("(") ? [insertAt(extra.start!, "_input, ")] : [replace(extra, `(_input, ${textOf(source, extra)})`)];
}

/** Takes the type of a parameter away: the context has another one. */
function withoutType(parameter: Node): Splice[] {
  const type = "typeAnnotation" in parameter ? parameter.typeAnnotation : undefined;
  return type ? [replace(type, "")] : [];
}

function extraSplices(handler: Written, extra: Node): Splice[] {
  if (extra.type === "ObjectPattern") {
    for (const property of extra.properties) {
      const name = property.type === "ObjectProperty" ? keyOf(property.key) : undefined;
      if (name === undefined || MEMBERS.get(name) !== name) throw new StaysError(`its handler uses extra.${name ?? "…"}`);
    }
    return withoutType(extra);
  }
  if (extra.type !== "Identifier") throw new StaysError("its handler gives extra a value of its own");
  return [...withoutType(extra), ...memberSplices(handler.body, extra.name)];
}

/** Renames the members of `extra`, and `extra` itself if it is called `as` from now on. @throws StaysError */
export function memberSplices(body: Node, extra: string, as: string = extra): Splice[] {
  const splices: Splice[] = [];
  walk(body, (node, around) => {
    if (node.type !== "Identifier" || node.name !== extra) return;
    const parent = around.at(-1) ?? body;
    const member = "object" in parent && parent.object === node ? memberName(parent) : undefined;
    const isKey =
      ("property" in parent && parent.property === node) ||
      ("key" in parent && parent.key === node && !("shorthand" in parent && parent.shorthand));
    if (member === undefined && isKey) return;
    if (member === "mcpReq" && as === extra) {
      splices.push(newerSplice(parent, around.at(-2)));
      return;
    }
    const name = member === undefined ? undefined : MEMBERS.get(member);
    if (name === undefined) throw new StaysError(member === undefined ? "its handler passes extra on" : `its handler uses extra.${member}`);
    if (as !== extra) splices.push(replace(node, as));
    if (name !== member && "property" in parent && parent.property) splices.push(replace(parent.property, name));
  });
  return splices;
}

/** `ctx.mcpReq.signal` of 2.x as `ctx.signal`. @throws StaysError */
function newerSplice(request: Node, member: Node | undefined): Splice {
  const name = member !== undefined && "object" in member && member.object === request ? memberName(member) : undefined;
  const known = name === undefined ? undefined : NEWER.get(name);
  if (known === undefined || member === undefined || !("property" in request) || !request.property)
    throw new StaysError(`its handler uses ctx.mcpReq${name === undefined ? "" : `.${name}`}`);
  const start = (request.property as Node).start!; // a member has a name, and nodes have their places
  return { offset: start, length: member.end! - start, text: known };
}

/** The handler of a resource, which gets its URI as 1.x gives it. @param from the URI as text; undefined for a template */
export function readerText(source: Source, handler: Written, from: string | undefined): string {
  const most = from === undefined ? 2 : 1;
  if (handler.params.length > most) throw new StaysError("its handler uses extra");
  const text = spliced(source, handler, thrownSplices(source, handler.body, "request"));
  if (handler.params.length === 0) return text;
  if (from !== undefined) return `() => (${text})(new URL(${from}))`;
  return `(variables, ctx) => (${text})(new URL(String(ctx.params["uri"])), variables)`;
}
