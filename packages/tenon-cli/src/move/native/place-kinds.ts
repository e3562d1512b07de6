/** What a place that names a server is a part of: a call of its method, an argument, a `return`. */
import type { CallExpression } from "@babel/types";
import { memberName, type Node } from "../source/syntax-tree.ts";
import type { LocalFunction } from "./local-functions.ts";
import type { Place } from "./scopes.ts";

/** The function of the file that a server is passed to. */
export function argumentAt({ name, around }: Place, functions: readonly LocalFunction[]): { by: LocalFunction; index: number } | undefined {
  const call = around.at(-1);
  if (call?.type !== "CallExpression" || call.callee === name) return undefined;
  const index = call.arguments.findIndex((each) => each === name);
  const by = functions.find(({ places }) => places.some((each) => each.name === call.callee));
  return by === undefined || index === -1 ? undefined : { by, index };
}

/** The function of the file that returns a server, if the file sees all of its calls. */
export function factoryAt({ around }: Place, functions: readonly LocalFunction[]): LocalFunction | undefined {
  if (around.at(-1)?.type !== "ReturnStatement") return undefined;
  const by = functions.find(({ node }) => node === around.findLast((each) => functions.some((one) => one.node === each)));
  return by?.isKnown === true ? by : undefined;
}

/** The call of a method on what a place names: `server.tool(…)`. */
export function callAt({ name, around }: Place): { method: string; call: CallExpression; around: readonly Node[] } | undefined {
  const [call, member] = [around.at(-2), around.at(-1)];
  if (member?.type !== "MemberExpression" || member.object !== name || member.property.type !== "Identifier") return undefined;
  return call?.type === "CallExpression" && call.callee === member
    ? { method: member.property.name, call, around: around.slice(0, -2) }
    : undefined;
}

/** The place of `server.server`, the low-level server of an official `McpServer`. */
export function lowLevelAt({ name, around }: Place): Place | undefined {
  const member = around.at(-1);
  if (member?.type !== "MemberExpression" || member.object !== name || memberName(member) !== "server") return undefined;
  return { name: member, around: around.slice(0, -1) };
}
