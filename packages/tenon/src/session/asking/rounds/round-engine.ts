/**
 * The rounds of a call on both families of revisions. Loaded with the first question.
 *
 * Stateless: opens the client's state, runs or resumes the handler, and if it asks, returns the questions and a new state.
 * Stateful: sends the questions of `inputRequired()` as requests, and runs the handler again with the answers.
 */
import { askedParams } from "../asked-params.ts";
import { andThen, isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import { canonicalExactJson } from "../../../jsonrpc/exact-numbers.ts";
import { isJsonObject, type JsonObject } from "../../../jsonrpc/message.ts";
import { ErrorCode, LimitExceededError, McpError, McpUsageError } from "../../../jsonrpc/mcp-error.ts";
import { UrlElicitationRequiredError } from "../../../protocol/errors.ts";
import type { InputRequests, InputResponses } from "../../../protocol/input-required.ts";
import type { JsonSchemaValidator } from "../../../schema/json-schema-validator.ts";
import type { Handler } from "../../handler.ts";
import type { RequestContext } from "../../request-context.ts";
import { TypedQuestions, type PageQuestions } from "../questions/typed-questions.ts";
import type { ServedUserPages } from "../user-pages.ts";
import { Journal, newJournal, type JournalRecord } from "../questions/journal.ts";
import { KeptResponses } from "./kept-responses.ts";
import { sendQuestion, LiveQuestionChannel } from "../questions/live-question-channel.ts";
import { assertAskable } from "../questions/question.ts";
import { ReplayQuestionChannel } from "./replay-question-channel.ts";
import type { RequestStateSettings } from "../options.ts";
import { isSealed, RequestStates, invalidStateError, type StateOwner } from "./request-states.ts";
import { RoundClaim } from "./round-claim.ts";
import { RoundEnd, type RoundOutcome } from "./round-end.ts";
import type { ForwardingServices, HandlerHolder, Passed, RoundForwarding } from "../forwarding/round-forwarding.ts";
import { SuspendedHandlers, type SuspendedHandler } from "./suspended-handlers.ts";

/** The most rounds of one call, so that a handler cannot ask for ever. */
const MAX_ROUNDS = 100;
/** The most rounds of `inputRequired()` over a back-channel, where one request stays open for all of them. */
const MAX_LIVE_ROUNDS = 8;

export interface RoundServices extends ForwardingServices {
  readonly audience: string;
  readonly validator: JsonSchemaValidator;
  readonly pages: ServedUserPages | undefined;
}

/** A round with the client's answers. */
interface LaterRound {
  readonly journal: Journal;
  readonly claim: RoundClaim;
}

export class RoundEngine {
  readonly #validator: JsonSchemaValidator;
  readonly #pages: ServedUserPages | undefined;
  readonly #states: RequestStates;
  readonly #suspended: SuspendedHandlers;
  readonly #responses: KeptResponses;
  readonly #forwarding: RoundForwarding | undefined;

  /** @param forwardingFor makes what exchanges rounds with other nodes; undefined if there are none */
  constructor(
    settings: RequestStateSettings,
    { audience, validator, pages, clock, warn }: RoundServices,
    forwardingFor?: (holder: HandlerHolder) => RoundForwarding,
  ) {
    this.#states = new RequestStates(settings, { audience, clock, warn });
    this.#suspended = new SuspendedHandlers(clock, settings);
    this.#responses = new KeptResponses(clock, this.#states.sharedTexts, warn);
    this.#validator = validator;
    this.#pages = pages;
    this.#forwarding = forwardingFor?.({
      take: (state, mark) => this.#suspended.take(state, (handler) => handler.mark === mark),
      resume: (context, waiting) => this.#continue(context, waiting),
    });
  }

  /** Cancels every handler that waits for its client. */
  async close(): Promise<void> {
    this.#suspended.close();
    await this.leave(0);
  }

  /** Takes no more rounds of other nodes. Those that run get `ms` milliseconds to end. */
  async leave(ms: number): Promise<void> {
    await this.#forwarding?.leave(ms);
  }

  /** Makes the object with which a handler asks, at its first question. */
  questionsOf(context: RequestContext): TypedQuestions {
    context.questionChannel ??= context.codec.stateless
      ? new ReplayQuestionChannel(context, { journal: newJournal(), end: this.#takeOver(context) })
      : new LiveQuestionChannel(context);
    return new TypedQuestions(context, context.questionChannel, this.#validator, this.#pageQuestions(context));
  }

  #pageQuestions(context: RequestContext): PageQuestions | undefined {
    const pages = this.#pages;
    return (
      pages && {
        confirm: (questions, ...asked) => pages.confirm({ context, questions }, ...asked),
        secret: (questions, ...asked) => pages.secret({ context, questions }, ...asked),
      }
    );
  }

  // ---- without a back-channel ----

  /** Takes over the round of a handler at its first question. @throws McpUsageError if the round has ended */
  #takeOver(context: RequestContext): RoundEnd<ReplayQuestionChannel> {
    const { firstRound } = context;
    if (firstRound === undefined) throw new McpUsageError("Only the handler itself can ask, and only while it runs");
    context.firstRound = undefined;
    const end = new RoundEnd<ReplayQuestionChannel>(firstRound.running);
    firstRound.end(this.#finishLater(context, end.next()));
    return end;
  }

  /** Runs a later round: the client returned with its state. @throws McpError -32602 if the state is invalid */
  async continueCall(context: RequestContext, handler: Handler<RequestContext>, state: string): Promise<JsonObject> {
    if (!isSealed(state)) throw invalidStateError(new Error("This server did not seal this text"));
    const binding = bindingOf(context);
    const waiting = this.#suspended.take(state, (suspended) => suspended.binding === binding);
    if (waiting !== undefined) return this.#continue(context, waiting);
    const record = await this.#states.open(state, binding);
    const runHere = (): Promise<JsonObject> => this.#runRound(context, record, (round) => this.#runAgain(context, handler, round));
    if (record.w === undefined) return runHere();
    const passed = await this.#pass(context, state, record.w);
    if ("result" in passed) return passed.result;
    return passed.mayHaveRun ? runHere().catch(throwWithUnknownDelivery) : runHere();
  }

  /** Continues a handler that waits here, for a request that came here or to another node. */
  async #continue(context: RequestContext, waiting: SuspendedHandler): Promise<JsonObject> {
    try {
      return await this.#runRound(context, waiting.record, (round) => this.#resume(context, waiting, round));
    } catch (error) {
      waiting.channel.drop(error);
      throw error;
    }
  }

  /** Lets the node where the handler waits continue it. */
  async #pass(context: RequestContext, state: string, node: number): Promise<Passed> {
    const forwarding = this.#forwarding;
    if (forwarding === undefined) return { mayHaveRun: false };
    return forwarding.pass(context, { node, state, mark: await forwarding.markOf(context, bindingOf(context)) });
  }

  async #runRound(context: RequestContext, record: JournalRecord, run: (round: LaterRound) => Promise<JsonObject>): Promise<JsonObject> {
    const journal = new Journal(record);
    journal.receive((context.params["inputResponses"] ?? {}) as InputResponses, (method, answer) => isAnswerTo(context, method, answer)); // checked by the codec
    if (journal.round >= MAX_ROUNDS) throw new LimitExceededError("rounds", MAX_ROUNDS);
    const claim = new RoundClaim({ record, journal, share: context.share ?? "" }, { states: this.#states, responses: this.#responses });
    if (record.o === true && !(await claim.make())) throw invalidStateError(new Error("Used already"));
    const response = await run({ journal, claim });
    await claim.keep(response);
    return response;
  }

  #resume(context: RequestContext, { channel }: SuspendedHandler, { journal, claim }: LaterRound): Promise<JsonObject> {
    context.questionChannel = channel;
    journal.report.handler = "continued";
    return this.#finishLater(context, channel.resume(context, journal, claim));
  }

  #runAgain(context: RequestContext, handler: Handler<RequestContext>, { journal, claim }: LaterRound): Promise<JsonObject> {
    const { requestState: _, ...params } = context.params;
    context.params = journal.own === undefined ? params : { ...params, requestState: journal.own };
    const result = (async () => handler(context))();
    journal.report.handler = "ran again";
    const end = new RoundEnd<ReplayQuestionChannel>(result);
    context.questionChannel = new ReplayQuestionChannel(context, { journal, end, claim });
    return this.#finishLater(context, end.next());
  }

  async #finishLater(context: RequestContext, round: Promise<RoundOutcome<ReplayQuestionChannel>>): Promise<JsonObject> {
    try {
      return await this.finish(context, await round);
    } catch (error) {
      return this.handleFailure(context, error);
    }
  }

  /** The result of a round that has ended. */
  finish(context: RequestContext, outcome: RoundOutcome<ReplayQuestionChannel>): MaybePromise<JsonObject> {
    if ("asked" in outcome) return this.#ask(context, outcome.asked);
    if ("response" in outcome) return outcome.response;
    if (outcome.result["resultType"] !== "input_required") return outcome.result;
    return this.#seal(context, outcome.result);
  }

  async #ask(context: RequestContext, channel: ReplayQuestionChannel): Promise<JsonObject> {
    const reading = this.#states.readTime();
    if (isPromise(reading)) await reading;
    const record = this.#states.withDeadline(channel.record());
    const { questions: inputRequests } = channel;
    const owner = ownerOf(context);
    try {
      const mark = this.#forwarding && (await this.#address(this.#forwarding, record, context));
      const sealing = this.#states.seal(record, owner);
      const requestState = isPromise(sealing) ? await sealing : sealing;
      this.#suspended.add(requestState, { channel, record, context, mark, binding: owner.binding, share: context.share });
      return { resultType: "input_required", inputRequests, requestState };
    } catch (error) {
      channel.drop(error);
      throw error;
    }
  }

  /** Writes to a record where its handler waits, if other nodes can pass rounds to it. Returns what such a round must have. */
  async #address(forwarding: RoundForwarding, record: JournalRecord, context: RequestContext): Promise<string | undefined> {
    const node = await forwarding.number();
    if (node === undefined) return undefined;
    record.w = node;
    return forwarding.markOf(context, bindingOf(context));
  }

  /**
   * Turns the pages of a `UrlElicitationRequiredError` into questions, because there is no such error on stateless revisions; other
   * failures are thrown.
   */
  handleFailure(context: RequestContext, error: unknown): MaybePromise<JsonObject> {
    if (!(error instanceof UrlElicitationRequiredError) || error.elicitations.length === 0) throw error;
    const questions = error.elicitations.map((params, index) => [
      params.elicitationId ?? `page${index + 1}`,
      { method: "elicitation/create", params },
    ]);
    return this.#seal(context, {
      resultType: "input_required",
      inputRequests: Object.fromEntries(questions) as InputRequests,
    });
  }

  /**
   * Seals the questions of `inputRequired()` and the handler's own state. @throws MissingClientCapabilityError if the client cannot
   * answer them
   */
  #seal(context: RequestContext, result: JsonObject): MaybePromise<JsonObject> {
    for (const question of Object.values((result["inputRequests"] ?? {}) as InputRequests)) assertAskable(question, context);
    const own = result["requestState"];
    if (typeof own !== "string") return result;
    const journal = context.questionChannel instanceof ReplayQuestionChannel ? context.questionChannel.journal : newJournal();
    return andThen(this.#states.readTime(), () => {
      const record = this.#states.withDeadline(journal.toRecord([], own));
      return andThen(this.#states.seal(record, ownerOf(context)), (requestState) => ({ ...result, requestState }));
    });
  }

  // ---- with a back-channel ----

  /** Sends the questions of `inputRequired()`, and runs the handler again with the answers. */
  async askLive(context: RequestContext, handler: Handler<RequestContext>, asked: JsonObject): Promise<JsonObject> {
    let result = asked;
    for (let round = 1; result["resultType"] === "input_required"; round++) {
      if (round > MAX_LIVE_ROUNDS) throw new LimitExceededError("rounds", MAX_LIVE_ROUNDS, undefined, ErrorCode.InternalError);
      await this.#answerLive(context, result);
      result = await handler(context);
    }
    return result;
  }

  /** Asks the questions of a result, and prepares the context for the next run of the handler. */
  async #answerLive(context: RequestContext, { inputRequests, requestState }: JsonObject): Promise<void> {
    const questions = Object.entries((inputRequests ?? {}) as InputRequests); // as the handler's type says
    const answers = await Promise.all(questions.map(async ([name, question]) => [name, await sendQuestion(context, name, question)]));
    const { inputResponses: _inputResponses, requestState: _requestState, ...params } = context.params;
    context.params = { ...params, inputResponses: Object.fromEntries(answers) as InputResponses };
    if (typeof requestState === "string") context.params["requestState"] = requestState;
    const journal = context.questionChannel instanceof LiveQuestionChannel ? context.questionChannel.journal : undefined;
    const channel = new LiveQuestionChannel(context, journal);
    channel.journal.report.handler = "ran again";
    context.questionChannel = channel;
  }
}

/** Another node may have run a round that failed here. @throws the error, which does not say that nothing has run */
function throwWithUnknownDelivery(error: unknown): never {
  const data = McpError.isMcpError(error) ? error.data : undefined; // of any kind
  if (!McpError.isMcpError(error) || !isJsonObject(data) || data["delivery"] !== "not-sent") throw error;
  throw new McpError(error.code, error.message, { ...data, delivery: "unknown" }, { cause: error });
}

/** What a state is bound to: this method, target, version and arguments, from this principal. */
function bindingOf({ method, params, principal }: RequestContext): string {
  return canonicalExactJson([method, askedParams(params), principal ?? null]);
}

function ownerOf(context: RequestContext): StateOwner {
  return { binding: bindingOf(context), share: context.share ?? "" };
}

/** Whether an answer is of the kind that the question needs. */
function isAnswerTo({ codec }: RequestContext, method: string, answer: JsonObject): boolean {
  try {
    codec.decodeResult(method, answer);
    return isJsonObject(answer);
  } catch {
    return false;
  }
}
