/** A client of the SDK 1.x for tests, and what it reads. */
import { Client } from "mcp-sdk-v1/client/index.js";
import { InMemoryTransport } from "mcp-sdk-v1/inMemory.js";
import type { Server } from "../src/server/index.ts";
import type { McpServer } from "../src/server/mcp.ts";

export async function officialClient(server: McpServer | Server, capabilities = {}): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  await Promise.all([server.connect(far), client.connect(near)]);
  return client;
}

/** The text of a result. */
export const text = (result: unknown): unknown => (result as { content: { text: string }[] }).content[0]?.text;
