/**
 * The rounds of a call: the one file that knows how both families of revisions ask.
 *
 * Stateless: opens the state the client brought, runs or resumes the handler, and where it asks answers with questions
 * and a new state. Stateful: questions given by hand are sent as requests, and the handler is run again with the answers.
 */
import { isPromise, type MaybePromise } from "../../jsonrpc/maybe-promise.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { ErrorCode, LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import { MissingClientCapabilityError, UrlElicitationRequiredError } from "../../protocol/errors.ts";
import type { InputRequests, InputResponses } from "../../protocol/input-required.ts";
import { METHODS } from "../../protocol/methods.ts";
import type { JsonSchemaValidator } from "../../schema/json-schema-validator.ts";
import type { Clock } from "../../dispatch/clock.ts";
import type { RequestContext } from "../request-context.ts";
import { supports } from "../supports.ts";
import { Journal } from "./journal.ts";
import { askNow, LiveAsks } from "./live-asks.ts";
import { canonicalJson, needsOf } from "./question.ts";
import { ReplayedAsks } from "./replayed-asks.ts";
import { RequestStates, type RequestStateOptions } from "./request-states.ts";
import { Suspended } from "./suspended.ts";

type Run = (context: RequestContext) => MaybePromise<JsonObject>;

/** Methods that may be answered with questions (H2). */
const ASKING: ReadonlySet<string> = new Set(METHODS.filter((row) => row.mayAsk).map((row) => row.method));
/** Rounds of one call: a handler that goes on asking asks for ever. */
const MAX_ROUNDS = 100;
/** Rounds by hand over a back-channel, where one request stays open for all of them. */
const MAX_LIVE_ROUNDS = 8;

export class Rounds {
  readonly validator: JsonSchemaValidator;
  readonly #states: RequestStates;
  readonly #suspended: Suspended;

  /** @param audience the server whose states they are @throws RangeError for an option that cannot be used */
  constructor(options: RequestStateOptions, audience: string, validator: JsonSchemaValidator, clock: Clock) {
    this.#states = new RequestStates(options, audience);
    this.#suspended = new Suspended(clock, options);
    this.validator = validator;
  }

  /** Cancels every handler that waits for its client. */
  close(): void {
    this.#suspended.close();
  }

