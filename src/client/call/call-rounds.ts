/**
 * The further rounds of one call: asks the callbacks, sends the call again, until there is a result (H11–H16).
 *
 * Loaded with the first call that is answered with questions (`rounds.ts`).
 */
import { LinkedAbort, onAbort } from "../../base/abort.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { ConnectionClosedError, LimitExceededError, McpError, RequestTimeoutError } from "../../jsonrpc/mcp-error.ts";
import { MissingClientCapabilityError } from "../../protocol/errors.ts";
import type { InputRequest, InputRequiredResult, InputResponse } from "../../protocol/input-required.ts";
import { type Clock, sleep } from "../../base/clock.ts";
import { needsOf, warnOf } from "../../session/asking/question.ts";
import type { Handler } from "../../session/handler.ts";
import { hasCapabilities } from "../../session/client-capabilities.ts";
import { answerQuestion } from "../answer/answers.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import { InputRequiredError } from "../errors.ts";
import type { ClientSession } from "../session.ts";

/** Milliseconds before a call without questions is sent again; twice as many each time (H13). */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 5_000;

type Next = Handler<OutgoingRequest>;

export interface Bounds {
  readonly clock: Clock;
  readonly maxRounds: number;
  /** Milliseconds, of all rounds together. */
  readonly maxTotalTimeout: number;
  readonly report: (error: unknown) => void;
}

export class CallRounds {
  readonly #session: ClientSession;
  readonly #request: OutgoingRequest;
  readonly #next: Next;
  readonly #bounds: Bounds;

  constructor(session: ClientSession, request: OutgoingRequest, next: Next, bounds: Bounds) {
    this.#session = session;
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
    const { ended } = this.#session;
    const questions = Object.entries(asking.inputRequests!);
    for (const [, question] of questions) this.#assertAnswerable(asking, question);
    const abort = new LinkedAbort();
    try {
      signal.throwIfAborted();
      const answers = questions.map(([name, question]) => this.#start(name, question, abort));
      const given = answers.some(isPromise) ? await this.#all(answers, abort) : (answers as InputResponse[]); // none is a promise
      return Object.fromEntries(questions.map(([name], index) => [name, given[index]!]));
    } catch (error) {
      abort.abort(error);
      if (McpError.isMcpError(error) && error.cause !== undefined) this.#bounds.report(error);
      throw signal.aborted || ended.aborted ? error : new InputRequiredError(method, asking, { cause: error });
    }
  }

  /** A callback that throws at once must not keep the others from being asked. */
  #start(name: string, question: InputRequest, abort: LinkedAbort): MaybePromise<InputResponse> {
    try {
      return answerQuestion(this.#session, question, {
        requestId: name,
        get signal(): AbortSignal {
          return abort.signal;
        },
      });
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Waits for them, unless the call or the connection ends before. */
  async #all(answers: readonly MaybePromise<InputResponse>[], abort: LinkedAbort): Promise<readonly InputResponse[]> {
    const { signal } = this.#request;
    const { ended } = this.#session;
    let giveUp!: () => void;
    const aborted = new Promise<never>((_resolve, reject) => {
      giveUp = (): void => {
        const reason = signal.aborted ? (signal.reason as Error) : new ConnectionClosedError();
        abort.abort(reason);
        reject(reason);
      };
    });
    const stops = [signal, ended].map((either) => onAbort(either, giveUp));
    if (signal.aborted || ended.aborted) giveUp(); // by a callback, before it waited
    try {
      return await Promise.race([Promise.all(answers.map(async (answer) => answer)), aborted]);
    } finally {
      for (const stop of stops) stop();
    }
  }

  #assertAnswerable(asking: InputRequiredResult, question: InputRequest): void {
    const { identity, codec } = this.#session.link;
    const needs = needsOf(question, false);
    if (hasCapabilities(identity.capabilities, needs)) return warnOf(question, codec);
    throw new InputRequiredError(this.#request.method, asking, { cause: new MissingClientCapabilityError(needs) });
  }
}
