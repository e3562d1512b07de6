/** What cannot be served on Tenon: each with the places, so that the move is refused by name before anything is written. */
import type { Differing } from "./what-differs.ts";
import type { Scan } from "./uses.ts";

/** What this Node is: a parameter, because a program may be started by another one. */
export interface NodeFacts {
  /** Such as `20.20.2`. */
  readonly version: string;
  /** Whether `require()` loads modules that are ESM: from 20.19 and 22.12 on. */
  readonly requiresEsm: boolean;
}

export function thisNode(): NodeFacts {
  const { require_module: requiresEsm = false } = process.features as { require_module?: boolean };
  return { version: process.versions.node, requiresEsm };
}

export function refusalsOf({ uses, required }: Scan, node: NodeFacts): Differing[] {
  const socket = uses.filter(({ what }) => what === "client/websocket" || what === "new WebSocketClientTransport");
  return [
    ...(socket.length === 0
      ? []
      : [{ about: "WebSocket: no revision of MCP has it, and Tenon does not serve it. Take Streamable HTTP.", uses: socket }]),
    ...(required.length === 0 || node.requiresEsm
      ? []
      : [
          {
            about: `CommonJS: Tenon is ESM, and require() loads ESM from Node 20.19 on. This is Node ${node.version}: use a newer one.`,
            uses: required,
          },
        ]),
  ];
}
