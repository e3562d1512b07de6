/** A server that a route makes for itself: the statements that make it stay when the route goes. */
import { type Node, walk } from "../../source/syntax-tree.ts";
import { StaysError } from "../pieces.ts";
import { isWithin, type Range } from "../scopes.ts";
import { callAt } from "../place-kinds.ts";
import type { ServerVariable } from "../server-variable.ts";

/** The stretches of a handler in which it makes servers. */
export function serversMadeIn(handler: Node, servers: readonly ServerVariable[]): Range[] {
  return servers.filter(({ made, around }) => made !== undefined && around.includes(handler)).map(keptIn);
}

/** The statements that make a server and register its features, next to each other. @throws StaysError */
export function keptIn(server: ServerVariable): Range {
  const declaration = server.around.findLast((each) => each.type === "VariableDeclaration");
  const block = declaration && server.around[server.around.indexOf(declaration) - 1];
  const statements = block !== undefined && "body" in block && Array.isArray(block.body) ? (block.body as Node[]) : []; // statements
  const from = statements.indexOf(declaration!); // a variable has a declaration
  let to = from;
  while (statements[to + 1] !== undefined && registers(statements[to + 1]!, server)) to++;
  const inside = { start: declaration?.start, end: statements[to]?.end } as Range; // nodes have their places
  for (const { name, around: outer } of server.places) {
    const method = callAt({ name, around: outer })?.method;
    if (!isWithin(name, inside) && method !== "connect" && method !== "close")
      throw new StaysError("its server is made in several places of a route");
  }
  return inside;
}

/** Whether a statement is `server.tool(…)`, and not `server.connect(…)`. */
function registers(statement: Node, server: ServerVariable): boolean {
  let is = false;
  walk(statement, (node, outer) => {
    const place = server.places.find(({ name }) => name === node);
    if (place === undefined || outer.length > 4) return;
    const method = callAt(place)?.method;
    if (method !== undefined && method !== "connect" && method !== "close") is = true;
  });
  return is && statement.type === "ExpressionStatement";
}
