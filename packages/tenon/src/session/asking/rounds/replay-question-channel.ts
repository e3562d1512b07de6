/**
 * Questions without a back-channel: questions without an answer end the round, and the client sends the next one.
 *
 * The next round runs the handler again with the journal; if the handler of the last round still waits in this process, it
 * continues instead. Either way it sees the same answers and the same values of its steps.
 */
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { isPromise } from "../../../base/maybe-promise.ts";
import { McpError, McpUsageError, ErrorCode } from "../../../jsonrpc/mcp-error.ts";
import type { InputRequest, InputRequests } from "../../../protocol/input-required.ts";
import type { RequestContext } from "../../request-context.ts";
import type { StepWork } from "../questions/asking-context.ts";
import { UsedNames, type AskOptions, type QuestionChannel } from "../questions/question-channel.ts";
import type { Journal, JournalRecord } from "../questions/journal.ts";
import { stateUsedError, type RoundClaim } from "./round-claim.ts";
import type { RoundEnd, RoundOutcome } from "./round-end.ts";
import { assertAskable, markOf } from "../questions/question.ts";
import { assertOutsideStep, runStep } from "../questions/running-step.ts";
import { toStepValue } from "../questions/step-value.ts";

/** Turns of the microtask queue in which questions still belong to the same round. */
const TURNS = 16;

/**
 * The error in a handler that is dropped because another run continues the call. One object for all: recording a stack trace takes
 * longer than sealing a state, and would say nothing here.
 */
const ROUND_ENDED: McpError = Object.freeze(new McpError(ErrorCode.InvalidRequest, "The round has ended; the call goes on in another run"));

interface PendingQuestion {
  readonly mark: string;
  readonly question: InputRequest;
  readonly once: boolean;
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (reason: unknown) => void;
}

interface ReplayedRound {
  readonly journal: Journal;
  readonly end: RoundEnd<ReplayQuestionChannel>;
  /** Absent in the first round. */
  readonly claim?: RoundClaim;
}

export class ReplayQuestionChannel implements QuestionChannel {
  readonly #names = new UsedNames();
  readonly #waiting = new Map<string, PendingQuestion>();
  readonly #context: RequestContext;
  #journal: Journal;
  /** The claim that this round needs for new steps; undefined in the first round. */
  #claim: RoundClaim | undefined;
  /** The state was sent to the client: it does not contain what happens from now on. */
  #away = false;
  /** Steps that began after the state was sent. */
  readonly #steps: { readonly resolve: () => void; readonly reject: (reason: unknown) => void }[] = [];
  /** Running steps, and questions that are being prepared: the round does not end before them. */
  #busy = 0;
  #ending = false;
  /** Set if the handler's result is no longer wanted. */
  #dropped: { readonly reason: unknown } | undefined;
  readonly #end: RoundEnd<ReplayQuestionChannel>;

  constructor(context: RequestContext, { journal, end, claim }: ReplayedRound) {
    this.#context = context;
    this.#end = end;
    this.#journal = journal;
    this.#claim = claim;
  }

  ask(name: string, question: InputRequest, { once = false }: AskOptions = {}): Promise<JsonObject> {
    this.#assertWanted();
    this.#names.use("question", name);
    assertAskable(question, this.#context);
    const mark = markOf(question);
    if (!isPromise(mark)) return this.#answerTo(name, { mark, question, once });
    return this.#whileBusy(mark).then((digest) => this.#answerTo(name, { mark: digest, question, once }));
  }

  async #whileBusy<T>(work: Promise<T>): Promise<T> {
    this.#busy++;
    try {
      return await work;
    } finally {
      this.#busy--;
    }
  }

