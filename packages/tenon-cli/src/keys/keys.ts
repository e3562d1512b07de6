/** `tenon keys`: makes, lists, renews and revokes the API keys of an endpoint. Its code is loaded when it runs. */
import type { Command } from "../invocation.ts";

export const keys: Command = {
  summary: "make, list, rotate and revoke API keys",
  usage: [
    "keys create <subject> --store url [--prefix p] [--scope 'a b'] [--name text] [--days n]",
    "keys list [<subject>] --store url [--prefix p]",
    "keys rotate <id> --store url [--prefix p]",
    "keys revoke <id> --store url [--prefix p]",
  ],
  options: ["store", "prefix", "scope", "name", "days", "json"],
  optionHelp: {
    store: ["--store url", "the engine that the server shares with its keys: redis://…, postgres://… or nats://…"],
    scope: ["--scope 'a b'", "what the key may do (default nothing that needs a scope)"],
    name: ["--name text", "a note for people"],
  },
  about: "A key is shown once: the store has a hash of it. --prefix is the prefix of apiKeys() in the server.",
  examples: [
    "tenon keys create nightly --store redis://localhost:6379 --scope files:read --days 30",
    "tenon keys list --store redis://localhost:6379",
    "tenon keys revoke abcdefghijkl --store redis://localhost:6379",
  ],
  run: async (invocation) => (await import("./run-keys.ts")).runKeys(invocation),
};
