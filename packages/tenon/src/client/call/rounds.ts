/**
 * Prepares the next round of a call: gets what the server asks for, and makes the request to send next.
 *
 * Each round is a request with its own time limit, and no limit counts the time that a user takes to answer. A round that
 * asks nothing continues the time of the round before it. `maxTotalTimeout` bounds the requests of all rounds and the
 * pauses between them. The pipeline decides whether there is another round.
 */
import { sleep, type Clock } from "../../base/clock.ts";
import { waits, type Waits } from "../../base/waits.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { RequestTimeoutError } from "../../jsonrpc/mcp-error.ts";
import { UrlElicitationRequiredError } from "../../protocol/errors.ts";
import type { InputRequiredResult } from "../../protocol/input-required.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import { visitPages } from "./page-visits.ts";
import { answerQuestions, type RoundHost } from "./questions.ts";

/** Milliseconds before a call without questions is sent again. */
const PAUSES = { first: 50, longest: 5_000, jitter: 0 };

/** What the server asks for before it gives a result: answers, or that the user visits pages (-32042, 2025-11-25). */
export type Demand = InputRequiredResult | UrlElicitationRequiredError;

interface CallSoFar {
  /** The request as the caller made it. */
  readonly request: OutgoingRequest;
  readonly time: CallTime;
}

/** Counts the time of one call over its rounds: its requests and the pauses between them. All in milliseconds. */
export class CallTime {
  readonly #timeout: number;
  readonly #maxTotalTimeout: number;
  #spent = 0;
  /** Time spent since the server last asked something. */
  #sinceAsked = 0;
  /** Made with the first pause: most calls have none. */
  #pauses: Waits | undefined;

  constructor({ timeout, maxTotalTimeout }: { readonly timeout: number; readonly maxTotalTimeout: number }) {
    this.#timeout = timeout;
    this.#maxTotalTimeout = maxTotalTimeout;
  }

  /** Adds the time of a request. A request that took longer than `timeout` had progress, so its time starts anew. */
  requested(ms: number): void {
    this.paused(ms);
    if (this.#sinceAsked > this.#timeout) this.#sinceAsked = 0;
  }

  paused(ms: number): void {
    this.#spent += ms;
    this.#sinceAsked += ms;
  }

  /** Milliseconds to pause before the next round: longer each time, but not longer than the call may take. */
  nextPause(): number {
    return Math.max(0, Math.min((this.#pauses ??= waits(PAUSES)).next(), this.left));
  }

  /** Starts the time anew, because the server asked something and got it. */
  asked(): void {
    this.#sinceAsked = 0;
  }

  /** Milliseconds left; 0 or less if the time is over. */
  get left(): number {
    return Math.min(this.#timeout - this.#sinceAsked, this.#maxTotalTimeout - this.#spent);
  }

  /** The limits of the next request. @throws RequestTimeoutError that names the option, if the time is over */
  limits(method: string): { timeout?: number; maxTotalTimeout: number } {
    if (this.#spent >= this.#maxTotalTimeout) throw new RequestTimeoutError(method, this.#maxTotalTimeout, "maxTotalTimeout");
    if (this.#sinceAsked > 0 && this.#sinceAsked >= this.#timeout) throw new RequestTimeoutError(method, this.#timeout);
    const maxTotalTimeout = this.#maxTotalTimeout - this.#spent;
    return this.#sinceAsked === 0 ? { maxTotalTimeout } : { maxTotalTimeout, timeout: this.#timeout - this.#sinceAsked };
  }
}

/** Resolves with the request of the next round. @throws RequestTimeoutError; McpError */
export async function nextRound(host: RoundHost, demand: Demand, soFar: CallSoFar): Promise<OutgoingRequest> {
  const { request, time } = soFar;
  const { method, signal } = request;
  let { params } = request;
  if (demand instanceof UrlElicitationRequiredError) await visitPages(host, request, demand);
  else params = await answeredParams(host, demand, soFar);
  if (demand instanceof UrlElicitationRequiredError || hasQuestions(demand)) time.asked();
  signal.throwIfAborted();
  const { requestId: _, ...options } = request.options;
  return { ...request, params, options: { ...options, ...time.limits(method) } };
}

/** The params of the call with the answers, and with the state of this result unchanged, if it has one. */
async function answeredParams(host: RoundHost, asking: InputRequiredResult, soFar: CallSoFar): Promise<JsonObject> {
  const { request } = soFar;
  const { inputResponses: _inputResponses, requestState: _requestState, ...params } = request.params;
  if (asking.requestState !== undefined) params["requestState"] = asking.requestState;
  if (asking.inputRequests !== undefined) params["inputResponses"] = await answerQuestions(host, request, asking);
  if (!hasQuestions(asking)) await pause(host.clock, soFar);
  return params;
}

function hasQuestions({ inputRequests = {} }: InputRequiredResult): boolean {
  return Object.keys(inputRequests).length > 0;
}

async function pause(clock: Clock, { request, time }: CallSoFar): Promise<void> {
  const began = clock.now();
  await sleep(clock, time.nextPause(), request.signal);
  time.paused(clock.now() - began);
}
