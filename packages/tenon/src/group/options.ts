/** The options of a group: how it connects to its servers, its callbacks, and its limits. */
import type { ConnectOptions } from "../client/options.ts";
import type { ClientLimits } from "../client/session-options.ts";
import type { ServerOptions } from "../upstream/options.ts";
import type { GroupListeners } from "./group-events.ts";
import type { GroupLimits, GroupTimes } from "./limits.ts";
import type { NameHook } from "./catalog/naming.ts";
import type { ToolPins } from "./catalog/pins.ts";

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
