/**
 * Calls that are answered with questions, or refused until a page was visited: answers by the callbacks of the client and
 * calls again.
 *
 * Each round is a request of its own, with its own time limit: what a person takes to answer counts against none. The
 * requests of all rounds together get `maxTotalTimeout`.
 */
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { UrlElicitationRequiredError } from "../../protocol/errors.ts";
import type { InputRequiredResult } from "../../protocol/input-required.ts";
import { methodsWith } from "../../protocol/methods.ts";
import { systemClock } from "../../base/clock.ts";
import { assertAtLeast, assertDuration, withDefaults, type DispatcherLimits } from "../../dispatch/limits.ts";
import type { Handler, Middleware } from "../../session/handler.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import type { ClientSession } from "../session.ts";
import { callNested } from "../answer/nesting.ts";
import type { VisitBounds } from "./page-visits.ts";

/** Calls that are worth making again once a page was visited; the result of a task, say, stays what it is. */
const ASKING: ReadonlySet<string> = /* @__PURE__ */ methodsWith("mayAsk");
const DEFAULT_ROUNDS = 10;
const DEFAULT_VISIT = 600_000;

let loading: Promise<typeof import("./call-rounds.ts")> | undefined;

/** The middleware that answers. It is outermost, so that every round goes through all others. @throws RangeError */
export function answerRounds(session: ClientSession, report: (error: unknown) => void): Middleware<OutgoingRequest> {
  assertAtLeast("maxDepth", session.options.maxDepth ?? 1, 1);
  const { maxRounds = DEFAULT_ROUNDS, visitTimeout = DEFAULT_VISIT, clock = systemClock } = session.options;
  assertAtLeast("maxRounds", maxRounds, 0);
  assertDuration("visitTimeout", visitTimeout);
  const limits = withDefaults(session.options);
  return (next) => new Rounds(session, next, limits, { clock, maxRounds, visitTimeout, report }).send;
}

/** What is the same for all calls. */
type Settings = Omit<VisitBounds, "maxTotalTimeout">;

class Rounds {
  readonly #session: ClientSession;
  readonly #next: Handler<OutgoingRequest>;
  readonly #limits: DispatcherLimits;
  readonly #settings: Settings;

  constructor(session: ClientSession, next: Handler<OutgoingRequest>, limits: DispatcherLimits, settings: Settings) {
    this.#session = session;
    this.#next = next;
    this.#limits = limits;
    this.#settings = settings;
  }

  readonly send = (request: OutgoingRequest): MaybePromise<JsonObject> => callNested(this.#session, () => this.#send(request));

  #send(request: OutgoingRequest): MaybePromise<JsonObject> {
    const { codec, identity } = this.#session.link;
    const { clock, maxRounds } = this.#settings;
    if (maxRounds === 0 || (!codec.stateless && identity.capabilities.elicitation?.url === undefined)) return this.#next(request);
    const began = clock.now();
    const result = this.#next(request);
    if (codec.stateless)
      return isPromise(result) ? result.then((value) => this.#check(request, value, began)) : this.#check(request, result, began);
    return isPromise(result) && ASKING.has(request.method)
      ? result.catch((error: unknown) => this.#refused(request, error, began))
      : result;
  }

  #boundsOf({ options }: OutgoingRequest): VisitBounds {
    const { timeout = this.#limits.timeout, maxTotalTimeout = Math.max(this.#limits.maxTotalTimeout, timeout) } = options;
    return { ...this.#settings, maxTotalTimeout };
  }

  /** A result may be questions. */
  #check(request: OutgoingRequest, result: JsonObject, began: number): MaybePromise<JsonObject> {
    if (result["resultType"] !== "input_required") return result;
    const spent = this.#settings.clock.now() - began;
    const asking = result as InputRequiredResult; // checked by the codec
    loading ??= import("./call-rounds.ts");
    return loading.then(({ CallRounds }) => new CallRounds(this.#session, request, this.#next, this.#boundsOf(request)).run(asking, spent));
  }

  /** Pages may have to be visited first (-32042). */
  async #refused(request: OutgoingRequest, error: unknown, began: number): Promise<JsonObject> {
    if (!(error instanceof UrlElicitationRequiredError)) throw error;
    const spent = this.#settings.clock.now() - began;
    const { PageVisits } = await import("./page-visits.ts");
    return new PageVisits(this.#session, request, this.#next, this.#boundsOf(request)).run(error, spent);
  }
}
