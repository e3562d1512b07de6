/** The options of a client by name, for the check of what users pass. */
import type { OptionKeys, Replacements } from "../base/known-options.ts";
import { CONNECTION_LIMITS } from "../dispatch/limits.ts";
import type { ConnectOptions } from "./options.ts";

/** The options of `connect()`. */
export function connectOptionKeys(): OptionKeys<ConnectOptions> {
  return {
    timeout: 1,
    maxTotalTimeout: 1,
    limits: { ...CONNECTION_LIMITS, maxRounds: 1, maxDepth: 1, maxListSize: 1 },
    clientInfo: 1,
    middleware: 1,
    visitTimeout: 1,
    experimental: 1,
    extensions: 1,
    logLevel: 1,
    onElicit: 1,
    elicitationModes: 1,
    elicitationSchemes: 1,
    onSample: 1,
    samplingCapabilities: 1,
    roots: 1,
    onLog: 1,
    onMessage: 1,
    onError: 1,
    validateOutput: 1,
    validator: 1,
    clock: 1,
    skipMalformedItems: 1,
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
