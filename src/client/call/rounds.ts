/**
 * One more round of a call: does what the server asks for, and makes the request to send next.
 *
 * Each round is a request of its own with its own time limit: what a person takes to answer counts against none. The
 * requests of all rounds together get `maxTotalTimeout`. The pipeline decides whether there is another round.
 */
import { sleep } from "../../base/clock.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { RequestTimeoutError } from "../../jsonrpc/mcp-error.ts";
import { UrlElicitationRequiredError } from "../../protocol/errors.ts";
import type { InputRequiredResult } from "../../protocol/input-required.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import { visitPages, type VisitHost } from "./page-visits.ts";
import { answerQuestions, type QuestionHost } from "./questions.ts";

/** Milliseconds before a call without questions is sent again; twice as many each time. */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 5_000;

/** What the server wants before it gives a result: answers, or that the user has been on pages (-32042, 2025-11-25). */
export type Demand = InputRequiredResult | UrlElicitationRequiredError;

/** What rounds need of the session. */
export type RoundHost = QuestionHost & VisitHost;

/** How far a call has come. */
interface CallSoFar {
  /** As its caller made it. */
  readonly request: OutgoingRequest;
  /** Rounds before this one; 0 for the first. */
  readonly round: number;
  /** Milliseconds that its requests have taken so far. */
  readonly spent: number;
  /** Milliseconds that they may take in all. */
  readonly maxTotalTimeout: number;
}

/** Resolves with the request that brings what was asked for. @throws RequestTimeoutError `maxTotalTimeout`; McpError */
export async function nextRound(host: RoundHost, demand: Demand, soFar: CallSoFar): Promise<OutgoingRequest> {
  const { request, spent, maxTotalTimeout } = soFar;
  const { method, signal } = request;
  let { params } = request;
  if (demand instanceof UrlElicitationRequiredError) await visitPages(host, request, demand);
  else params = await answeredParams(host, demand, soFar);
  signal.throwIfAborted();
  if (spent >= maxTotalTimeout) throw new RequestTimeoutError(method, maxTotalTimeout, "maxTotalTimeout");
  const { requestId: _, ...options } = request.options;
  return { ...request, params, options: { ...options, maxTotalTimeout: maxTotalTimeout - spent } };
}

/** The params of the call with the answers, and with the state of this result only: byte for byte, and none if it has none. */
async function answeredParams(host: RoundHost, asking: InputRequiredResult, { request, round }: CallSoFar): Promise<JsonObject> {
  const { inputResponses: _, requestState: __, ...params } = request.params;
  if (asking.requestState !== undefined) params["requestState"] = asking.requestState;
  if (asking.inputRequests !== undefined) params["inputResponses"] = await answerQuestions(host, request, asking);
  else await sleep(host.clock, Math.min(FIRST_PAUSE * 2 ** round, LONGEST_PAUSE), request.signal);
  return params;
}
