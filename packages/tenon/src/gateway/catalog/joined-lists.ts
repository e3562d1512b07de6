/**
 * What one caller sees of all servers: the entries of their lists under the names of the gateway, and the way back from each name.
 *
 * Callers with equal lists share them (`shared-lists.ts`), and so the bytes of their pages (`pages.ts`).
 */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { prefixed, SEPARATOR } from "../../base/text/naming.ts";
import { eachInTurns, ITEMS_OF_A_TURN, nextTurn } from "../../base/turns.ts";
import { isSameEncoded, normalUri } from "../../base/uri-template/normal-uri.ts";
import { addSpelled, byNormalUri, findSpelled, plainUri } from "../../base/uri-template/spelled-uris.ts";
import { UriTemplate } from "../../base/uri-template/uri-template.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { aliasOf, fromAlias, MatchBudget, MAX_COMPARED, withMetaUris } from "../../session/uris.ts";
import { KIND_ROWS, type Kind } from "../../upstream/listing.ts";
import type { Listing } from "./listing.ts";
import { pageFor, SharedPages, type ListedEntry } from "./pages.ts";

/** What the gateway itself has. Security: no server may answer for it, so it leads to none, whatever a server lists. */
export interface OwnEntries {
  isTool(name: string): boolean;
  isUri(uri: string): boolean;
}

const NOTHING: OwnEntries = { isTool: () => false, isUri: () => false };

/** A server whose lists are joined with the lists of others. */
export interface JoinedServer {
  readonly name: string;
  readonly prefix: string;
  readonly scheme: string;
  report(error: unknown): void;
}

/** Something that a server offers. */
export interface JoinedEntry<Server extends JoinedServer> extends ListedEntry {
  readonly kind: Kind;
  readonly server: Server;
  /** Its name or URI at its server. */
  readonly id: string;
}

interface ListOfServer<Server extends JoinedServer> {
  readonly kind: Kind;
  readonly server: Server;
  readonly items: readonly JsonObject[];
}

/** A template that can be matched, and its server. */
interface ServerTemplate<Server extends JoinedServer> {
  readonly server: Server;
  readonly template: UriTemplate;
}

/** The server of a URI, and the URI as that server has it. */
interface RoutedUri<Server extends JoinedServer> {
  readonly server: Server;
  readonly id: string;
  /** What a policy is asked about: the listed URI, or else the normal form, so that no spelling gets past a rule. */
  readonly policyUri: string;
}

export class JoinedLists<Server extends JoinedServer> {
  readonly entries: Readonly<Record<Kind, JoinedEntry<Server>[]>>;
  readonly #byName = new Map<string, JoinedEntry<Server>>();
  readonly #byScheme: ReadonlyMap<string, Server>;
  readonly #prefixes: ReadonlySet<string>;
  readonly #own: OwnEntries;
  readonly #pages = new SharedPages();
  readonly #withResources: readonly Server[];
  #templates: readonly ServerTemplate<Server>[] | undefined;
  #spelled: ReadonlyMap<string, JoinedEntry<Server>> | undefined;

  private constructor(servers: readonly (readonly [Server, Listing])[], all: readonly Server[], own: OwnEntries) {
    this.#own = own;
    this.#byScheme = new Map(all.map((server) => [server.scheme, server]));
    this.#prefixes = new Set(all.map(({ prefix }) => prefix));
    this.#withResources = servers.filter(([, { resource, template }]) => resource.length + template.length > 0).map(([server]) => server);
    this.entries = { tool: [], prompt: [], resource: [], template: [] };
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
    if (size > ITEMS_OF_A_TURN) return joined.#addInTurns(lists);
    for (const list of lists) void joined.#addAll(list);
    return joined;
  }

