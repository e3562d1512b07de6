/** Puts a layer above a server: for packages of this project that offer the API of another SDK. Users do not see it. */
import type { EmbeddedHandlers } from "./features/embedded.ts";
import type { McpServer } from "./mcp-server.ts";

export type { EmbeddedHandlers } from "./features/embedded.ts";

/** Serves the handlers of a layer beside what is registered. @throws McpUsageError if the server is below a layer already */
export function embedHandlers(server: McpServer, handlers: EmbeddedHandlers): void {
  server.embed(handlers);
}
