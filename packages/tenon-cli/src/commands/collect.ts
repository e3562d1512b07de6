/** Reads everything that a server offers. */
import type { Client } from "tenon/client";
import type { ServerCapabilities } from "tenon";
import type { Offer } from "../terminal/listing-text.ts";

/** What a server offers, and what it says of itself. */
export interface Listing extends Offer {
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

/** Reads everything. Lists only the kinds that the server declares. */
export async function collect(client: Client, signal: AbortSignal): Promise<Listing> {
  const { protocolVersion, serverInfo, serverCapabilities: capabilities, instructions } = client;
  const { tools, resources, prompts } = capabilities;
  return {
    protocolVersion,
    serverInfo,
    capabilities,
    instructions,
    tools: tools ? await all(client.tools({ signal })) : [],
    resources: resources ? await all(client.resources({ signal })) : [],
    resourceTemplates: resources ? await all(client.resourceTemplates({ signal })) : [],
    prompts: prompts ? await all(client.prompts({ signal })) : [],
  };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
