/** Attaches the extensions in use to a client session. */
import { systemClock, type Clock } from "../base/clock.ts";
import { clientLimits, withDefaults, type ConnectionLimits } from "../dispatch/limits.ts";
import type { ClientExtensions, ClientHost, Extension } from "../session/extension.ts";
import type { Answerer } from "./answer/answers.ts";
import type { ServerConnection } from "./connection.ts";
import type { Inbox } from "./inbox.ts";

interface ExtendedSession extends Pick<ClientHost, "ended" | "request" | "notify"> {
  readonly connection: ServerConnection;
  readonly inbox: Inbox;
  readonly answers: Answerer;
  readonly options: { readonly clock?: Clock; readonly limits?: Partial<ConnectionLimits> };
}

/** Joins all extensions into one. @param extensions at least one */
export function attachExtensions(
  session: ExtendedSession,
  extensions: readonly Extension[],
  report: (error: unknown) => void,
): ClientExtensions {
  const host = hostOf(session, report);
  let attached: ClientExtensions | undefined;
  for (const extension of extensions) attached = extension.attach(host, attached);
  return attached!;
}

function hostOf(session: ExtendedSession, report: (error: unknown) => void): ClientHost {
  const { connection, inbox, answers, options, ended } = session;
  return {
    clock: options.clock ?? systemClock,
    maxInFlight: withDefaults({ limits: clientLimits(options.limits) }).maxInFlight,
    ended,
    reading: connection.reading,
    // These three change with the handshake, so they are read late.
    get codec() {
      return connection.codec;
    },
    get identity() {
      return connection.identity;
    },
    get serverCapabilities() {
      return connection.server.capabilities;
    },
    request: (method, params, requestOptions) => session.request(method, params, requestOptions),
    notify: (method, params) => session.notify(method, params),
    answer: async (question, context) => answers.answerQuestion(question, context),
    subscribe: (listener) => inbox.subscribe(listener),
    report,
  };
}