  /** Runs the handler of a request. Costs next to nothing where it does not ask. */
  run(context: RequestContext, handler: Run): MaybePromise<JsonObject> {
    if (!ASKING.has(context.method)) return handler(context);
    context.rounds = this;
    if (!context.codec.stateless) {
      const result = handler(context);
      if (isPromise(result)) return result.then((value) => (asksByHand(value) ? this.#askLive(context, handler, value, 1) : value));
      return asksByHand(result) ? this.#askLive(context, handler, result, 1) : result;
    }
    const state = context.params["requestState"];
    return typeof state === "string" ? this.#goOn(context, handler, state) : this.#begin(context, handler, new Journal());
  }

  // ---- without a back-channel ----

  async #goOn(context: RequestContext, handler: Run, state: string): Promise<JsonObject> {
    const binding = bindingOf(context);
    const waiting = this.#suspended.take(state, binding);
    try {
      const journal = new Journal(waiting?.record ?? (await this.#states.open(state, binding)));
      journal.receive((context.params["inputResponses"] ?? {}) as InputResponses, (method, answer) => fits(context, method, answer)); // checked by the codec
      if (journal.round >= MAX_ROUNDS) throw new LimitExceededError("rounds", MAX_ROUNDS);
      if (waiting) return await this.#finish(context, waiting.asks, waiting.asks.resume(context, journal));
      const { requestState: _, ...params } = context.params;
      context.params = journal.own === undefined ? params : { ...params, requestState: journal.own };
      return await this.#begin(context, handler, journal);
    } catch (error) {
      waiting?.asks.drop(error);
      throw error;
    }
  }

  #begin(context: RequestContext, handler: Run, journal: Journal): MaybePromise<JsonObject> {
    const asks = new ReplayedAsks(context, journal);
    context.asks = asks;
    let result: MaybePromise<JsonObject>;
    try {
      result = handler(context);
    } catch (error) {
      result = toPages(error);
    }
    if (isPromise(result)) return this.#finish(context, asks, asks.race(result));
    return asksByHand(result) ? this.#seal(context, journal, result) : result;
  }

  async #finish(context: RequestContext, asks: ReplayedAsks, round: ReturnType<ReplayedAsks["race"]>): Promise<JsonObject> {
    const outcome = await round.catch((error: unknown) => ({ result: toPages(error) }));
    if ("result" in outcome) {
      return asksByHand(outcome.result) ? this.#seal(context, asks.journal, outcome.result) : outcome.result;
    }
    const record = asks.record();
    const { questions: inputRequests, once } = asks;
    const binding = bindingOf(context);
    try {
      const requestState = await this.#states.seal(record, binding, once);
      // What counts once must be opened, where that is found out.
      if (once) asks.drop();
      else this.#suspended.add(requestState, { asks, record, binding });
      return { resultType: "input_required", inputRequests, requestState };
    } catch (error) {
      asks.drop(error);
      throw error;
    }
  }

  /** Questions given by hand: refused where the client cannot answer them (H4); the handler's own state is sealed. */
  async #seal(context: RequestContext, journal: Journal, result: JsonObject): Promise<JsonObject> {
    for (const question of Object.values((result["inputRequests"] ?? {}) as InputRequests)) {
      const needs = needsOf(question, true);
      if (!supports(context.client.capabilities, needs)) throw new MissingClientCapabilityError(needs);
    }
    const own = result["requestState"];
    if (typeof own !== "string") return result;
    const record = journal.toRecord([], journal.round + 1, own);
    return { ...result, requestState: await this.#states.seal(record, bindingOf(context)) };
  }

  // ---- with a back-channel ----

  async #askLive(context: RequestContext, handler: Run, asking: JsonObject, round: number): Promise<JsonObject> {
    if (round > MAX_LIVE_ROUNDS) throw new LimitExceededError("rounds", MAX_LIVE_ROUNDS, undefined, ErrorCode.InternalError);
    const questions = Object.entries((asking["inputRequests"] ?? {}) as InputRequests); // as the handler's type says
    const answers = await Promise.all(questions.map(async ([name, question]) => [name, await askNow(context, question)]));
    const { inputResponses: _, requestState: __, ...params } = context.params;
    context.params = { ...params, inputResponses: Object.fromEntries(answers) as InputResponses };
    if (typeof asking["requestState"] === "string") context.params["requestState"] = asking["requestState"];
    context.asks = new LiveAsks(context);
    const result = await handler(context);
    return asksByHand(result) ? this.#askLive(context, handler, result, round + 1) : result;
  }
}

function asksByHand(result: JsonObject): boolean {
  return result["resultType"] === "input_required";
}

/** What a state is good for: this method, target and arguments, from this principal (H6). */
function bindingOf({ method, params, principal }: RequestContext): string {
  const { _meta: _, inputResponses: __, requestState: ___, ...asked } = params;
  return canonicalJson([method, asked, principal ?? null]);
}

/** Whether an answer is of the kind that question wants. */
function fits({ codec }: RequestContext, method: string, answer: JsonObject): boolean {
  try {
    codec.decodeResult(method, answer);
    return isJsonObject(answer);
  } catch {
    return false;
  }
}

/** Pages that must be visited first are questions, where there is no error for them; other failures stay what they are. */
function toPages(error: unknown): JsonObject {
  if (!(error instanceof UrlElicitationRequiredError) || error.elicitations.length === 0) throw error;
  const questions = error.elicitations.map((params, index) => [
    params.elicitationId ?? `page${index + 1}`,
    { method: "elicitation/create", params },
  ]);
  return { resultType: "input_required", inputRequests: Object.fromEntries(questions) as InputRequests };
}
