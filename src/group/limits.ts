/** The numbers that bound a group, with their defaults. */
import { assertAtLeast, assertDuration } from "../dispatch/limits.ts";

/** What bounds a group. A server that offers more is refused with `LimitExceededError`; the others go on. */
export interface GroupLimits {
  /** Servers in the group, those that are down included. Default 64. */
  maxServers: number;
  /** Tools of one server. Default 1 000. A server with more is refused, as with the limits below. */
  maxTools: number;
  /** Prompts, resources, and resource templates of one server: this many of each. Default 10 000. */
  maxListItems: number;
  /** Characters of JSON of everything one server lists, descriptions and schemas included. Default 4 Mi. */
  maxDefinitionSize: number;
}

/** The times of a group, in ms. */
export interface GroupTimes {
  /**
   * Milliseconds {@link ClientSessionGroup.connect} waits for servers that have neither connected nor failed. Default 1 500;
   * `Infinity` waits for every one, as {@link ClientSessionGroup.settled} does. What connects later joins then.
   */
  readyTimeout: number;
  /**
   * Milliseconds a server has to connect and to list what it offers, and to list it again after a change. Default 30 000;
   * one with `auth` has five minutes more to connect, for a user may have to log in.
   */
  connectTimeout: number;
}

const DEFAULT_LIMITS: GroupLimits = { maxServers: 64, maxTools: 1_000, maxListItems: 10_000, maxDefinitionSize: 4 * 1024 * 1024 };
const DEFAULT_TIMES: GroupTimes = { readyTimeout: 1_500, connectTimeout: 30_000 };

/** @throws RangeError for a limit that is none */
export function groupLimits(given: Partial<GroupLimits> = {}): GroupLimits {
  const limits = { ...DEFAULT_LIMITS };
  for (const name of Object.keys(DEFAULT_LIMITS) as (keyof GroupLimits)[]) {
    const value = given[name] ?? limits[name];
    assertAtLeast(`limits.${name}`, value, 1);
    limits[name] = value;
  }
  return limits;
}

/** @throws RangeError for a time that is none */
export function groupTimes(given: Partial<GroupTimes>): GroupTimes {
  const times = { ...DEFAULT_TIMES };
  for (const name of Object.keys(DEFAULT_TIMES) as (keyof GroupTimes)[]) times[name] = assertDuration(name, given[name] ?? times[name]);
  return times;
}
