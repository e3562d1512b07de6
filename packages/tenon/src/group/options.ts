/** The options of a group: how it connects to its servers, its callbacks, and its limits; and their names, for the check of what users pass. */
import type { OptionKeys, Replacements } from "../base/known-options.ts";
import { withPresets, type NumberTable } from "../base/number-options.ts";
import type { ConnectOptions } from "../client/options.ts";
import type { ClientLimits } from "../client/session-options.ts";
import { LIST_LIMITS, type ListLimits } from "../upstream/listing.ts";
import { serverOptionKeys, type ServerOptions } from "../upstream/options.ts";
import type { GroupListeners } from "./group-events.ts";
import type { NameHook } from "./catalog/naming.ts";
import type { ToolPins } from "./catalog/pins.ts";

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

/** Options of a group. Options of a connection apply to each server that does not replace them. All times are in milliseconds. */
export interface GroupOptions
  extends Omit<ServerOptions, "auth" | "limits">, GroupListeners, Partial<GroupTimes>, Pick<ConnectOptions, "clock"> {
  /** What bounds the group, and each of its connections. Default: see each limit. */
  limits?: Partial<GroupLimits & ClientLimits>;
  /**
   * Names components in the group. Default: `server__tool` and `server__prompt`, at most 64 letters, digits, `_` and `-`;
   * `server__` before the URIs of resources and the templates of resource templates. `(name) => name` keeps names unchanged. If
   * two servers get the same name, the second is refused, whatever the hook.
   */
  nameHook?: NameHook;
  /**
   * Security: holds back tools, prompts, instructions and pages of views that have changed since they were approved. `true` approves what the
   * group sees first; the {@link ClientSessionGroup.toolPins} of an earlier group approve what that one saw. What is held back is not in the maps, and cannot be called or read
   * before {@link ClientSessionGroup.approve} or {@link ClientSessionGroup.approveTool}. Default false: changed definitions are accepted and
   * announced.
   */
  pinTools?: boolean | ToolPins;
  /**
   * A stack that closes the group's sessions too, such as an `AsyncDisposableStack`. The group defers each session to it, and
   * never disposes the stack.
   */
  stack?: { defer(dispose: () => Promise<void>): void };
}

/** The limits of a group: their names, their defaults and the least of each. */
const GROUP_LIMITS: NumberTable<GroupLimits> = { maxServers: [64, 1], ...LIST_LIMITS };
const GROUP_TIMES: NumberTable<GroupTimes> = { readyTimeout: [1_500, 0, "ms"], connectTimeout: [30_000, 0, "ms"] };

/** @throws RangeError if a limit is out of range */
export function groupLimits(options?: Partial<GroupLimits>): GroupLimits {
  return withPresets(GROUP_LIMITS, options, "limits");
}

/** @throws RangeError if a time is out of range */
export function groupTimes(options: Partial<GroupTimes>): GroupTimes {
  return withPresets(GROUP_TIMES, options);
}

export function groupOptionKeys(): OptionKeys<GroupOptions> {
  const { auth: _auth, limits, ...keys } = serverOptionKeys();
  return {
    ...keys,
    limits: { ...GROUP_LIMITS, ...Object(limits) },
    readyTimeout: 1,
    clock: 1,
    nameHook: 1,
    pinTools: 1,
    stack: 1,
    onServerError: 1,
    onChange: 1,
  };
}

const OF_A_SERVER = "It belongs to a server of the group: { name: { url, … } }.";
/** What a group has under another name, or a server of it. */
export const OF_GROUP: Replacements = {
  onError: 'Did you mean "onServerError"?',
  auth: OF_A_SERVER,
  headers: OF_A_SERVER,
  fetch: OF_A_SERVER,
};
