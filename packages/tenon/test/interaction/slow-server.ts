/** The server of tests about one call. */
import { McpServer, type RequestContext } from "tenon";

export interface Running {
  readonly context: RequestContext;
  finish(value: string): void;
}

/** A server whose one slow tool ends when the test says so. */
export function createServer(): { server: McpServer; running: Running[] } {
  const running: Running[] = [];
  const server = new McpServer({ name: "s", version: "1" }, { onError: () => undefined });
  server.tool("slow", {}, (_input, context) => new Promise<string>((finish) => running.push({ context, finish })));
  server.tool("quick", {}, () => "quick");
  return { server, running };
}
