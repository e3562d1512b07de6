/**
 * The servers of a gateway, and which of them a name or a URI leads to.
 *
 * A name leads to its server at once, whatever the others do.
 */
import { SEPARATOR } from "../base/text/naming.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import { eachInTurns } from "../base/turns.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import { CallerLists } from "./catalog/caller-lists.ts";
import { unlistedError } from "./catalog/denial.ts";
import type { Caller } from "./clients/caller.ts";
import type { Lane } from "./servers/lane.ts";
import type { Listing } from "./catalog/listing.ts";
import type { Settings } from "./settings.ts";
import { Reach } from "./catalog/reach.ts";
import { nameIn, type JoinedLists } from "./catalog/joined-lists.ts";
import type { Words } from "./servers/words.ts";
import type { Upstream } from "./servers/upstream.ts";

export interface Route {
  readonly server: Upstream;
  readonly lane: Lane;
  /** The name or URI at the server. */
  readonly id: string;
}

/** A route whose lane may still have to open. */
type Opening = Omit<Route, "lane"> & { readonly lane: MaybePromise<Lane> };

export interface SaidWords {
  readonly server: Upstream;
  readonly words: Words;
}

/** How a name ends that was cut or changed to fit. Only the list of its server tells which name it was. */
const CHANGED = /_[0-9a-z]{7}$/;

export class Router {
  readonly #settings: Settings;
  /** What the policy says without the servers. */
  readonly reach: Reach;
  readonly lists: CallerLists;
  /** By prefix. */
  #servers: ReadonlyMap<string, Upstream> = new Map();
  #hasLogins = false;
  /** Names that were cut or changed to fit, by their names in the gateway. */
  readonly #changedNames = new WeakMap<Listing, Promise<ReadonlyMap<string, string>>>();

  constructor(settings: Settings) {
    this.#settings = settings;
    this.reach = new Reach(settings);
    this.lists = new CallerLists(settings, this);
  }

  /** What the servers say of themselves to a caller, if the gateway knows it. */
  wordsFor(caller: Caller): SaidWords[] {
    return this.serversFor(caller).flatMap((server) => {
      const words = server.wordsFor(caller);
      return words === undefined ? [] : [{ server, words }];
    });
  }

  /** Whether there is a server at which users log in. Without one, calls take the shorter way. */
  get hasLogins(): boolean {
    return this.#hasLogins;
  }

  get servers(): readonly Upstream[] {
    return [...this.#servers.values()];
  }

  /** The lists of all servers. */
  listings(): Listing[] {
    return this.servers.flatMap(({ lists }) => [...lists.all]);
  }

  /** The server of that name in the configuration. */
  serverNamed(name: string | undefined): Upstream | undefined {
    return this.servers.find((server) => server.name === name);
  }

  /** The servers of which a caller may use something. It has no connections to the others, and learns nothing of them. */
  serversFor(caller: Caller): readonly Upstream[] {
    return this.#settings.policy === undefined ? this.servers : this.servers.filter(({ name }) => this.reach.mayUse(caller, name));
  }

  /** Takes these servers in place of all before. @throws McpError -32602 if two would have one prefix; then nothing changes */
  replace(servers: readonly Upstream[]): void {
    assertDiffer(
      servers,
      "prefix",
      (names, prefix) => `Servers ${names} would both have the prefix "${prefix}": rename one, or set the option "prefix"`,
    );
    assertDiffer(
      servers,
      "scheme",
      (names, scheme) => `URIs of servers ${names} would both begin with "${scheme}+" if they are the same: rename one`,
    );
    this.lists.clear();
    this.#servers = new Map(servers.map((server) => [server.prefix, server]));
    this.#hasLogins = servers.some(({ login }) => login !== undefined);
  }

  /**
   * Where the name of a tool or prompt leads: to the server with its prefix, on the lane of the caller. Opens the lane if it has to, unless
   * the policy denies the name already without the server.
   * @throws McpError -32602 if no server has the name, or the policy denies it; -32603 if its server is not available
   */
  named(kind: "tool" | "prompt", name: string, caller: Caller): MaybePromise<Route> {
    const end = name.indexOf(SEPARATOR);
    const named = end < 0 ? undefined : this.#servers.get(name.slice(0, end));
    const server = named ?? this.#servers.get("");
    if (server === undefined) throw unlistedError(kind, name);
    const written = named === undefined ? name : name.slice(end + SEPARATOR.length);
    const mayBeChanged = named !== undefined && CHANGED.test(written);
    const open = server.lanes.ifOpen(caller);
    if (open !== undefined && !mayBeChanged) return { server, lane: open, id: written };
    if (open === undefined) this.reach.assertMayName(caller, { kind, server: server.name, id: mayBeChanged ? undefined : written, name });
    return this.#opened({ server, lane: open ?? server.lanes.forCall(caller), id: written }, mayBeChanged ? `${kind} ${name}` : undefined);
  }

  /** The route when its lane is open. @param changed the kind and the name that the gateway may have cut or changed */
  async #opened({ server, lane: opening, id }: Opening, changed: string | undefined): Promise<Route> {
    const lane = await opening;
    if (changed === undefined) return { server, lane, id };
    return { server, lane, id: (await this.#changed(server, lane.listing)).get(changed) ?? id };
  }

  /** The names of a server's tools and prompts that were cut or changed to fit. */
  #changed({ prefix }: Upstream, listing: Listing): Promise<ReadonlyMap<string, string>> {
    let names = this.#changedNames.get(listing);
    if (names === undefined) this.#changedNames.set(listing, (names = changedNames(prefix, listing)));
    return names;
  }

  /** @throws ResourceNotFoundError if no server has the URI; McpError -32603 if its server is not available */
  async resource(
    uri: string,
    caller: Caller,
    kind: "resource" | "template" = "resource",
  ): Promise<Route & { readonly lists: JoinedLists<Upstream> }> {
    const known = await this.lists.of(caller);
    const lists = known.uris.knows(uri) ? known : await this.lists.beforeRefusal(caller);
    const { policy } = this.#settings;
    const route = policy === undefined || lists.uris.knows(uri) ? lists.uris.route(uri) : undefined;
    if (route === undefined) throw unlistedError("resource", uri);
    const { server } = route;
    this.reach.assertMayName(caller, { kind, server: server.name, id: route.policyUri, name: uri });
    return { ...route, lane: await server.lanes.forCall(caller), lists };
  }
}

/** @throws McpError -32602 if two servers have the same prefix or scheme */
function assertDiffer(servers: readonly Upstream[], member: "prefix" | "scheme", why: (names: string, value: string) => string): void {
  const known = new Map<string, string>();
  for (const { name, [member]: value } of servers) {
    const other = known.get(value);
    if (other !== undefined)
      throw new McpError(ErrorCode.InvalidParams, why(`"${other}" and "${name}"`, value), { servers: [other, name] });
    known.set(value, name);
  }
}

async function changedNames(prefix: string, listing: Listing): Promise<ReadonlyMap<string, string>> {
  const changed = new Map<string, string>();
  for (const kind of ["tool", "prompt"] as const) {
    await eachInTurns(listing[kind], (item) => {
      const id = item["name"] as string; // as listed
      const name = nameIn(prefix, id);
      if (!name.endsWith(SEPARATOR + id)) changed.set(`${kind} ${name}`, id);
    });
  }
  return changed;
}
