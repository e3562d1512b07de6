/** The lane of a caller that is open already, and what else is asked of a server for a caller whose credentials may not be known. */
import type { Caller } from "../clients/caller.ts";
import type { Lane } from "./lane.ts";
import type { Upstream } from "./upstream.ts";

export function openLaneOf(server: Upstream, caller: Caller): Lane | undefined {
  return unlessUnknown(() => server.openLane(caller));
}

/** Undefined for a caller whose credentials are not known, which is reported when its connection is opened. */
export function unlessUnknown<T>(find: () => T | undefined): T | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}
