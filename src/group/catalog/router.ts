/**
 * Finds whose a component is: by its name in the group, or by a URI as servers write it, where that is unmistakable.
 *
 * Results name resources by the server's own URIs, listed or not, so those are found as well: among what is listed, then
 * by the templates. Where two servers could be meant nobody is asked.
 */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { finishesWithin, type Clock } from "../../base/clock.ts";
import { unlessAborted } from "../../base/abort.ts";
import { UriTemplate } from "../../base/uri-template/uri-template.ts";

import type { Catalog } from "./catalog.ts";
import type { Claims, ComponentKind, Components } from "./components.ts";
import { DefinitionChangedError } from "../errors.ts";
import type { GroupServer } from "../servers/group-server.ts";
import type { GroupServers } from "../servers/group-servers.ts";

/** What to ask, and whom. */
export interface Route {
  readonly owner: GroupServer;
  /** The name, URI or template as its server knows it. */
  readonly id: string;
}

const WHAT: { readonly [Kind in ComponentKind]: string } = {
  tool: "tool",
  prompt: "prompt",
  resource: "resource",
  resourceTemplate: "resource template",
};

/** How long a caller waits for servers that are still connecting, in ms. */
const DEFAULT_PATIENCE = 60_000;

export interface Patience {
  /** Milliseconds. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

export class Router {
  readonly #catalog: Catalog<GroupServer>;
  readonly #servers: GroupServers;
  readonly #clock: Clock;
  /** The templates of one view, ready to match. */
  #matchers: { readonly view: Claims["resourceTemplate"]; readonly list: readonly Matcher[] } | undefined;

  constructor(catalog: Catalog<GroupServer>, servers: GroupServers, clock: Clock) {
    this.#catalog = catalog;
    this.#servers = servers;
    this.#clock = clock;
  }

  /**
   * The component of that name. Where there is none, servers that have not connected yet are waited for.
   * @throws McpError -32602 for a name nobody has, ServerUnavailableError where its server is down, DefinitionChangedError
   */
  async named<Kind extends ComponentKind>(
    kind: Kind,
    name: string,
    patience: Patience,
  ): Promise<{ readonly owner: GroupServer; readonly component: Components[Kind] }> {
    const found = await this.#patiently(patience, () => this.#catalog.find(kind, name));
    if (found === undefined) throw this.#unknown(WHAT[kind], name);
    if (!found.shown) throw found.owner.unavailable();
    if (found.held) throw new DefinitionChangedError(name, found.owner.name);
    return found;
  }

  /**
   * Whom to ask for a resource, or for completions of a template.
   * @param server the name of the server that is asked, whatever it lists
   * @throws McpError -32602 for a URI nobody has, or several have
   */
  async resource(name: string, server: string | undefined, patience: Patience): Promise<Route> {
    if (server !== undefined) return { owner: this.serverNamed(server), id: name };
    const named = await this.#patiently(patience, () => this.#byName(name) ?? this.#only(name, this.#byUri(name)));
    if (named === undefined) throw this.#unknown("resource", name);
    return named;
  }

  /** @throws McpError -32602 */
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

  async #patiently<T>({ timeout = DEFAULT_PATIENCE, signal }: Patience, find: () => T | undefined): Promise<T | undefined> {
    signal?.throwIfAborted();
    const found = find();
    const starting = [...this.#servers.byName.values()].flatMap(({ settled }) => settled ?? []);
    if (found !== undefined || starting.length === 0) return found;
    await unlessAborted(finishesWithin(this.#clock, timeout, this.#until(find, starting)), signal);
    return find();
  }

  /** Resolves as soon as it is found, or none of the servers can have it any more. */
  async #until(find: () => unknown, starting: readonly Promise<void>[]): Promise<void> {
    const found = starting.map((settled) => settled.then(() => (find() === undefined ? Promise.reject(new Error("not here")) : undefined)));
    await Promise.any(found).catch(() => undefined);
  }

  #byName(name: string): Route | undefined {
    const resource = this.#catalog.find("resource", name);
    if (resource !== undefined) return route(resource, resource.component.uri);
    const template = this.#catalog.find("resourceTemplate", name);
    return template && route(template, template.component.uriTemplate);
  }

  /** Everybody who lists that URI or that very template, else everybody whose templates it fits. */
  #byUri(uri: string): ReadonlySet<GroupServer> {
    const owners = new Set<GroupServer>();
    for (const { owner, component } of this.#catalog.shown("resource")) if (component.uri === uri) owners.add(owner);
    for (const { owner, component } of this.#catalog.shown("resourceTemplate")) if (component.uriTemplate === uri) owners.add(owner);
    if (owners.size === 0) for (const { owner, matches } of this.#templates()) if (matches(uri)) owners.add(owner);
    return owners;
  }

  #only(uri: string, owners: ReadonlySet<GroupServer>): Route | undefined {
    const [owner, ...others] = owners;
    if (owner === undefined) return undefined;
    if (others.length === 0) return { owner, id: uri };
    const servers = [...owners].map(({ name }) => name);
    const message = `Several servers have ${JSON.stringify(uri)}: ${servers.join(", ")}. Use its name in the group, or say which with the option "server"`;
    throw new McpError(ErrorCode.InvalidParams, message, { servers });
  }

  #templates(): readonly Matcher[] {
    const view = this.#catalog.view("resourceTemplate");
    if (this.#matchers?.view !== view) this.#matchers = { view, list: [...this.#catalog.shown("resourceTemplate")].map(matcherOf) };
    return this.#matchers.list;
  }
}

interface Matcher {
  readonly owner: GroupServer;
  readonly matches: (uri: string) => boolean;
}

function matcherOf({ owner, component }: { readonly owner: GroupServer; readonly component: Components["resourceTemplate"] }): Matcher {
  try {
    const template = new UriTemplate(component.uriTemplate);
    return { owner, matches: (uri) => template.match(uri) !== undefined };
  } catch {
    return { owner, matches: () => false }; // a template that cannot be matched unmistakably
  }
}

/** @throws ServerUnavailableError */
function route({ owner, shown }: { readonly owner: GroupServer; readonly shown: boolean }, id: string): Route {
  if (!shown) throw owner.unavailable();
  return { owner, id };
}
