/** The limits and times of a group, with their defaults. */
import { assertAtLeast, assertDuration } from "../dispatch/limits.ts";
import { DEFAULT_LIST_LIMITS, type ListLimits } from "../upstream/listing.ts";

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

const DEFAULT_LIMITS: GroupLimits = { maxServers: 64, ...DEFAULT_LIST_LIMITS };
const DEFAULT_TIMES: GroupTimes = { readyTimeout: 1_500, connectTimeout: 30_000 };

/** @throws RangeError if a limit is out of range */
export function groupLimits(given: Partial<GroupLimits> = {}): GroupLimits {
  const limits = { ...DEFAULT_LIMITS };
  for (const name of Object.keys(DEFAULT_LIMITS) as (keyof GroupLimits)[]) {
    const value = given[name] ?? limits[name];
    assertAtLeast(`limits.${name}`, value, 1);
    limits[name] = value;
  }
  return limits;
}

/** @throws RangeError if a time is out of range */
export function groupTimes(given: Partial<GroupTimes>): GroupTimes {
  const times = { ...DEFAULT_TIMES };
  for (const name of Object.keys(DEFAULT_TIMES) as (keyof GroupTimes)[]) times[name] = assertDuration(name, given[name] ?? times[name]);
  return times;
}
