/** Answers the questions in the result of a call. The client's callbacks answer all of them at the same time. */
import { LinkedAbort, unlessAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { LimitExceededError, McpError } from "../../jsonrpc/mcp-error.ts";
import { MissingClientCapabilityError } from "../../protocol/errors.ts";
import type { InputRequest, InputRequiredResult, InputResponse } from "../../protocol/input-required.ts";
import type { QuestionRelay } from "../../session/asking/questions/question-relay.ts";
import { capabilitiesFor, warnIfQuestionDeprecated } from "../../session/asking/questions/question.ts";
import { hasCapabilities } from "../../session/client-capabilities.ts";
import type { Answerer } from "../answer/answers.ts";
import type { ServerConnection } from "../connection.ts";
import { InputRequiredError } from "../errors.ts";
import type { Inbox } from "../inbox.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";

/** What the rounds of a call need of the session. */
export interface RoundHost {
  readonly connection: ServerConnection;
  readonly answers: Answerer;
  readonly inbox: Pick<Inbox, "subscribe">;
  /** Aborts with a `ConnectionClosedError` when the connection ends. */
  readonly ended: AbortSignal;
  readonly clock: Clock;
  /** Milliseconds the user has for the pages of one error. */
  readonly visitTimeout: number;
  /** Most questions in one result, and most pages in one error. */
  readonly maxInFlight: number;
  readonly report: (error: unknown) => void;
}

/**
 * Returns the answers by the names of the questions. The first question that cannot be answered fails the call.
 * @throws InputRequiredError. Its `cause` is a LimitExceededError `limits.maxInFlight` if there are too many questions
 */
export async function answerQuestions(
  host: RoundHost,
  { method, signal, options }: OutgoingRequest,
  asking: InputRequiredResult,
): Promise<{ [name: string]: InputResponse }> {
  const { ended, maxInFlight } = host;
  const questions = Object.entries(asking.inputRequests!); // the caller has looked
  if (questions.length > maxInFlight) {
    throw new InputRequiredError(method, asking, { cause: new LimitExceededError("limits.maxInFlight", maxInFlight, questions.length) });
  }
  for (const [, question] of questions) assertAnswerable(host.connection, method, asking, question);
  const abort = new LinkedAbort();
  try {
    signal.throwIfAborted();
    const answers = questions.map(([name, question]) => start(host, question, { requestId: name, relay: options.relay, abort }));
    const responses = answers.some(isPromise) ? await allOf(answers, signal, ended) : (answers as InputResponse[]); // none is a promise
    return Object.fromEntries(questions.map(([name], index) => [name, responses[index]!]));
  } catch (error) {
    abort.abort(error);
    if (McpError.isMcpError(error) && error.cause !== undefined) host.report(error);
    throw signal.aborted || ended.aborted ? error : new InputRequiredError(method, asking, { cause: error });
  }
}

/** @throws InputRequiredError whose `cause` names the capability that this client lacks */
function assertAnswerable(
  { identity, codec }: ServerConnection,
  method: string,
  asking: InputRequiredResult,
  question: InputRequest,
): void {
  const needs = capabilitiesFor(question, false);
  if (hasCapabilities(identity.capabilities, needs)) return warnIfQuestionDeprecated(question, codec);
  throw new InputRequiredError(method, asking, { cause: new MissingClientCapabilityError(needs) });
}

/** How one question is answered: the name of the question is the id that callbacks get. */
interface Asked {
  readonly requestId: string;
  readonly relay: QuestionRelay | undefined;
  readonly abort: LinkedAbort;
}

/** Turns an exception into a rejected promise, so that the other questions are still asked. */
function start({ answers }: RoundHost, question: InputRequest, { requestId, relay, abort }: Asked): MaybePromise<InputResponse> {
  try {
    return answers.answerQuestion(question, {
      requestId,
      relay,
      get signal(): AbortSignal {
        return abort.signal;
      },
    });
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Waits for all answers. @throws the reason of the signal that aborts first: the caller's or the connection's */
async function allOf(
  answers: readonly MaybePromise<InputResponse>[],
  signal: AbortSignal,
  ended: AbortSignal,
): Promise<readonly InputResponse[]> {
  const stop = new LinkedAbort(signal, ended);
  try {
    return await unlessAborted(Promise.all(answers.map(async (answer) => answer)), stop.signal);
  } finally {
    stop.unlink();
  }
}
