/** Opens streams of changes, as the agreed revision has them. */
import { assertKnown } from "../../base/known-options.ts";
import { systemClock } from "../../base/clock.ts";
import { reportTo } from "../../base/report-to.ts";
import { withDefaults } from "../../dispatch/limits.ts";
import { Pauses } from "../../dispatch/pauses.ts";
import type { ServerConnection } from "../connection.ts";
import type { Inbox } from "../inbox.ts";
import type { SessionOptions } from "../session-options.ts";
import type { ChangeStream } from "./change-stream.ts";
import { FILTER_KEYS, LISTEN_KEYS, type ListenFilter, type ListenOptions, type ServerChange } from "./changes.ts";
import { listenStateful, Watches } from "./stateful.ts";
import { listenStateless, type StatelessHost } from "./stateless.ts";

interface ListeningSession extends Pick<StatelessHost, "ended" | "request"> {
  readonly connection: ServerConnection;
  readonly inbox: Inbox;
  readonly options: Pick<SessionOptions<never>, "clock" | "timeout" | "onError">;
}

/**
 * What `client.listen` returns: a promise of the stream, and the changes themselves. `await` it if the server has to watch before you go on;
 * a `for await` loop needs no `await`.
 */
export interface Listening extends Promise<ChangeStream>, AsyncIterable<ServerChange> {}

/** Makes a promise of a stream iterable. The loop ends quietly if `signal` aborts, before the server watches as well. */
export function toListening(opening: Promise<ChangeStream>, signal: AbortSignal | undefined): Listening {
  async function* changes(): AsyncGenerator<ServerChange, void, undefined> {
    const stream = await opening.catch((error: unknown) => {
      if (signal?.aborted !== true) throw error;
    });
    if (stream !== undefined) yield* stream;
  }
  return Object.assign(opening, { [Symbol.asyncIterator]: changes });
}

/** Resolves with a stream of the changes once the server watches. @throws McpError if the server does not */
export type Listen = (filter: ListenFilter, options?: ListenOptions) => Promise<ChangeStream>;

/** Returns a function that listens on that session. Its streams share their subscriptions, so call it once for a session. */
export function listenOn(session: ListeningSession): Listen {
  const { connection, inbox, ended, options } = session;
  const clock = options.clock ?? systemClock;
  const request: StatelessHost["request"] = (method, params, callOptions) => session.request(method, params, callOptions);
  let streams = 0;
  const host = {
    inbox,
    ended,
    clock,
    request,
    report: (error: unknown) => reportTo(options.onError, error),
    watches: new Watches(request),
    nextStreamId: () => `listen-${++streams}`,
    timeout: withDefaults(options).timeout,
    pauses: connection.dispatcher.pauses ?? new Pauses(clock),
  };
  return async (filter, options = {}) => {
    assertKnown("listen()", filter, FILTER_KEYS);
    assertKnown("listen()", options, LISTEN_KEYS);
    const { signal } = options;
    signal?.throwIfAborted();
    return connection.codec.stateless ? listenStateless(host, filter, signal) : listenStateful(host, filter, signal);
  };
}
