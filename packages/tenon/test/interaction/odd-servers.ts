/** Replies of servers of all kinds, and what a client sends to find out which kind one is. */
import { onTestFinished } from "vitest";
import { connect, type Client, type ConnectOptions, type JsonObject, type Transport } from "tenon";
import { result, type Reply } from "../support/scripted-server.ts";

export const serverInfo = { name: "odd", version: "1" };
export const initialized = (protocolVersion = "2025-06-18"): Reply =>
  result({ protocolVersion, capabilities: { tools: {} }, serverInfo });
export const discovered = (supportedVersions: unknown = ["2026-07-28"], more: JsonObject = {}): Reply =>
  result({ resultType: "complete", supportedVersions, capabilities: { tools: {} }, ttlMs: 0, cacheScope: "private", ...more });

export async function connected(server: Transport, options?: ConnectOptions): Promise<Client> {
  const client = await connect(server, options);
  onTestFinished(() => client.close());
  return client;
}

export const PROBE: readonly string[] = ["server/discover"];
export const FALLBACK: readonly string[] = ["server/discover", "initialize", "notifications/initialized"];
