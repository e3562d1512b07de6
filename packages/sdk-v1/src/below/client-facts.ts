/**
 * Who the client is: an official `Server` remembers the client of its one connection, and asks for it in each handler.
 *
 * Below it may be many clients, and clients without a handshake: while a handler of theirs runs, it is the client of that request.
 */
import { ClientCapabilitiesSchema } from "mcp-sdk-v1/types.js";
import type { RequestContext } from "tenon/server";
import type { OfficialParts } from "./official-parts.ts";

type Facts = Pick<OfficialParts, "_clientCapabilities" | "_clientVersion">;

/** Makes the client of an official server the client of `current()` while that is a request. */
export function withClientOf(official: OfficialParts, current: () => RequestContext | undefined): void {
  const remembered: Facts = { _clientCapabilities: undefined, _clientVersion: undefined };
  const facts = {
    _clientCapabilities: ({ client }) => ClientCapabilitiesSchema.parse(client.capabilities), // it also completes older forms
    _clientVersion: ({ client }) => client.info as Facts["_clientVersion"], // the same, with lists that are read-only
  } satisfies { [name in keyof Facts]: (context: RequestContext) => Facts[name] };
  for (const name of ["_clientCapabilities", "_clientVersion"] as const)
    Object.defineProperty(official, name, {
      get: () => {
        const context = current();
        return context === undefined ? remembered[name] : facts[name](context);
      },
      set: (value: never) => {
        remembered[name] = value;
      },
    });
}