  async #addInTurns(lists: readonly ListOfServer<Server>[]): Promise<this> {
    const [ofUris, ofNames] = [lists.filter(isOfUris), lists.filter((list) => !isOfUris(list))];
    for (const list of ofUris) {
      await this.#addAll(list);
      await nextTurn();
    }
    await this.#compareInTurns();
    for (const list of ofNames) {
      await this.#addAll(list);
      await nextTurn();
    }
    return this;
  }

  /** Makes what the first URI would be compared with in one turn. */
  async #compareInTurns(): Promise<void> {
    const [templates, spelled] = [[] as ServerTemplate<Server>[], new Map<string, JoinedEntry<Server>>()];
    const compile = (entry: JoinedEntry<Server>): void => {
      const [matcher] = matcherOf(entry);
      if (matcher?.template.normal !== undefined) templates.push(matcher);
    };
    await eachInTurns(this.entries.template, compile);
    await nextTurn();
    await eachInTurns(this.entries.resource, (entry) => addSpelled(spelled, entry.name, entry));
    this.#templates = templates;
    this.#spelled = spelled;
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
    const taken = this.#byName.get(`${kind} ${uri}`)?.server ?? this.#ofAlias(uri)?.server;
    return taken === undefined || taken === server ? uri : aliasOf(server.scheme, uri);
  }

  #ofAlias(uri: string): RoutedUri<Server> | undefined {
    const alias = fromAlias(uri);
    const server = alias && this.#byScheme.get(alias.scheme);
    return server && unlisted(server, alias.uri);
  }

  #renamedTool(item: JsonObject, { server, name }: { server: Server; name: string }, budget: MatchBudget): JsonObject {
    return withMetaUris(renamed(item, "tool", name), (uri) => this.uriOf(server, uri, budget));
  }

  find(kind: Kind, name: string): JoinedEntry<Server> | undefined {
    return this.#byName.get(`${kind} ${name}`);
  }

  /**
   * The server of a URI and its own URI: what is listed, then what a template matches, then an alias, then the only server with resources.
   * Undefined for a URI of the gateway itself.
   *
   * @throws McpError -32602 if it is too long to be compared with all templates
   */
  routeUri(uri: string): RoutedUri<Server> | undefined {
    this.assertComparable([uri]);
    return this.#route(uri);
  }

  /** @throws McpError -32602 if the URIs of one request are too long to be compared with all templates: it would stop the process for seconds */
  assertComparable(uris: readonly string[]): void {
    const budget = new MatchBudget();
    if (uris.every((uri) => this.#canCompare(uri, budget))) return;
    const message = `The URIs of the request are too long to be compared with ${this.#matchers().length} URI templates: send fewer or shorter ones`;
    throw new McpError(ErrorCode.InvalidParams, message, { limit: "comparedCharacters", max: MAX_COMPARED });
  }

  #canCompare(uri: string, budget: MatchBudget): boolean {
    const isListed = this.#byName.has(`resource ${uri}`) || this.#byName.has(`template ${uri}`);
    return isListed || budget.take(uri.length, this.#matchers().length);
  }

  /** Whether a server lists a URI, has a template for it, or is named by it. Other URIs go to the only server with resources, as a guess. */
  knowsUri(uri: string): boolean {
    this.assertComparable([uri]);
    return this.knownUri(uri) !== undefined;
  }

  #route(uri: string): RoutedUri<Server> | undefined {
    const known = this.knownUri(uri);
    if (known !== undefined) return known;
    const [only, ...others] = this.#withResources;
    return only === undefined || this.#own.isUri(uri) || others.length > 0 ? undefined : unlisted(only, uri);
  }

  /**
   * The server that lists a URI, has a template for it, or is named by it, and its own URI. Only for URIs that are comparable. It is found as a
   * server finds it (`server/features/resources.ts`): a host in other letters is another value for a template, so that comes last.
   */
  knownUri(uri: string): RoutedUri<Server> | undefined {
    if (this.#own.isUri(uri)) return undefined; // a template may match every URI
    const listed = this.find("resource", uri) ?? this.find("template", uri);
    if (listed !== undefined) return asListed(listed);
    const spelled = this.#bySpelling(uri);
    if (spelled !== undefined && isSameEncoded(spelled.name, uri)) return asListed(spelled);
    const matched = this.#matching(uri, ({ template }) => template.match(uri) !== undefined);
    if (matched !== undefined) return matched;
    const normal = normalUri(uri);
    if (spelled !== undefined) return asListed(spelled);
    return this.#ofAlias(uri) ?? this.#matching(uri, ({ template }) => template.normal.match(normal) !== undefined);
  }

  /** The server of the first template that matches. A template takes no alias of another server. */
  #matching(uri: string, matches: (one: ServerTemplate<Server>) => boolean): RoutedUri<Server> | undefined {
    const alias = this.#ofAlias(uri);
    const found = this.#matchers().find((one) => (alias === undefined || alias.server === one.server) && matches(one));
    return found && unlisted(found.server, uri);
  }

  #bySpelling(uri: string): JoinedEntry<Server> | undefined {
    const spelled = (): ReadonlyMap<string, JoinedEntry<Server>> =>
      (this.#spelled ??= byNormalUri(this.entries.resource, ({ name }) => name));
    return findSpelled({ find: (one) => this.find("resource", one), spelled }, uri);
  }

  /** A URI of that server as callers see it: its alias, which always leads there, if the budget is used up. */
  uriOf(server: Server, uri: string, budget: MatchBudget): string {
    if (!this.#canCompare(uri, budget)) return aliasOf(server.scheme, uri);
    const route = this.#route(uri);
    return route?.server === server && route.id === uri ? uri : aliasOf(server.scheme, uri);
  }

  #matchers(): readonly ServerTemplate<Server>[] {
    return (this.#templates ??= this.entries.template.flatMap(matcherOf));
  }

  /** One page of a list. `chosen` are the entries that the caller may see; default: all. @throws McpError -32602 for a bad cursor */
  page(kind: Kind, cursor: string | undefined, size: number, chosen?: readonly ListedEntry[]): JsonObject {
    return chosen === undefined ? this.#pages.of(kind, this.entries[kind], { cursor, size }) : pageFor(kind, chosen, { cursor, size });
  }
}

function isOfUris({ kind }: { readonly kind: Kind }): boolean {
  return kind === "resource" || kind === "template";
}

/** None for a template that cannot be matched, or that has an alias: it is only listed. */
function matcherOf<Server extends JoinedServer>({ server, id, name }: JoinedEntry<Server>): ServerTemplate<Server>[] {
  try {
    return name === id ? [{ server, template: new UriTemplate(id) }] : [];
  } catch {
    return [];
  }
}

function asListed<Server extends JoinedServer>({ server, id }: JoinedEntry<Server>): RoutedUri<Server> {
  return { server, id, policyUri: id };
}

function unlisted<Server extends JoinedServer>(server: Server, id: string): RoutedUri<Server> {
  return { server, id, policyUri: plainUri(id) };
}

/** An entry of a list under its name in the gateway. */
function renamed(item: JsonObject, kind: Kind, name: string): JsonObject {
  const member = KIND_ROWS[kind].id;
  return item[member] === name ? item : { ...item, [member]: name };
}

/** The name of a tool or prompt in the gateway. */
export function nameIn(prefix: string, id: string): string {
  return prefix === "" ? id : prefixed(prefix, id);
}
