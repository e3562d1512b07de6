/** A client of a server that is nothing but its answers, after the handshake: for what servers get wrong. */
import { onTestFinished } from "vitest";
import { connect, LATEST_HANDSHAKE_VERSION, type Client, type ConnectOptions } from "tenon";
import { result, scriptedServer, type Reply } from "./scripted-server.ts";
import type { ScriptedTransport } from "./scripted-transport.ts";

/** A client of a server with these answers, after the handshake. */
export async function connected(
  replies: { [method: string]: Reply },
  options: ConnectOptions = {},
): Promise<{ client: Client; server: ScriptedTransport; errors: Error[] }> {
  const errors: Error[] = [];
  const initialize = result({
    protocolVersion: LATEST_HANDSHAKE_VERSION,
    capabilities: { tools: {} },
    serverInfo: { name: "odd", version: "1" },
  });
  const server = scriptedServer({ initialize, ...replies });
  const client = await connect(server, {
    revision: LATEST_HANDSHAKE_VERSION,
    onError: (error) => void errors.push(error),
    ...options,
  });
  onTestFinished(() => client.close());
  server.take();
  return { client, server, errors };
}
