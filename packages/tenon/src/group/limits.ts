/** The limits and times of a group, with their defaults. */
import { withPresets, type NumberTable } from "../base/number-options.ts";
import { LIST_LIMITS, type ListLimits } from "../upstream/listing.ts";

/** Limits of a group. A server that offers more is refused with `LimitExceededError`; the others are not affected. */
export interface GroupLimits extends ListLimits {
  /** Most servers in the group, including those that are down. Default 64. */
  maxServers: number;
}

/** The times of a group, in ms. */
export interface GroupTimes {
  /**
   * Milliseconds {@link ClientSessionGroup.connect} waits for servers that have neither connected nor failed. Default 1 500;
   * `Infinity` waits for every server, as {@link ClientSessionGroup.settled} does. Servers that connect later join later.
   */
  readyTimeout: number;
  /**
   * Milliseconds a server has to connect and list its components, and to list them again after a change. Default 30 000. A server
   * with `auth` gets five minutes more to connect, because a user may have to log in; a program gets `timeouts.start` more (60 000 by
   * default), because it may have to be downloaded.
   */
  connectTimeout: number;
}

/** The limits of a group: their names, their defaults and the least of each. */
export const GROUP_LIMITS: NumberTable<GroupLimits> = { maxServers: [64, 1], ...LIST_LIMITS };
const GROUP_TIMES: NumberTable<GroupTimes> = { readyTimeout: [1_500, 0, "ms"], connectTimeout: [30_000, 0, "ms"] };

/** @throws RangeError if a limit is out of range */
export function groupLimits(given?: Partial<GroupLimits>): GroupLimits {
  return withPresets(GROUP_LIMITS, given, "limits");
}

/** @throws RangeError if a time is out of range */
export function groupTimes(given: Partial<GroupTimes>): GroupTimes {
  return withPresets(GROUP_TIMES, given);
}
