/**
 * Where a URI leads: to the server that lists it, has a template for it, or is named by it; and back, what callers see of a server's URI.
 *
 * It is found as a server finds it (`server/features/resources.ts`). What it is compared with is bounded.
 */
import { eachInTurns, nextTurn } from "../../base/turns.ts";
import { isSameEncoded, normalUri } from "../../base/uri-template/normal-uri.ts";
import { addSpelled, byNormalUri, findSpelled, plainUri } from "../../base/uri-template/spelled-uris.ts";
import { UriTemplate } from "../../base/uri-template/uri-template.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { aliasOf, fromAlias, MatchBudget, MAX_COMPARED } from "../../session/uris.ts";
import type { Kind } from "../../upstream/listing.ts";
import type { JoinedEntry, JoinedServer, OwnEntries } from "./joined-entry.ts";

/** URI templates that are compiled in one turn: one costs as much as ten entries of other lists. */
export const TEMPLATES_OF_A_TURN = 100;

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

interface UriLists<Server extends JoinedServer> {
  readonly entries: Readonly<Record<"resource" | "template", readonly JoinedEntry<Server>[]>>;
  find(kind: Kind, name: string): JoinedEntry<Server> | undefined;
}

/** The servers that URIs may lead to, and what leads to none. */
interface UriServers<Server extends JoinedServer> {
  /** Also those that are not connected: no other server may use their names. */
  readonly all: readonly Server[];
  readonly withResources: readonly Server[];
  readonly own: OwnEntries;
}

export class UriRoutes<Server extends JoinedServer> {
  readonly #lists: UriLists<Server>;
  readonly #servers: UriServers<Server>;
  readonly #byScheme: ReadonlyMap<string, Server>;
  #templates: readonly ServerTemplate<Server>[] | undefined;
  #spelled: ReadonlyMap<string, JoinedEntry<Server>> | undefined;

  constructor(lists: UriLists<Server>, servers: UriServers<Server>) {
    this.#lists = lists;
    this.#servers = servers;
    this.#byScheme = new Map(servers.all.map((server) => [server.scheme, server]));
  }

  /** Makes what the first URI would be compared with in one turn. */
  async prepare(): Promise<void> {
    const [templates, spelled] = [[] as ServerTemplate<Server>[], new Map<string, JoinedEntry<Server>>()];
    const compile = (entry: JoinedEntry<Server>): void => {
      const [matcher] = matcherOf(entry);
      if (matcher?.template.normal !== undefined) templates.push(matcher);
    };
    await eachInTurns(this.#lists.entries.template, compile, TEMPLATES_OF_A_TURN);
    await nextTurn();
    await eachInTurns(this.#lists.entries.resource, (entry) => addSpelled(spelled, entry.name, entry));
    this.#templates = templates;
    this.#spelled = spelled;
  }

  /**
   * The server of a URI and its own URI: what is listed, then what a template matches, then an alias, then the only server with resources.
   * Undefined for a URI of the gateway itself.
   *
   * @throws McpError -32602 if it is too long to be compared with all templates
   */
  route(uri: string): RoutedUri<Server> | undefined {
    this.assertComparable([uri]);
    return this.#routeOf(uri);
  }

  /** @throws McpError -32602 if the URIs of one request are too long to be compared with all templates: it would stop the process for seconds */
  assertComparable(uris: readonly string[]): void {
    const budget = new MatchBudget();
    if (uris.every((uri) => this.#canCompare(uri, budget))) return;
    const message = `The URIs of the request are too long to be compared with ${this.#matchers().length} URI templates: send fewer or shorter ones`;
    throw new McpError(ErrorCode.InvalidParams, message, { limit: "comparedCharacters", max: MAX_COMPARED });
  }

  #listed(uri: string): JoinedEntry<Server> | undefined {
    return this.#lists.find("resource", uri) ?? this.#lists.find("template", uri);
  }

  #canCompare(uri: string, budget: MatchBudget): boolean {
    return this.#listed(uri) !== undefined || budget.take(uri.length, this.#matchers().length);
  }

  /** Whether a server lists a URI, has a template for it, or is named by it. Other URIs go to the only server with resources, as a guess. */
  knows(uri: string): boolean {
    this.assertComparable([uri]);
    return this.known(uri) !== undefined;
  }

  #routeOf(uri: string): RoutedUri<Server> | undefined {
    const known = this.known(uri);
    if (known !== undefined) return known;
    const [only, ...others] = this.#servers.withResources;
    return only === undefined || this.#servers.own.isUri(uri) || others.length > 0 ? undefined : unlisted(only, uri);
  }

  /**
   * The server that lists a URI, has a template for it, or is named by it, and its own URI. Only for URIs that are comparable. It is found as a
   * server finds it (`server/features/resources.ts`): a host in other letters is another value for a template, so that comes last.
   */
  known(uri: string): RoutedUri<Server> | undefined {
    if (this.#servers.own.isUri(uri)) return undefined; // a template may match every URI
    const listed = this.#listed(uri);
    if (listed !== undefined) return asListed(listed);
    const spelled = this.#bySpelling(uri);
    if (spelled !== undefined && isSameEncoded(spelled.name, uri)) return asListed(spelled);
    const matched = this.#matching(uri, ({ template }) => template.match(uri) !== undefined);
    if (matched !== undefined) return matched;
    const normal = normalUri(uri);
    if (spelled !== undefined) return asListed(spelled);
    return this.ofAlias(uri) ?? this.#matching(uri, ({ template }) => template.normal.match(normal) !== undefined);
  }

  /** The server of the first template that matches. A template takes no alias of another server. */
  #matching(uri: string, matches: (one: ServerTemplate<Server>) => boolean): RoutedUri<Server> | undefined {
    const alias = this.ofAlias(uri);
    const found = this.#matchers().find((one) => (alias === undefined || alias.server === one.server) && matches(one));
    return found && unlisted(found.server, uri);
  }

  #bySpelling(uri: string): JoinedEntry<Server> | undefined {
    const spelled = (): ReadonlyMap<string, JoinedEntry<Server>> =>
      (this.#spelled ??= byNormalUri(this.#lists.entries.resource, ({ name }) => name));
    return findSpelled({ find: (one) => this.#lists.find("resource", one), spelled }, uri);
  }

  /** A URI of that server as callers see it: its alias, which always leads there, if the budget is used up. */
  seen(server: Server, uri: string, budget: MatchBudget): string {
    if (!this.#canCompare(uri, budget)) return aliasOf(server.scheme, uri);
    const route = this.#routeOf(uri);
    return route?.server === server && route.id === uri ? uri : aliasOf(server.scheme, uri);
  }

  #matchers(): readonly ServerTemplate<Server>[] {
    return (this.#templates ??= this.#lists.entries.template.flatMap(matcherOf));
  }

  /** The server that a URI names, if it has the form of an alias. */
  ofAlias(uri: string): RoutedUri<Server> | undefined {
    const alias = fromAlias(uri);
    const server = alias && this.#byScheme.get(alias.scheme);
    return server && unlisted(server, alias.uri);
  }
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
