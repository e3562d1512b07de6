/** Joins a client session with the extensions in use. */
import { systemClock, type Clock } from "../base/clock.ts";
import type { ClientExtensions, ClientHost, Extension } from "../session/extension.ts";
import type { Answerer } from "./answer/answers.ts";
import type { ServerConnection } from "./connection.ts";
import type { Inbox } from "./inbox.ts";

/** What extensions are given of a session. */
interface ExtendedSession extends Pick<ClientHost, "ended" | "request" | "notify"> {
  readonly connection: ServerConnection;
  readonly inbox: Inbox;
  readonly answers: Answerer;
  readonly options: { readonly clock?: Clock };
}

/** All extensions as one. @param extensions at least one */
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
    ended,
    // The handshake, which is still to come, settles these three.
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
