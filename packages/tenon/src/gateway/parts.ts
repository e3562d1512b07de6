/** The parts of a gateway that its methods and its settings share, made from the options. */
import { Audit } from "./audit.ts";
import type { JoinedEntry } from "./catalog/joined-entry.ts";
import { countLists } from "./catalog/held-lists.ts";
import { Access } from "./catalog/access.ts";
import { Forwarder } from "./forward.ts";
import { Fronts } from "./clients/fronts.ts";
import { GatewayLogins } from "./login/gateway-logins.ts";
import type { GatewayOptions } from "./options.ts";
import { settingsOf, unknownServersIn, type Settings } from "./settings.ts";
import { Router } from "./router.ts";
import { GatewaySpill } from "./spilling.ts";
import { ToolSearch } from "../search/tool-search.ts";
import { States } from "./asking/states.ts";
import { HeldRoom } from "./asking/held-room.ts";
import { SuspendedCalls } from "./asking/suspended-calls.ts";
import { TaskBridge } from "./tasks/task-bridge.ts";
import { TaskHandles } from "./tasks/task-handles.ts";
import { DrainingServers } from "./servers/draining.ts";
import { Upstream } from "./servers/upstream.ts";

/** The parts of one gateway. Optional parts belong to options. */
export interface GatewayParts {
  readonly settings: Settings;
  readonly router: Router;
  readonly access: Access;
  readonly draining: DrainingServers;
  readonly fronts: Fronts;
  readonly forwarder: Forwarder;
  readonly suspended: SuspendedCalls;
  readonly bridge: TaskBridge;
  readonly handles: TaskHandles;
  readonly taskCursors: TaskHandles;
  readonly logins: GatewayLogins;
  readonly search: ToolSearch<JoinedEntry<Upstream>> | undefined;
  readonly spill: GatewaySpill | undefined;
  readonly audit: Audit | undefined;
}

/** @throws as {@link createGateway} */
export function createParts(options: GatewayOptions): GatewayParts {
  const settings = settingsOf(options);
  const { clock, stateTtl: ttl, search, info } = settings;
  const router = new Router(settings);
  countLists(router);
  router.replace(Object.entries(options.servers).map(([name, entry]) => new Upstream(name, entry, settings)));
  for (const error of unknownServersIn(options)) settings.report(error, {});
  const keys = options.requestState?.keys;
  const states = new States({ keys, audience: info.name, ttl, clock });
  const room = new HeldRoom(settings.limits.maxHeld);
  const suspended = new SuspendedCalls(settings, states, room);
  const bridge = new TaskBridge(settings, room);
  const handles = new TaskHandles(keys, info.name);
  const fronts = new Fronts(settings, handles);
  const draining = new DrainingServers(settings);
  return {
    settings,
    router,
    access: new Access(settings),
    draining,
    fronts,
    forwarder: new Forwarder(settings, states, { suspended, bridge }),
    suspended,
    bridge,
    handles,
    taskCursors: new TaskHandles(keys, info.name, "page"),
    logins: new GatewayLogins(options, { settings, router, draining, fronts, states }),
    search: search && new ToolSearch(search),
    spill: settings.spill && new GatewaySpill(settings.spill, { settings, router, fronts }),
    audit: options.audit && new Audit(options.audit, clock, (error) => settings.report(error, {})),
  };
}
