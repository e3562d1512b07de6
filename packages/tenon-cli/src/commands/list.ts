/** `tenon list`: everything a server offers. */
import { withServer } from "../connection/connection.ts";
import { collectAll, noteUnread } from "./collect.ts";
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
      const { listing: all, unread } = await collectAll(client, invocation.signal);
      const { shown, ...listed } = all;
      const listing = { ...listed, tools: shown ?? listed.tools }; // what a model reads
      noteUnread(unread, invocation.terminal);
      const errors = unread.map(({ method, error: { code, message } }) => ({ method, code, message }));
      const json = errors.length === 0 ? listing : { ...listing, errors };
      return { json, text: (paint, width) => describeOffer(listing, paint, width), foundFaults: unread.length > 0 };
    }),
};
