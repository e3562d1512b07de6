/** What the lists of a gateway are made of: the entries of its servers, and what it has itself. */
import type { Kind } from "../../upstream/listing.ts";
import type { ListedEntry } from "./pages.ts";

/** What the gateway itself has. Security: no server may answer for it, so it leads to none, whatever a server lists. */
export interface OwnEntries {
  isTool(name: string): boolean;
  isUri(uri: string): boolean;
}

/** A server whose lists are joined with the lists of others. */
export interface JoinedServer {
  readonly name: string;
  readonly prefix: string;
  readonly scheme: string;
  report(error: unknown): void;
}

export interface JoinedEntry<Server extends JoinedServer> extends ListedEntry {
  readonly kind: Kind;
  readonly server: Server;
  /** Its name or URI at its server. */
  readonly id: string;
}
