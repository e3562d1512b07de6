/**
 * Finds the server that has a component: by its name in the group, or by a server's own URI, if that is unambiguous.
 *
 * Results name resources by the server's own URIs, listed or not, so the router finds those as well: among the listed
 * resources, then by templates. If two servers match, neither is called.
 */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { finishesWithin, type Clock } from "../../base/clock.ts";
import { unlessAborted } from "../../base/abort.ts";
import { plainUri } from "../../base/uri-template/spelled-uris.ts";
import { UriTemplate } from "../../base/uri-template/uri-template.ts";
import type { Catalog, FoundComponent } from "./catalog.ts";
import type { Kind } from "../../upstream/listing.ts";
import type { Claims, Components } from "./components.ts";
import { olderVersion } from "../../upstream/older-versions.ts";
import { fromAlias, isView, type MatchBudget } from "../../session/uris.ts";
import { outsideUri, schemeOfServer } from "./outside-uris.ts";
import { DefinitionChangedError } from "../errors.ts";
import type { GroupServer } from "../servers/group-server.ts";
import type { GroupServers } from "../servers/group-servers.ts";

/** The server to call, and the id that it knows. */
export interface Destination {
  readonly owner: GroupServer;
  /** The name, URI or template as its server knows it. */
  readonly id: string;
}

const KIND_NAMES: { readonly [One in Kind]: string } = {
  tool: "tool",
  prompt: "prompt",
  resource: "resource",
  template: "resource template",
};

/** Milliseconds a caller waits for servers that are still connecting. */
const DEFAULT_WAIT = 60_000;

export interface WaitOptions {
  /** Milliseconds. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

export class GroupRouter {
  readonly #catalog: Catalog<GroupServer>;
  readonly #servers: GroupServers;
  readonly #clock: Clock;
  /** The compiled templates of one view. */
  #matchers: { readonly view: Claims["template"]; readonly list: readonly Matcher[] } | undefined;

  /** The resources of one view, by the normal forms of their URIs. */
  #spelled: { readonly view: Claims["resource"]; readonly byUri: ReadonlyMap<string, readonly ShownResource[]> } | undefined;

  constructor(catalog: Catalog<GroupServer>, servers: GroupServers, clock: Clock) {
    this.#catalog = catalog;
    this.#servers = servers;
    this.#clock = clock;
  }

