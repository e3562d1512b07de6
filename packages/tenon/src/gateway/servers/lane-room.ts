/**
 * Makes room for a new lane of a server: how many lanes there may be, and how many of them one caller may hold.
 *
 * A caller may hold as many as are left for the others. So one caller alone gets half of them, and each further caller still finds some:
 * sessions that a caller has abandoned cannot use up a server. Lanes that nothing uses are closed first. No lane in use is ever closed.
 */
import type { McpError } from "../../jsonrpc/mcp-error.ts";
import type { Lane, LaneKey } from "./lane.ts";
import { unavailableError } from "./unavailable.ts";

/** Most lanes of one owner, which differ in what the client can do. */
const MAX_LANES_OF_OWNER = 4;

interface WantedLane {
  readonly key: LaneKey;
  /** Whose share it would use; undefined for a lane that counts for no caller. */
  readonly holder: string | undefined;
}

interface RoomLimit {
  readonly server: string;
  readonly limit: "maxConnections" | "maxProcesses";
  readonly max: number;
}

/** Closes an unused lane if the new one would be one too many. @throws McpError -32603 if there is none that may be closed */
export function makeRoom(lanes: ReadonlyMap<string, Lane>, { key, holder }: WantedLane, { server, limit, max }: RoomLimit): void {
  const busy = (why: string): McpError => unavailableError(server, "busy", why);
  const all = [...lanes.values()];
  const ofOwner = all.filter(({ use, isStateless }) => use.key.owner === key.owner && isStateless !== true);
  // An owner has a lane for each set of abilities it declares, which it can vary at will.
  if (ofOwner.length >= MAX_LANES_OF_OWNER) {
    const most = `${MAX_LANES_OF_OWNER} connections`;
    return closeUnused(ofOwner, () => busy(`the caller uses ${most} to it, each with other capabilities`));
  }
  const own = holder === undefined ? [] : all.filter((lane) => lane.use.holder === holder && !isForMany(lane));
  const left = max - own.length - all.filter((lane) => !isUnused(lane) && !own.includes(lane)).length;
  if (own.length > 0 && own.length >= left) {
    const held = `the caller uses ${own.length} of its ${max} connections, and may not use more than are left for others`;
    return closeUnused(own, () => busy(`${held} (limit "${limit}")`));
  }
  if (all.length >= max) closeUnused(all, () => busy(`all of its ${max} connections are in use (limit "${limit}")`));
}

/** Closes the lane that was unused for the longest time. @throws what `refusal` makes, if all are used */
function closeUnused(lanes: readonly Lane[], refusal: () => McpError): void {
  const [longest] = lanes.filter(isUnused).sort((one, other) => one.lifetime.restedAt - other.lifetime.restedAt);
  if (longest === undefined) throw refusal();
  void longest.close();
}

/** Whether callers of any kind share it. A lane with settings of extensions is there for the caller that chose them. */
function isForMany({ isShared, profile }: Lane): boolean {
  return isShared && profile.capabilities.extensions === undefined;
}

function isUnused(lane: Lane): boolean {
  return lane.lifetime.isIdle && lane.isOpen;
}
