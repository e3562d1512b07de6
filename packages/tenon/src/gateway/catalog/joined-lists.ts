/**
 * What one caller sees of all servers: the entries of their lists under the names of the gateway. `uri-routes.ts` has the way back from a URI.
 *
 * Callers with equal lists share them (`shared-lists.ts`), and so the bytes of their pages (`pages.ts`).
 */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { prefixed, SEPARATOR } from "../../base/text/naming.ts";
import { eachInTurns, ITEMS_OF_A_TURN, nextTurn } from "../../base/turns.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { aliasOf, MatchBudget, withMetaUris } from "../../session/uris.ts";
import { KIND_ROWS, type Kind } from "../../upstream/listing.ts";
import type { JoinedEntry, JoinedServer, OwnEntries } from "./joined-entry.ts";
import type { Listing } from "./listing.ts";
import { pageFor, SharedPages, type ListedEntry } from "./pages.ts";
import { TEMPLATES_OF_A_TURN, UriRoutes } from "./uri-routes.ts";

const NOTHING: OwnEntries = { isTool: () => false, isUri: () => false };

interface ListOfServer<Server extends JoinedServer> {
  readonly kind: Kind;
  readonly server: Server;
  readonly items: readonly JsonObject[];
}

export class JoinedLists<Server extends JoinedServer> {
  readonly entries: Readonly<Record<Kind, JoinedEntry<Server>[]>>;
  readonly uris: UriRoutes<Server>;
  readonly #byName = new Map<string, JoinedEntry<Server>>();
  readonly #prefixes: ReadonlySet<string>;
  readonly #own: OwnEntries;
  readonly #pages = new SharedPages();

  private constructor(servers: readonly (readonly [Server, Listing])[], all: readonly Server[], own: OwnEntries) {
    this.#own = own;
    this.#prefixes = new Set(all.map(({ prefix }) => prefix));
    this.entries = { tool: [], prompt: [], resource: [], template: [] };
    const withResources = servers.filter(([, { resource, template }]) => resource.length + template.length > 0).map(([server]) => server);
    this.uris = new UriRoutes(this, { all, withResources, own });
  }

  /**
   * Names the entries of all servers: at once if they are few, else in several turns of the event loop.
   * @param all also the servers that are not connected: no other server may use their names @param own what no server may use
   */
  static of<Server extends JoinedServer>(
    servers: readonly (readonly [Server, Listing])[],
    all: readonly Server[],
    own: OwnEntries = NOTHING,
  ): MaybePromise<JoinedLists<Server>> {
    const joined = new JoinedLists(servers, all, own);
    // Resources first: the entries of tools name them.
    const lists = (["resource", "template", "prompt", "tool"] as const).flatMap((kind) =>
      servers.map(([server, listing]) => ({ kind, server, items: listing[kind] })),
    );
    const size = lists.reduce((sum, { items }) => sum + items.length, 0);
    const templates = servers.reduce((sum, [, { template }]) => sum + template.length, 0);
    if (size > ITEMS_OF_A_TURN || templates > TEMPLATES_OF_A_TURN) return joined.#addInTurns(lists);
    for (const list of lists) void joined.#addAll(list);
    return joined;
  }

  async #addInTurns(lists: readonly ListOfServer<Server>[]): Promise<this> {
    const [ofUris, ofNames] = [lists.filter(isOfUris), lists.filter((list) => !isOfUris(list))];
    for (const list of ofUris) {
      await this.#addAll(list);
      await nextTurn();
    }
    await this.uris.prepare();
    for (const list of ofNames) {
      await this.#addAll(list);
      await nextTurn();
    }
    return this;
  }

  #addAll({ kind, server, items }: ListOfServer<Server>): MaybePromise<void> {
    const budget = new MatchBudget();
    return eachInTurns(items, (item) => this.#add(this.entries[kind], { kind, server, item }, budget));
  }

  #add(
    entries: JoinedEntry<Server>[],
    { kind, server, item }: Pick<JoinedEntry<Server>, "kind" | "server" | "item">,
    budget: MatchBudget,
  ): void {
    const id = item[KIND_ROWS[kind].id] as string; // the listing has entries with ids only
    const name = kind === "tool" || kind === "prompt" ? nameIn(server.prefix, id) : this.#freeUri(kind, server, id);
    const key = `${kind} ${name}`;
    if (this.#byName.has(key)) return; // a server that lists an entry twice
    if ((kind === "tool" || kind === "prompt") && server.prefix === "" && this.#isOfPrefix(name))
      return server.report(new Error(`The ${kind} "${name}" is left out: its name begins with the prefix of another server`));
    if (kind === "tool" && this.#own.isTool(name))
      return server.report(new Error(`The tool "${name}" is left out: the gateway has a tool of this name`));
    const entry = {
      kind,
      server,
      id,
      name,
      item: kind === "tool" ? this.#renamedTool(item, { server, name }, budget) : renamed(item, kind, name),
    };
    this.#byName.set(key, entry);
    entries.push(entry);
  }

  /** Whether a name without a prefix leads to a server with one. */
  #isOfPrefix(name: string): boolean {
    const end = name.indexOf(SEPARATOR);
    return end > 0 && this.#prefixes.has(name.slice(0, end));
  }

  /** The URI itself, or its alias if the gateway or another server has it, or if it has the form of the alias of another server. */
  #freeUri(kind: Kind, server: Server, uri: string): string {
    if (this.#own.isUri(uri)) return aliasOf(server.scheme, uri);
    const taken = this.#byName.get(`${kind} ${uri}`)?.server ?? this.uris.ofAlias(uri)?.server;
    return taken === undefined || taken === server ? uri : aliasOf(server.scheme, uri);
  }

  #renamedTool(item: JsonObject, { server, name }: { server: Server; name: string }, budget: MatchBudget): JsonObject {
    return withMetaUris(renamed(item, "tool", name), (uri) => this.uris.seen(server, uri, budget));
  }

  find(kind: Kind, name: string): JoinedEntry<Server> | undefined {
    return this.#byName.get(`${kind} ${name}`);
  }

  /** One page of a list. `chosen` are the entries that the caller may see; default: all. @throws McpError -32602 for a bad cursor */
  page(kind: Kind, cursor: string | undefined, size: number, chosen?: readonly ListedEntry[]): JsonObject {
    return chosen === undefined ? this.#pages.of(kind, this.entries[kind], { cursor, size }) : pageFor(kind, chosen, { cursor, size });
  }
}

function isOfUris({ kind }: { readonly kind: Kind }): boolean {
  return kind === "resource" || kind === "template";
}

function renamed(item: JsonObject, kind: Kind, name: string): JsonObject {
  const member = KIND_ROWS[kind].id;
  return item[member] === name ? item : { ...item, [member]: name };
}

export function nameIn(prefix: string, id: string): string {
  return prefix === "" ? id : prefixed(prefix, id);
}
