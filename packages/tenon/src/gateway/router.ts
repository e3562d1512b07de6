/**
 * Finds the server and the lane for a name or a URI of the gateway, and what a caller sees of all servers.
 *
 * A name leads to its server at once, whatever the others do. A list waits for servers that still connect, but not longer than
 * `readyTimeout`; they join later.
 */
import { finishesWithin } from "../base/clock.ts";
import { SEPARATOR } from "../base/naming.ts";
import { andThen, isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import { unlistedError } from "./catalog/denial.ts";
import type { Caller } from "./clients/caller.ts";
import type { Lane } from "./servers/lane.ts";
import type { Listing } from "./catalog/listing.ts";
import type { Settings } from "./options.ts";
import { loginNeededIn } from "./login/login-needed.ts";
import { Reach } from "./catalog/reach.ts";
import { nameIn, Views, type View } from "./catalog/view.ts";
import type { Words } from "./servers/words.ts";
import type { Upstream } from "./servers/upstream.ts";

/** Where a call goes. */
export interface Route {
  readonly server: Upstream;
  readonly lane: Lane;
  /** The name or URI at the server. */
  readonly id: string;
}

/** What a server says of itself to a caller. */
export interface SaidWords {
  readonly server: Upstream;
  readonly words: Words;
}

/** Called with each lane of a caller; `late` if its server joined after the list was made. */
export type Joined = (lane: Lane, late: boolean) => void;

/** How a name ends that was cut or changed to fit. Only the list of its server tells which name it was. */
const CHANGED = /_[0-9a-z]{7}$/;
/** Milliseconds that a list waits for a server whose last list is known, at most. */
const KNOWN_READY_TIMEOUT = 1_500;

export class Router {
  readonly #settings: Settings;
  readonly #reach: Reach;
  readonly #views = new Views<Upstream>();
  readonly #servers = new Map<string, Upstream>();
  #hasLogins = false;
  /** Names that were cut or changed to fit, by their names in the gateway. */
  readonly #changedNames = new WeakMap<Listing, ReadonlyMap<string, string>>();

  /** When lists began to wait for a server that still connects, by the server and whose lists they are (`Upstream.waitKeyOf`). */
  readonly #connecting = new Map<string, number>();
  /** The servers that the last message about missing ones has named. */
  #toldMissing = "";

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#reach = new Reach(settings);
  }

  /** What the servers say of themselves to a caller, if the gateway knows it. */
  wordsFor(caller: Caller): SaidWords[] {
    return this.serversFor(caller).flatMap((server) => {
      const words = unlessUnknown(() => server.wordsFor(caller));
      return words === undefined ? [] : [{ server, words }];
    });
  }

  /** The names of the servers that still connect for a caller. */
  connecting(caller: Caller): readonly string[] {
    if (this.#connecting.size === 0) return [];
    const isConnecting = (server: Upstream): boolean => this.#connecting.has(unlessUnknown(() => server.waitKeyOf(caller)) ?? "");
    return this.serversFor(caller)
      .filter(isConnecting)
      .map(({ name }) => name);
  }

  /** Whether there is a server at which users log in. Without one, calls take the shorter way. */
  get hasLogins(): boolean {
    return this.#hasLogins;
  }

  get servers(): readonly Upstream[] {
    return [...this.#servers.values()];
  }

  /** The servers of which a caller may use something. It has no connections to the others, and learns nothing of them. */
  serversFor(caller: Caller): readonly Upstream[] {
    return this.#settings.policy === undefined ? this.servers : this.servers.filter(({ name }) => this.#reach.mayUse(caller, name));
  }

  /** @throws McpError -32602 if another server has the same prefix */
  add(server: Upstream): void {
    const other = this.#servers.get(server.prefix);
    if (other !== undefined) {
      const message = `Servers "${other.name}" and "${server.name}" would both have the prefix "${server.prefix}": rename one, or set the option "prefix"`;
      throw new McpError(ErrorCode.InvalidParams, message, { servers: [other.name, server.name] });
    }
    const alike = this.servers.find(({ scheme }) => scheme === server.scheme);
    if (alike !== undefined) {
      const message = `URIs of servers "${alike.name}" and "${server.name}" would both begin with "${server.scheme}+" if they are the same: rename one`;
      throw new McpError(ErrorCode.InvalidParams, message, { servers: [alike.name, server.name] });
    }
    this.#servers.set(server.prefix, server);
    this.#hasLogins ||= server.login !== undefined;
  }

  /** Replaces all servers. @throws McpError -32602 if two would have one prefix; then nothing changes */
  replace(servers: readonly Upstream[]): void {
    const next = new Router(this.#settings);
    for (const server of servers) next.add(server);
    this.#servers.clear();
    this.#views.clear();
    for (const server of servers) this.#servers.set(server.prefix, server);
    this.#hasLogins = next.hasLogins;
  }

  /** @throws McpError -32602 if no server has the name, -32603 if its server is not available */
  named(kind: "tool" | "prompt", name: string, caller: Caller): MaybePromise<Route> {
    const end = name.indexOf(SEPARATOR);
    const named = end < 0 ? undefined : this.#servers.get(name.slice(0, end));
    const server = named ?? this.#servers.get("");
    if (server === undefined) throw unlistedError(kind, name);
    const written = named === undefined ? name : name.slice(end + SEPARATOR.length);
    const open = openLane(server, caller);
    if (open === undefined) {
      const id = named !== undefined && CHANGED.test(written) ? undefined : written;
      this.#reach.assertMayName(caller, { kind, server: server.name, id, name });
    }
    return andThen(open ?? server.openedLane(caller), (lane) => {
      const changed = this.#changed(server, lane.listing)?.get(`${kind} ${name}`);
      return { server, lane, id: changed ?? written };
    });
  }

  /** Undefined if no name was changed. */
  #changed(server: Upstream, listing: Listing): ReadonlyMap<string, string> | undefined {
    let changed = this.#changedNames.get(listing);
    if (changed === undefined) {
      const names = (["tool", "prompt"] as const).flatMap((kind) => listing[kind].map(({ name }) => [kind, name as string] as const)); // as listed
      const given = names.map(([kind, id]) => [`${kind} ${nameIn(server.prefix, id)}`, id] as const);
      changed = new Map(given.filter(([name, id]) => server.prefix !== "" && !name.endsWith(SEPARATOR + id)));
      this.#changedNames.set(listing, changed);
    }
    return changed.size === 0 ? undefined : changed;
  }

  /** @throws ResourceNotFoundError if no server has the URI; McpError -32603 if its server is not available */
  async resource(
    uri: string,
    caller: Caller,
    kind: "resource" | "template" = "resource",
  ): Promise<Route & { readonly view: View<Upstream> }> {
    let view = await this.view(caller);
    if (!view.knowsUri(uri)) {
      await Promise.all(this.#openLanes(caller).flatMap((lane) => lane.beforeRefusal() ?? []));
      view = await this.view(caller);
    }
    const { policy } = this.#settings;
    const route = policy === undefined || view.knowsUri(uri) ? view.routeUri(uri) : undefined;
    if (route === undefined) throw unlistedError("resource", uri);
    const { server, id } = route;
    this.#reach.assertMayName(caller, { kind, server: server.name, id, name: uri });
    return { ...route, lane: await server.openedLane(caller), view };
  }

  // ---- views ----

  /** What a caller gets in a list: what a server does not promise to announce is read again, every few seconds at most. */
  listedView(caller: Caller, joined: Joined): MaybePromise<View<Upstream>> {
    const reads = this.#openLanes(caller).flatMap((lane) => lane.beforeList() ?? []);
    return reads.length === 0 ? this.view(caller, joined) : Promise.all(reads).then(() => this.view(caller, joined));
  }

  #openLanes(caller: Caller): Lane[] {
    return this.serversFor(caller).flatMap((server) => openLane(server, caller) ?? []);
  }

  /** What a caller sees now. */
  view(caller: Caller, joined?: Joined): MaybePromise<View<Upstream>> {
    const found = this.serversFor(caller).map((server) => [server, openLane(server, caller)] as const);
    if (found.every(([, lane]) => lane !== undefined)) return this.#viewOf(found as [Upstream, Lane][], joined);
    return this.#viewInTime(caller, joined);
  }

  async #viewInTime(caller: Caller, joined: Joined | undefined): Promise<View<Upstream>> {
    const beforeLogin: Upstream[] = [];
    let isMade = false;
    const found = await Promise.all(
      this.serversFor(caller).map(async (server) => {
        let open: Lane | undefined;
        let isOver = false;
        const opening = server.listedLane(caller).then((lane) => {
          if (isMade) joined?.(lane, true);
          else open = lane;
        });
        opening
          .catch((error: unknown) => {
            if (loginNeededIn(error) === undefined) server.report(error);
            else beforeLogin.push(server);
          })
          .finally(() => (isOver = true));
        const last = await server.lastListing();
        await this.#waitFor(server, opening, { caller, isKnown: last !== undefined });
        return { server, lane: () => open, last: () => (isOver ? undefined : last) };
      }),
    );
    isMade = true;
    const missing = found.filter(({ lane, last }) => lane() === undefined && last() === undefined).map(({ server }) => server.name);
    const connecting = this.connecting(caller);
    this.#tellMissing(missing.filter((name) => connecting.includes(name)));
    return this.#viewOf(
      found.flatMap(({ server, lane }) => (lane() === undefined ? [] : [[server, lane()!] as const])),
      joined,
      [
        ...found.flatMap(({ server, lane, last }) => (lane() !== undefined || last() === undefined ? [] : [[server, last()!] as const])),
        ...beforeLogin.map((server) => [server, server.loginListing] as const),
      ],
    );
  }

  #tellMissing(names: readonly string[]): void {
    const told = names.join("\n");
    if (told === this.#toldMissing) return;
    this.#toldMissing = told;
    if (names.length > 0) this.#settings.missing(names);
  }

  /**
   * Waits until a server has connected. All lists of those who have the same credentials wait for it once, so one that never responds slows no
   * list but the first. A server whose last list is known is waited for less.
   */
  async #waitFor(server: Upstream, opening: Promise<void>, { caller, isKnown }: { caller: Caller; isKnown: boolean }): Promise<void> {
    const { clock } = this.#settings;
    const readyTimeout = Math.min(this.#settings.readyTimeoutFor(caller.isStdio), isKnown ? KNOWN_READY_TIMEOUT : Infinity);
    const now = clock.now();
    const key = unlessUnknown(() => server.waitKeyOf(caller));
    if (key === undefined) return; // it gets no connection
    const since = this.#connecting.get(key) ?? now;
    if (since < now && since + readyTimeout <= now) return;
    if (!this.#connecting.has(key)) {
      this.#connecting.set(key, now);
      const ended = (): void => void this.#connecting.delete(key);
      opening.then(ended, ended);
    }
    await finishesWithin(clock, since + readyTimeout - now, opening);
  }

  /** Calls `joined` with each lane of a caller: at once with those that are open, with the others when they have opened. */
  follow(caller: Caller, joined: Joined): void {
    for (const server of this.serversFor(caller)) {
      const lane = openLane(server, caller);
      if (lane !== undefined) joined(lane, false);
      else
        server.listedLane(caller).then(
          (opened) => joined(opened, true),
          (error: unknown) => void (loginNeededIn(error) ?? server.report(error)),
        );
    }
  }

  /** @param others what callers see of servers without an open lane */
  #viewOf(
    lanes: readonly (readonly [Upstream, Lane])[],
    joined: Joined | undefined,
    others: readonly (readonly [Upstream, Listing])[] = [],
  ): MaybePromise<View<Upstream>> {
    for (const [, lane] of lanes) joined?.(lane, false);
    const all = [...lanes.map(([server, { listing }]) => [server, listing] as const), ...others];
    const places = new Map(this.servers.map((server, at) => [server, at]));
    const placeOf = (one: readonly [Upstream, Listing]): number => (isLogin(one) ? places.size : (places.get(one[0]) ?? 0));
    const sorted = all.toSorted((one, other) => placeOf(one) - placeOf(other)); // a URI of two servers stays with the first of them
    const owners = new Map(lanes.map(([server, { owner }]) => [server, owner?.principal]));
    return andThen(this.#visibleOf(sorted, owners), (listed) => this.#views.of(listed, this.servers));
  }

  /** The lists without what is withheld. `owners` are the principals whose credentials the servers get. */
  #visibleOf(
    all: readonly (readonly [Upstream, Listing])[],
    owners: ReadonlyMap<Upstream, string | undefined>,
  ): MaybePromise<readonly (readonly [Upstream, Listing])[]> {
    const { pins } = this.#settings;
    if (pins === undefined) return all;
    const lists = all.map((one) => (isLogin(one) ? one[1] : pins.visible(one[1], owners.get(one[0]))));
    const paired = (visible: readonly Listing[]): (readonly [Upstream, Listing])[] => all.map(([server], at) => [server, visible[at]!]); // one for each
    return lists.some(isPromise) ? Promise.all(lists.map(async (list) => list)).then(paired) : paired(lists as Listing[]); // none is a promise
  }
}

/** Whether it is what a caller sees before the login. */
function isLogin([server, listing]: readonly [Upstream, Listing]): boolean {
  return server.loginListing === listing;
}

function openLane(server: Upstream, caller: Caller): Lane | undefined {
  return unlessUnknown(() => server.openLane(caller));
}

/** Undefined for a caller whose credentials are not known, which is reported when its connection is opened. */
function unlessUnknown<T>(find: () => T | undefined): T | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}
