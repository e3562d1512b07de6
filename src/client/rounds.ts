/**
 * Calls that are answered with questions: answers them by the callbacks of the client and calls again.
 *
 * Each round is a request of its own, with its own time limit: what a person takes to answer counts against none. The
 * requests of all rounds together get `maxTotalTimeout`.
 */
import { isPromise, type MaybePromise } from "../jsonrpc/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { InputRequiredResult } from "../protocol/input-required.ts";
import { systemClock } from "../dispatch/clock.ts";
import { assertAtLeast, withDefaults } from "../dispatch/limits.ts";
import type { Middleware } from "../session/handler.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import type { ClientSession } from "./client-session.ts";

const DEFAULT_ROUNDS = 10;

let loading: Promise<typeof import("./call-rounds.ts")> | undefined;

/** The middleware that answers. It is outermost, so that every round goes through all others. @throws RangeError */
export function answerRounds(session: ClientSession, report: (error: unknown) => void): Middleware<OutgoingRequest> {
  const { link, options } = session;
  const { maxRounds = DEFAULT_ROUNDS, clock = systemClock } = options;
  assertAtLeast("maxRounds", maxRounds, 0);
  const limits = withDefaults(options);
  return (next) => {
    const check = (request: OutgoingRequest, result: JsonObject, began: number): MaybePromise<JsonObject> => {
      if (result["resultType"] !== "input_required" || maxRounds === 0) return result;
      const { timeout = limits.timeout, maxTotalTimeout = Math.max(limits.maxTotalTimeout, timeout) } = request.options;
      const spent = clock.now() - began;
      const bounds = { clock, maxRounds, maxTotalTimeout, report };
      const asking = result as InputRequiredResult; // checked by the codec
      loading ??= import("./call-rounds.ts");
      return loading.then(({ CallRounds }) => new CallRounds(session, request, next, bounds).run(asking, spent));
    };
    return (request) => {
      if (!link.codec.stateless) return next(request);
      const began = clock.now();
      const result = next(request);
      return isPromise(result) ? result.then((value) => check(request, value, began)) : check(request, result, began);
    };
  };
}
