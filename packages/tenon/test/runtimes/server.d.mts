/** The types of the server, which is plain JavaScript so that every runtime runs it as it is. */
import type { McpServer } from "tenon";

/** A server for one test. */
export function createServer(): McpServer;
