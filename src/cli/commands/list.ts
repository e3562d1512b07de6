/** `tenon list`: everything a server offers. */
import type { Client } from "../../client/client.ts";
import type { ServerCapabilities } from "../../protocol/capabilities.ts";
import { withServer } from "../connection/connection.ts";
import { CLIENT_OPTIONS, type Command } from "../invocation.ts";
import { describeOffer, type Offer } from "../terminal/listing-text.ts";

interface Listing extends Offer {
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

export const list: Command = {
  summary: "show what a server offers",
  usage: ["list <server>", "list -- <command> [argument ...]"],
  options: CLIENT_OPTIONS,
  examples: [
    "tenon list server.ts",
    'tenon list "npx -y @modelcontextprotocol/server-everything"',
    "tenon list -- node server.js --verbose",
  ],
  run: (invocation) =>
    withServer(invocation, [], async (client) => {
      const listing = await collect(client, invocation.signal);
      return { json: listing, text: (paint, width) => describeOffer(listing, paint, width) };
    }),
};

/** Lists only the kinds that the server declares. */
async function collect(client: Client, signal: AbortSignal): Promise<Listing> {
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
