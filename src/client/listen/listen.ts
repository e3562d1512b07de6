/** Opens a {@link ChangeStream}, in the way of the revision that was agreed on. */
import { systemClock } from "../../base/clock.ts";
import { withDefaults } from "../../dispatch/limits.ts";
import type { ChangeStream, ListenFilter, ListenOptions } from "./changes.ts";
import type { ClientSession } from "../session.ts";
import { listenStateful } from "./stateful.ts";
import { listenStateless } from "./stateless.ts";
import type { Listening } from "./listening.ts";
import { Watches } from "./watches.ts";

/**
 * How changes are watched for on a session. What it returns resolves once the server watches.
 * @throws McpError where it does not
 */
export function listenOn(session: ClientSession): (filter: ListenFilter, options?: ListenOptions) => Promise<ChangeStream> {
  const { link, inbox, ended, options } = session;
  let streams = 0;
  const request: Listening["request"] = (method, params, callOptions) => session.request(method, params, callOptions);
  const client: Listening = {
    inbox,
    ended,
    request,
    watches: new Watches(request),
    nextStreamId: () => `listen-${++streams}`,
    timeout: withDefaults(options).timeout,
    heldUntil: link.dispatcher.heldUntil,
    clock: options.clock ?? systemClock,
  };
  return async (filter, { signal } = {}) => {
    signal?.throwIfAborted();
    return link.codec.stateless ? listenStateless(client, filter, signal) : listenStateful(client, filter, signal);
  };
}
