/** The types of the fixture server, which is plain JavaScript so that a child process can run it as it is. */
import type { McpServer, McpServerOptions } from "tenon";

/** A server with one of everything: what behaves the same over every transport is tested against it. */
export function createFixtureServer(options?: McpServerOptions): McpServer;
