/**
 * `McpServer` of the official SDK 1.x on Tenon: the official class over the `Server` of this package.
 *
 * Registration, overloads, handles and texts are inherited.
 */
import { McpServer as OfficialMcpServer, type McpServerOptions } from "mcp-sdk-v1/server/mcp.js";
import type { Implementation } from "mcp-sdk-v1/types.js";
import type { McpServer as TenonServer } from "tenon/server";
import type { OfficialMcpParts, OfficialParts } from "../below/official-parts.ts";
import { keepToolPage, toolPageOf } from "../below/tool-page.ts";
import { lateValidator } from "../below/late-validator.ts";
import { type LayerOptions, Server } from "./index.ts";

export * from "mcp-sdk-v1/server/mcp.js";

const servers = new WeakMap<object, Server>();

/** A server of the SDK 1.x with tools, resources and prompts. It serves every revision of the protocol. */
export class McpServer extends OfficialMcpServer {
  /** The server below, for notifications and handlers of one's own. */
  declare readonly server: Server;

  /** Makes a server. Nothing is served yet. @throws TypeError if `info` has no name or no version */
  constructor(info: Implementation, options: McpServerOptions & LayerOptions = {}) {
    super(info, { jsonSchemaValidator: lateValidator(), ...options });
  }

  /** The Tenon server below: see `Server`. */
  get tenon(): TenonServer {
    return this.server.tenon;
  }
}

// The official constructor makes a server of its own: the one of this package takes its place, before any handler is registered.
Object.defineProperty(McpServer.prototype, "server", {
  get(this: McpServer) {
    return servers.get(this);
  },
  set(this: McpServer, made: object) {
    const { _serverInfo, _options } = made as OfficialParts; // private for the compiler only: see official-parts.ts
    const server = new Server(_serverInfo, _options);
    servers.set(this, server);
    const [owner, official] = [this, server] as unknown as [OfficialMcpParts, OfficialParts]; // the same
    keepToolPage(owner, official);
  },
});

const original = OfficialMcpServer.prototype as unknown as OfficialMcpParts; // the same
Object.defineProperty(McpServer.prototype, "setToolRequestHandlers", {
  writable: true, // as a method of a class is: owners replace it
  value(this: McpServer) {
    original.setToolRequestHandlers.call(this);
    toolPageOf(this.server as unknown as OfficialParts)?.installed(); // the same
  },
});
