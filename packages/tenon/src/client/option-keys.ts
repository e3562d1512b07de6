/** The options of a client by name, for the check of what users pass. */
import type { OptionKeys, Replacements } from "../base/known-options.ts";
import type { ConnectOptions } from "./options.ts";
import { sessionOptionKeys } from "./session-options.ts";

export function connectOptionKeys(): OptionKeys<ConnectOptions> {
  return {
    ...sessionOptionKeys(),
    revision: 1,
    probeTimeout: 1,
    signal: 1,
    auth: 1,
    raiseExceptions: 1,
    cacheResponses: 1,
    discover: { allow: 1 },
  };
}

const OF_TARGET = "It belongs to the target: connect({ url, … }).";
/** What belongs to the server that is connected to. */
export const OF_A_TARGET: Replacements = { headers: OF_TARGET, fetch: OF_TARGET };
