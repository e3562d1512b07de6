import type { McpServer } from "tenon/server";

/** A server whose calls wait. */
export function createWaitingServer(version: string): McpServer;
