/** The options of HTTP on Node by name, for the check of what users pass. */
import type { OptionKeys } from "../../base/known-options.ts";
import { httpLimitKeys, httpOptionKeys } from "../../server/http/option-keys.ts";
import type { NodeHttpOptions, ServeHttpOptions } from "./http-endpoint.ts";

export function nodeHttpOptionKeys(): OptionKeys<NodeHttpOptions> {
  return { ...httpOptionKeys(), clientAddress: 1, limits: { ...httpLimitKeys(), minBodyRate: 1 } };
}

export function serveHttpOptionKeys(): OptionKeys<ServeHttpOptions> {
  const timeouts = { headers: 1, request: 1, keepAlive: 1 } as const;
  const place = { port: 1, host: 1, socket: 1, socketMode: 1, path: 1 } as const;
  return { ...nodeHttpOptionKeys(), ...place, auth: 1, handle: 1, health: 1, drainDelay: 1, workers: 1, timeouts };
}
