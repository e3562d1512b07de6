/** A server for tests to which its name and version do not matter. */
import { McpServer, type McpServerOptions } from "tenon/server";

/** What it is called, where several servers must differ; and the options of a server. */
export interface TestServerOptions extends McpServerOptions {
  /** Default `s`. */
  name?: string;
}

/** A server without tools, of version 1. */
export function testServer({ name = "s", ...options }: TestServerOptions = {}): McpServer {
  return new McpServer({ name, version: "1" }, options);
}
