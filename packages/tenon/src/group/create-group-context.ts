/** Creates the context that the servers of a group share, from the options and the parts of the group. */
import { systemClock } from "../base/clock.ts";
import { defaultJsonSchemaValidator } from "../schema/json-schema-validator.ts";
import type { Catalog } from "./catalog/catalog.ts";
import type { GroupEvents } from "./group-events.ts";
import type { GroupContext } from "./group-context.ts";
import { groupTimes, type GroupLimits, type GroupOptions } from "./options.ts";
import type { GroupServer } from "./servers/group-server.ts";
import type { GroupServers } from "./servers/group-servers.ts";
import { defaultNameHook } from "./catalog/naming.ts";
import { ToldRoots } from "./told-roots.ts";
import { Pins } from "./catalog/pins.ts";

interface GroupParts {
  readonly limits: GroupLimits;
  readonly servers: GroupServers;
  readonly catalog: Catalog<GroupServer>;
  readonly events: GroupEvents;
}

/** @throws RangeError if a time is out of range */
export function createGroupContext(options: GroupOptions, { limits, servers, catalog, events }: GroupParts): GroupContext<GroupServer> {
  const { nameHook = defaultNameHook, clock = systemClock, validator = defaultJsonSchemaValidator, pinTools = false } = options;
  return {
    options,
    limits,
    times: groupTimes(options),
    clock,
    validator,
    nameHook,
    catalog,
    toldRoots: new ToldRoots(),
    pins: pinTools === false ? undefined : new Pins(pinTools === true ? [] : pinTools),
    nameAfter: (info, server) => servers.nameAfter(info, server),
    joined: (session, server) => servers.joined(session, server),
    namesFreed: (by) => {
      for (const server of servers.byName.values()) if (server !== by) server.namesFreed();
    },
    emit: (change) => events.emit(change),
    report: (error, server) => events.report(error, server),
  };
}