  /**
   * Finds the tool or prompt of that name, which may name an older version. If there is none, it waits for servers that are still connecting.
   * @throws McpError -32602 if no server has the name; ServerUnavailableError if its server is down; DefinitionChangedError
   */
  async named<One extends "tool" | "prompt">(
    kind: One,
    name: string,
    patience: WaitOptions,
  ): Promise<{ readonly owner: GroupServer; readonly component: Components[One] }> {
    const find = (listed: string) => this.#catalog.find(kind, listed);
    const look = () => find(name) ?? olderVersion(name, find);
    const found = (await this.#patiently(patience, look)) ?? (await this.#afterReading(look));
    if (found === undefined) throw this.#unknown(KIND_NAMES[kind], name);
    if (!found.shown) throw found.owner.unavailable();
    if (found.held !== undefined) throw new DefinitionChangedError({ name, server: found.owner.name, kind, reason: found.held });
    return found;
  }

  /**
   * Finds the server to call for a resource, or for completions of a template.
   * @param server the name of the server to call, whatever it lists
   * @throws McpError -32602 if no server has the URI, or several have it
   */
  async resource(name: string, server: string | undefined, patience: WaitOptions): Promise<Destination> {
    if (server !== undefined) return { owner: this.serverNamed(server), id: name };
    const look = (): Destination | undefined =>
      this.#byName(name) ?? this.#only(name, this.#byUri(name)) ?? this.#byAlias(name) ?? this.#bySpelling(name);
    const named = (await this.#patiently(patience, look)) ?? (await this.#afterReading(look));
    if (named === undefined) throw this.#unknown("resource", name);
    return named;
  }

  serverNamed(name: string): GroupServer {
    const server = this.#servers.byName.get(name);
    if (server === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown server: ${name}`);
    return server;
  }

  #unknown(what: string, name: string): McpError {
    const owner = this.#servers.byPrefix(name);
    if (owner !== undefined && owner.session === undefined) return owner.unavailable();
    return new McpError(ErrorCode.InvalidParams, `Unknown ${what}: ${name}`);
  }

  async #patiently<T>({ timeout = DEFAULT_WAIT, signal }: WaitOptions, find: () => T | undefined): Promise<T | undefined> {
    signal?.throwIfAborted();
    const found = find();
    const starting = [...this.#servers.byName.values()].flatMap(({ settled }) => settled ?? []);
    if (found !== undefined || starting.length === 0) return found;
    await unlessAborted(finishesWithin(this.#clock, timeout, this.#until(find, starting)), signal);
    return find();
  }

  /** Resolves when `find` succeeds, or when all servers have connected or failed. */
  async #until(find: () => unknown, starting: readonly Promise<void>[]): Promise<void> {
    const found = starting.map((settled) => settled.then(() => (find() === undefined ? Promise.reject(new Error("not here")) : undefined)));
    await Promise.any(found).catch(() => undefined);
  }

  /** Finds it after the lists were read again whose changes the servers do not announce. */
  async #afterReading<T>(find: () => T | undefined): Promise<T | undefined> {
    const reads = [...this.#servers.byName.values()].flatMap((server) => server.connection?.reads.beforeRefusal() ?? []);
    if (reads.length === 0) return undefined;
    await Promise.all(reads);
    return find();
  }

  /** The server that the alias of a URI names. */
  #byAlias(uri: string): Destination | undefined {
    const alias = fromAlias(uri);
    const [owner, ...others] = [...this.#servers.byName.values()].filter(({ name }) => schemeOfServer(name) === alias?.scheme);
    return alias === undefined || owner === undefined || others.length > 0 ? undefined : { owner, id: alias.uri };
  }

  /** A URI of a server as callers can read it: its alias if it is a view, or if it does not lead to that server alone. */
  uriOf(owner: GroupServer, uri: string, budget: MatchBudget): string {
    if (isView(uri) || !budget.take(uri.length, this.#templates().length)) return outsideUri(owner.name, uri);
    return [...this.#byUri(uri)].every((one) => one === owner) ? uri : outsideUri(owner.name, uri);
  }

  #byName(name: string): Destination | undefined {
    const resource = this.#catalog.find("resource", name);
    if (resource !== undefined) return toDestination(resource, resource.component.uri);
    const template = this.#catalog.find("template", name);
    return template && toDestination(template, template.component.uriTemplate);
  }

  /** All servers that list that URI or template, or else all servers with a matching template. */
  #byUri(uri: string): ReadonlySet<GroupServer> {
    const owners = new Set<GroupServer>();
    for (const { owner, component } of this.#catalog.shown("resource")) if (component.uri === uri) owners.add(owner);
    for (const { owner, component } of this.#catalog.shown("template")) if (component.uriTemplate === uri) owners.add(owner);
    if (owners.size === 0) for (const { owner, matches } of this.#templates()) if (matches(uri)) owners.add(owner);
    return owners;
  }

  /** What is listed under another spelling of a URI, or else the server with a template for its normal form. */
  #bySpelling(uri: string): Destination | undefined {
    const plain = plainUri(uri);
    const [first, ...others] = this.#normalUris().get(plain) ?? [];
    if (first !== undefined) return this.#only(first.component.uri, new Set([first, ...others].map(({ owner }) => owner)));
    return this.#only(uri, new Set(this.#templates().flatMap(({ owner, matchesNormal }) => (matchesNormal(plain) ? [owner] : []))));
  }

  #normalUris(): ReadonlyMap<string, readonly ShownResource[]> {
    const view = this.#catalog.view("resource");
    if (this.#spelled?.view !== view) {
      const byUri = new Map<string, ShownResource[]>();
      for (const shown of this.#catalog.shown("resource")) {
        const uri = plainUri(shown.component.uri);
        byUri.set(uri, [...(byUri.get(uri) ?? []), shown]);
      }
      this.#spelled = { view, byUri };
    }
    return this.#spelled.byUri;
  }

  #only(uri: string, owners: ReadonlySet<GroupServer>): Destination | undefined {
    const [owner, ...others] = owners;
    if (owner === undefined) return undefined;
    if (others.length === 0) return { owner, id: uri };
    const servers = [...owners].map(({ name }) => name);
    const message = `Several servers have ${JSON.stringify(uri)}: ${servers.join(", ")}. Use its name in the group, or say which with the option "server"`;
    throw new McpError(ErrorCode.InvalidParams, message, { servers });
  }

  #templates(): readonly Matcher[] {
    const view = this.#catalog.view("template");
    if (this.#matchers?.view !== view) this.#matchers = { view, list: [...this.#catalog.shown("template")].map(matcherOf) };
    return this.#matchers.list;
  }
}

type ShownResource = FoundComponent<GroupServer, "resource">;

interface Matcher {
  readonly owner: GroupServer;
  readonly matches: (uri: string) => boolean;
  readonly matchesNormal: (uri: string) => boolean;
}

function matcherOf({ owner, component }: { readonly owner: GroupServer; readonly component: Components["template"] }): Matcher {
  try {
    const template = new UriTemplate(component.uriTemplate);
    return {
      owner,
      matches: (uri) => template.match(uri) !== undefined,
      matchesNormal: (uri) => template.normal.match(uri) !== undefined,
    };
  } catch {
    return { owner, matches: () => false, matchesNormal: () => false }; // an ambiguous template never matches
  }
}

function toDestination({ owner, shown }: { readonly owner: GroupServer; readonly shown: boolean }, id: string): Destination {
  if (!shown) throw owner.unavailable();
  return { owner, id };
}
