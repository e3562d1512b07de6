/**
 * Calls that are answered with questions: answers them by the callbacks of the client and calls again (H11–H16).
 *
 * Each round is a request of its own, with its own time limit: what a person takes to answer counts against none. The
 * requests of all rounds together get `maxTotalTimeout`.
 */
import { isPromise, type MaybePromise } from "../jsonrpc/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { ConnectionClosedError, LimitExceededError, McpError, RequestTimeoutError } from "../jsonrpc/mcp-error.ts";
import { MissingClientCapabilityError } from "../protocol/errors.ts";
import type { InputRequest, InputRequiredResult, InputResponse } from "../protocol/input-required.ts";
import { systemClock, type Clock } from "../dispatch/clock.ts";
import { withDefaults } from "../dispatch/limits.ts";
import { needsOf } from "../session/asking/question.ts";
import type { Handler, Middleware } from "../session/handler.ts";
import { supports } from "../session/supports.ts";
import { answerQuestion } from "./answering.ts";
import type { OutgoingRequest } from "./client.ts";
import { InputRequiredError } from "./errors.ts";
import type { ClientLink } from "./link.ts";
import type { ConnectOptions } from "./options.ts";
import { sleep } from "./sleep.ts";

const DEFAULT_ROUNDS = 10;
/** Milliseconds before a call without questions is sent again; twice as many each time (H13). */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 5_000;

type Next = Handler<OutgoingRequest>;

/** The middleware that answers. It is outermost, so that every round goes through all others. @throws RangeError */
export function answerRounds(
  link: ClientLink,
  options: ConnectOptions,
  report: (error: unknown) => void,
  ended: AbortSignal,
): Middleware<OutgoingRequest> {
  const { maxRounds = DEFAULT_ROUNDS, clock = systemClock } = options;
  if (!(maxRounds >= 0)) throw new RangeError(`Option "maxRounds" must be a number >= 0, not ${String(maxRounds)}`);
  const limits = withDefaults(options);
  return (next) => {
    const check = (request: OutgoingRequest, result: JsonObject, began: number): MaybePromise<JsonObject> => {
      if (result["resultType"] !== "input_required" || maxRounds === 0) return result;
      const { timeout = limits.timeout, maxTotalTimeout = Math.max(limits.maxTotalTimeout, timeout) } = request.options;
      const rounds = new CallRounds(link, options, request, next, { clock, maxRounds, maxTotalTimeout, report, ended });
      return rounds.run(result as InputRequiredResult, clock.now() - began); // checked by the codec
    };
    return (request) => {
      if (!link.codec.stateless) return next(request);
      const began = clock.now();
      const result = next(request);
      return isPromise(result) ? result.then((value) => check(request, value, began)) : check(request, result, began);
    };
  };
}

interface Bounds {
  readonly clock: Clock;
  readonly maxRounds: number;
  readonly maxTotalTimeout: number;
  readonly report: (error: unknown) => void;
  /** Aborts when the connection has ended. */
  readonly ended: AbortSignal;
}

/** The further rounds of one call. */
class CallRounds {
  readonly #link: ClientLink;
  readonly #options: ConnectOptions;
  readonly #request: OutgoingRequest;
  readonly #next: Next;
  readonly #bounds: Bounds;

  constructor(link: ClientLink, options: ConnectOptions, request: OutgoingRequest, next: Next, bounds: Bounds) {
    this.#link = link;
    this.#options = options;
    this.#request = request;
    this.#next = next;
    this.#bounds = bounds;
  }

  /** @param spent milliseconds the first round took */
  async run(first: InputRequiredResult, spent: number): Promise<JsonObject> {
    const { clock, maxRounds, maxTotalTimeout } = this.#bounds;
    const { method, signal } = this.#request;
    let asking = first;
    let pause = FIRST_PAUSE;
    for (let round = 1; round <= maxRounds; round++) {
      const inputResponses = asking.inputRequests && (await this.#answer(asking));
      if (inputResponses === undefined) {
        await sleep(clock, pause, signal);
        pause = Math.min(pause * 2, LONGEST_PAUSE);
      }
      signal.throwIfAborted();
      if (spent >= maxTotalTimeout) throw new RequestTimeoutError(method, maxTotalTimeout, "maxTotalTimeout");
      const began = clock.now();
      const result = await this.#next(this.#repeat(asking.requestState, inputResponses, maxTotalTimeout - spent));
      spent += clock.now() - began;
      if (result["resultType"] !== "input_required") return result;
      asking = result as InputRequiredResult; // checked by the codec
    }
    throw new LimitExceededError("maxRounds", maxRounds);
  }

  /** The same call with a new id: the state byte for byte, and none where there was none (H11). */
  #repeat(requestState: string | undefined, inputResponses: JsonObject | undefined, maxTotalTimeout: number): OutgoingRequest {
    const { inputResponses: _, requestState: __, ...params } = this.#request.params;
    const { requestId: ___, ...options } = this.#request.options;
    if (inputResponses !== undefined) params["inputResponses"] = inputResponses;
    if (requestState !== undefined) params["requestState"] = requestState;
    return { ...this.#request, params, options: { ...options, maxTotalTimeout } };
  }

  /** All answers of one round. The first question that cannot be answered ends the call, and the others with it (H15). */
  async #answer(asking: InputRequiredResult): Promise<{ [name: string]: InputResponse }> {
    const { method, signal } = this.#request;
    const questions = Object.entries(asking.inputRequests!);
    for (const [, question] of questions) this.#assertAnswerable(asking, question);
    const abort = new AbortController();
    const aborted = new Promise<never>((_resolve, reject) => {
      abort.signal.addEventListener("abort", () => reject(abort.signal.reason as Error), { once: true });
    });
    aborted.catch(() => undefined);
    const { ended } = this.#bounds;
    const onAbort = (): void => abort.abort(signal.aborted ? signal.reason : new ConnectionClosedError());
    signal.addEventListener("abort", onAbort, { once: true });
    ended.addEventListener("abort", onAbort, { once: true });
    try {
      signal.throwIfAborted();
      const answers = questions.map(async ([name, question]) => {
        const context = { requestId: name, meta: question.params?._meta, signal: abort.signal };
        return [name, await answerQuestion(this.#link, this.#options, question, context)] as const;
      });
      return Object.fromEntries(await Promise.race([Promise.all(answers), aborted]));
    } catch (error) {
      abort.abort(error);
      if (McpError.isMcpError(error) && error.cause !== undefined) this.#bounds.report(error);
      throw signal.aborted || ended.aborted ? error : new InputRequiredError(method, asking, { cause: error });
    } finally {
      signal.removeEventListener("abort", onAbort);
      ended.removeEventListener("abort", onAbort);
    }
  }

  #assertAnswerable(asking: InputRequiredResult, question: InputRequest): void {
    const needs = needsOf(question, false);
    if (supports(this.#link.identity.capabilities, needs)) return;
    throw new InputRequiredError(this.#request.method, asking, { cause: new MissingClientCapabilityError(needs) });
  }
}
