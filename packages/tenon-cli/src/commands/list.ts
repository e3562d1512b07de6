/** `tenon list`: everything a server offers. */
import { withServer } from "../connection/connection.ts";
import { collect } from "./collect.ts";
import { serversOfGateway } from "../connection/servers-of-gateway.ts";
import { CLIENT_OPTIONS, type Command } from "../invocation.ts";
import { describeOffer } from "../terminal/listing-text.ts";

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
      await serversOfGateway(client, invocation);
      const listing = await collect(client, invocation.signal);
      return { json: listing, text: (paint, width) => describeOffer(listing, paint, width) };
    }),
};
