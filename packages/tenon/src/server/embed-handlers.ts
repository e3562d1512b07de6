/** Puts a layer above a server: for packages of this project that offer the API of another SDK. Users do not see it. */
import { SERVED } from "../dispatch/acceptor.ts";
import type { ToolExtension } from "../session/extension.ts";
import type { EmbeddedHandlers } from "./features/embedded.ts";
import type { McpServer } from "./mcp-server.ts";
import type { ServerCore } from "./server-core.ts";

export type { EmbeddedHandlers } from "./features/embedded.ts";

/** Serves the handlers of a layer beside what is registered. @throws McpUsageError if the server is below a layer already */
export function embedHandlers(server: McpServer, handlers: EmbeddedHandlers): void {
  (server[SERVED] as ServerCore).embed(handlers); // what an `McpServer` has there
}

/** What the extensions of a server add to the calls of a layer's tool, as to a tool that is registered with these options. */
export function toolExtensionOf(server: McpServer, name: string, options: object): ToolExtension | undefined {
  return (server[SERVED] as ServerCore).features.extensions?.tool(name, options); // what an `McpServer` has there
}
