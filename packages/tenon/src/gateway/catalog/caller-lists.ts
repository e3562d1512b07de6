/** What a caller sees of all servers now: waits for those that still connect, leaves out what is withheld, and joins the lists. */
import { isSpillUri, READ_MORE } from "../../spill/names.ts";
import type { Caller } from "../clients/caller.ts";
import { loginNeededIn } from "../login/login-needed.ts";
import type { Settings } from "../settings.ts";
import type { Lane } from "../servers/lane.ts";
import type { Upstream } from "../servers/upstream.ts";
import { ConnectingServers } from "./connecting-servers.ts";
import type { OwnEntries } from "./joined-entry.ts";
import type { JoinedLists } from "./joined-lists.ts";
import type { Listing } from "./listing.ts";
import { SharedLists } from "./shared-lists.ts";

/** What only a gateway with a spill has. Security: the link of a result may be all that protects it, so no server sees one, nor answers for one that has expired. */
const OF_SPILL: OwnEntries = { isTool: (name) => name === READ_MORE, isUri: isSpillUri };

/** Called with each lane of a caller; `late` if its server joined after the list was made. */
export type OnLane = (lane: Lane, late: boolean) => void;

type ServerLane = readonly [Upstream, Lane];
type ServerListing = readonly [Upstream, Listing];

interface OpeningLane {
  readonly server: Upstream;
  /** Set as soon as it is open. */
  readonly lane?: Lane;
  /** What the caller sees without the lane: the last list of the server, or the login. */
  readonly fallback?: Listing;
}

interface Servers {
  readonly servers: readonly Upstream[];
  serversFor(caller: Caller): readonly Upstream[];
}

export class CallerLists {
  readonly #settings: Settings;
  readonly #router: Servers;
  readonly #connecting: ConnectingServers;
  readonly #shared: SharedLists<Upstream>;

  constructor(settings: Settings, router: Servers) {
    this.#settings = settings;
    this.#router = router;
    this.#connecting = new ConnectingServers(settings);
    this.#shared = new SharedLists(settings.spill && OF_SPILL);
  }

  /** Forgets what was joined, because there are other servers. */
  clear(): void {
    this.#shared.clear();
  }

  /** The names of the servers that still connect for a caller. */
  connecting(caller: Caller): readonly string[] {
    return this.#connecting.names(this.#router.serversFor(caller), caller);
  }

  /** What a caller gets in a list: what a server does not promise to announce is read again, every few seconds at most. */
  async fresh(caller: Caller, onLane: OnLane): Promise<JoinedLists<Upstream>> {
    await Promise.all(this.#openLanes(caller).flatMap((lane) => lane.lists.reads?.beforeList() ?? []));
    return this.of(caller, onLane);
  }

  /** What a caller sees before something is refused because no server lists it: lists that may be old are read again. */
  async beforeRefusal(caller: Caller): Promise<JoinedLists<Upstream>> {
    await Promise.all(this.#openLanes(caller).flatMap((lane) => lane.lists.reads?.beforeRefusal() ?? []));
    return this.of(caller);
  }

  #openLanes(caller: Caller): Lane[] {
    return this.#router.serversFor(caller).flatMap((server) => server.lanes.ifOpen(caller) ?? []);
  }

  /** What a caller sees now. */
  async of(caller: Caller, onLane?: OnLane): Promise<JoinedLists<Upstream>> {
    const lanes: ServerLane[] = [];
    for (const server of this.#router.serversFor(caller)) {
      const lane = server.lanes.ifOpen(caller);
      if (lane === undefined) return this.#inTime(caller, onLane);
      lanes.push([server, lane]);
    }
    return this.#join(lanes, onLane);
  }

  async #inTime(caller: Caller, onLane: OnLane | undefined): Promise<JoinedLists<Upstream>> {
    let isMade = false;
    const late = (lane: Lane): void => void (isMade && onLane?.(lane, true));
    const found = await Promise.all(this.#router.serversFor(caller).map((server) => this.#opening(server, caller, late)));
    isMade = true;
    const lanes = found.flatMap(({ server, lane }): ServerLane[] => (lane === undefined ? [] : [[server, lane]]));
    const closed = found.filter(({ lane }) => lane === undefined);
    const others = closed.flatMap(({ server, fallback }): ServerListing[] => (fallback === undefined ? [] : [[server, fallback]]));
    const connecting = this.connecting(caller);
    const missing = closed.filter(({ server, fallback }) => fallback === undefined && connecting.includes(server.name));
    this.#connecting.tellMissing(missing.map(({ server }) => server.name));
    return this.#join(lanes, onLane, others);
  }

  /** Opens the lane of a caller, and waits for it as long as a list may. `opened` is called when it has opened, also after that. */
  async #opening(server: Upstream, caller: Caller, opened: (lane: Lane) => void): Promise<OpeningLane> {
    const found: { server: Upstream; lane?: Lane; fallback?: Listing } = { server };
    let isRefused = false;
    const opening = server.lanes.forList(caller).then((lane) => {
      found.lane = lane;
      opened(lane);
    });
    opening.catch((error: unknown) => {
      isRefused = true;
      delete found.fallback;
      if (loginNeededIn(error) === undefined) server.report(error);
      else found.fallback = server.loginListing;
    });
    const last = await server.lists.last();
    if (!isRefused && last !== undefined) found.fallback = last;
    await this.#connecting.waitFor(server, opening, { caller, isKnown: last !== undefined });
    return found;
  }

  /** Calls `onLane` with each lane of a caller: at once with those that are open, with the others when they have opened. */
  follow(caller: Caller, onLane: OnLane): void {
    for (const server of this.#router.serversFor(caller)) {
      const lane = server.lanes.ifOpen(caller);
      if (lane !== undefined) onLane(lane, false);
      else
        server.lanes.forList(caller).then(
          (opened) => onLane(opened, true),
          (error: unknown) => void (loginNeededIn(error) ?? server.report(error)),
        );
    }
  }

  /** @param others what callers see of servers without an open lane */
  async #join(
    lanes: readonly ServerLane[],
    onLane: OnLane | undefined,
    others: readonly ServerListing[] = [],
  ): Promise<JoinedLists<Upstream>> {
    for (const [, lane] of lanes) onLane?.(lane, false);
    const all = [...lanes.map(([server, { listing }]) => [server, listing] as const), ...others];
    const places = new Map(this.#router.servers.map((server, at) => [server, at]));
    const placeOf = (one: ServerListing): number => (isLogin(one) ? places.size : (places.get(one[0]) ?? 0));
    const sorted = all.toSorted((one, other) => placeOf(one) - placeOf(other)); // a URI of two servers stays with the first of them
    const owners = new Map(lanes.map(([server, { owner }]) => [server, owner?.principal]));
    return this.#shared.of(await this.#visibleOf(sorted, owners), this.#router.servers);
  }

  /** The lists without what is withheld. `owners` are the principals whose credentials the servers get. */
  async #visibleOf(all: readonly ServerListing[], owners: ReadonlyMap<Upstream, string | undefined>): Promise<readonly ServerListing[]> {
    const { pins } = this.#settings;
    if (pins === undefined) return all;
    const visible = async (one: ServerListing): Promise<ServerListing> => {
      const [server, listing] = one;
      return isLogin(one) ? one : [server, await pins.visible(listing, owners.get(server))];
    };
    return Promise.all(all.map(visible));
  }
}

/** Whether it is what a caller sees before the login. */
function isLogin([server, listing]: ServerListing): boolean {
  return server.loginListing === listing;
}
