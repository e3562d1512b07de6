/** Makes what the servers of a group share, of the options of the group and the parts it has. */
import { systemClock } from "../base/clock.ts";
import { defaultJsonSchemaValidator } from "../schema/json-schema-validator.ts";
import type { Catalog } from "./catalog/catalog.ts";
import type { GroupEvents } from "./events.ts";
import type { Host } from "./host.ts";
import { groupTimes, type GroupLimits } from "./limits.ts";
import type { Member } from "./servers/group-server.ts";
import type { Members } from "./servers/group-servers.ts";
import { defaultNameHook } from "./catalog/naming.ts";
import type { GroupOptions } from "./options.ts";
import { Pins } from "./catalog/tool-pins.ts";

interface GroupParts {
  readonly limits: GroupLimits;
  readonly members: Members;
  readonly catalog: Catalog<Member>;
  readonly events: GroupEvents;
}

/** @throws RangeError for a time that is none */
export function createHost(options: GroupOptions, { limits, members, catalog, events }: GroupParts): Host<Member> {
  const { nameHook = defaultNameHook, clock = systemClock, validator = defaultJsonSchemaValidator, pinTools = false } = options;
  return {
    options,
    limits,
    times: groupTimes(options),
    clock,
    validator,
    nameHook,
    catalog,
    pins: pinTools === false ? undefined : new Pins(pinTools === true ? [] : pinTools),
    nameAfter: (info, member) => members.nameAfter(info, member),
    joined: (session, member) => members.joined(session, member),
    namesFreed: (by) => {
      for (const member of members.byName.values()) if (member !== by) member.namesFreed();
    },
    emit: (change) => events.emit(change),
    report: (error, server) => events.report(error, server),
  };
}