  /** Returns the answer from the journal, or ends the round to ask the client. */
  #answerTo(name: string, asked: Pick<PendingQuestion, "mark" | "question" | "once">): Promise<JsonObject> {
    const answer = this.#journal.answerTo(name, asked.mark);
    if (answer !== undefined) return Promise.resolve(answer);
    this.#assertWanted();
    return new Promise((resolve, reject) => {
      this.#waiting.set(name, { ...asked, resolve, reject });
      this.#endSoon();
    });
  }

  async step<T>(name: string, work: StepWork<T>): Promise<T> {
    this.#assertWanted();
    this.#names.use("step", name);
    if (this.#journal.hasStep(name)) {
      this.#journal.report.replayed(name);
      return this.#journal.stepValue(name) as T; // the type that the step returned
    }
    this.#busy++;
    try {
      if (this.#away) await new Promise<void>((resolve, reject) => this.#steps.push({ resolve, reject }));
      await this.claim();
      const { report, call } = this.#journal;
      const { text, value } = toStepValue(name, await report.running(name, () => runStep({ of: this, name, call }, work)));
      this.#journal.keepStep(name, text);
      return value as T; // equal to the step's own value
    } finally {
      this.#busy--;
      this.#endSoon();
    }
  }

  /**
   * Makes sure that of all requests with the state of this round only this one continues. Otherwise the round ends here, with the
   * response of the other request or with an error, and the handler's outcome is ignored.
   */
  async claim(): Promise<void> {
    const claim = this.#claim;
    if (claim === undefined) return;
    try {
      if (!(await claim.make())) {
        const earlier = await claim.earlierResponse();
        if (earlier !== undefined) this.#end.respond(earlier);
        throw stateUsedError();
      }
    } catch (error) {
      this.#end.fail(error);
      this.drop(error);
      throw error;
    }
    this.#assertWanted();
  }

  assertMayAsk(): void {
    assertOutsideStep(this);
    if (this.#end.ended) throw new McpUsageError("Only the handler itself can ask, and only while it runs");
  }

  get journal(): Journal {
    return this.#journal;
  }

  get questions(): InputRequests {
    return Object.fromEntries([...this.#waiting].map(([name, { question }]) => [name, question]));
  }

  record(): JournalRecord {
    const questions = [...this.#waiting].map(([name, { mark, question }]): [string, string, InputRequest["method"]] => [
      name,
      mark,
      question.method,
    ]);
    const record = this.#journal.toRecord(questions, this.#journal.own);
    if ([...this.#waiting.values()].some(({ once }) => once)) record.o = true;
    return record;
  }

  /** Continues the handler for the client's next request. `journal` is its state with the answers. */
  resume(context: RequestContext, journal: Journal, claim: RoundClaim): Promise<RoundOutcome<ReplayQuestionChannel>> {
    this.#context.continueFor(context);
    this.#journal = journal;
    this.#claim = claim;
    this.#away = false;
    const outcome = this.#end.next();
    for (const [name, { mark, resolve }] of [...this.#waiting]) {
      const answer = journal.answerTo(name, mark);
      if (answer === undefined) continue;
      this.#waiting.delete(name);
      resolve(answer);
    }
    for (const { resolve } of this.#steps.splice(0)) resolve();
    this.#endSoon();
    return outcome;
  }

  /** Cancels the handler, because no request waits for it. Its outcome is ignored. */
  drop(reason: unknown = ROUND_ENDED): void {
    if (this.#dropped) return;
    this.#dropped = { reason };
    this.#context.cancel(reason);
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
    for (const { reject } of this.#steps.splice(0)) reject(reason);
  }

  #assertWanted(): void {
    if (this.#dropped) throw this.#dropped.reason;
  }

  /** Ends the round, unless the handler does something else within the next turns. */
  #endSoon(): void {
    if (this.#waiting.size > 0 && this.#busy === 0 && !this.#ending) void this.#endRound();
  }

  async #endRound(): Promise<void> {
    this.#ending = true;
    for (let turn = 0; turn < TURNS; turn++) await Promise.resolve();
    this.#ending = false;
    if (this.#waiting.size === 0 || this.#busy > 0) return;
    this.#away = true;
    this.#end.ask(this);
  }
}
