/** What a server offers at one time: what `tenon dev` compares at each reload. */
import { connect } from "tenon/client";
import type { Acceptor } from "tenon";
import { collect, type Listing } from "../commands/collect.ts";

export type Definition = Listing;

/** Reads the definition as a client of the newest revision sees it. @throws the error of a list */
export async function definitionOf(server: Acceptor): Promise<Definition> {
  const client = await connect(server);
  try {
    const listing = await collect(client, new AbortController().signal);
    // Only what is JSON: it travels to another process.
    return JSON.parse(JSON.stringify(listing)) as Definition;
  } finally {
    await client.close();
  }
}
