/** Joins a client session with its extensions. Loaded where there are any. */
import { systemClock } from "../base/clock.ts";
import type { ClientExtensions, ClientHost, Extension } from "../session/extension.ts";
import { answerQuestion } from "./answer/answers.ts";
import type { ClientSession } from "./session.ts";

/** @param extensions at least one */
export function attachExtensions(
  session: ClientSession,
  extensions: readonly Extension[],
  report: (error: unknown) => void,
): ClientExtensions {
  const host = hostOf(session, report);
  let attached: ClientExtensions | undefined;
  for (const extension of extensions) attached = extension.attach(host, attached);
  return attached!;
}

function hostOf(session: ClientSession, report: (error: unknown) => void): ClientHost {
  const { link, inbox, options, ended } = session;
  return {
    clock: options.clock ?? systemClock,
    ended,
    // Both are settled by the handshake, which is still to come.
    get codec() {
      return link.codec;
    },
    get identity() {
      return link.identity;
    },
    get serverCapabilities() {
      return link.server.capabilities;
    },
    request: (method, params, requestOptions) => session.request(method, params, requestOptions),
    notify: (method, params) => session.notify(method, params),
    answer: async (question, context) => answerQuestion(session, question, context),
    subscribe: (listener) => inbox.subscribe(listener),
    report,
  };
}
