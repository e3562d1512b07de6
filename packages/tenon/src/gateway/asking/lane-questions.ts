/**
 * Routes a server's question to the call on this connection that can answer it.
 *
 * All calls on a lane that can be asked belong to one owner, so a question never reaches a stranger. A question that comes while no call
 * can answer waits a minute for the next call.
 */
import { PassingSet } from "../../base/passing.ts";
import { unref, type Clock } from "../../base/clock.ts";
import { onAbort } from "../../base/abort.ts";
import type { ProgressCallback } from "../../dispatch/dispatcher.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject, RequestId } from "../../jsonrpc/message.ts";
import type { InputRequest } from "../../protocol/input-required.ts";
import { isOneCaller } from "../clients/owner-names.ts";

/** A call on a lane, as its server's questions and log messages reach it. */
export interface LaneCall {
  /** The task that it follows, as the server names it. */
  readonly taskId?: string | undefined;
  readonly owner: string;
  /** The id of its newest request on the lane, if a question or a log message can come on the response of that request. */
  requestId?: RequestId | undefined;
  canAnswer(question: InputRequest): boolean;
  /** Asks the caller. `onProgress` is called with its progress, if its revision has any. @throws McpError the caller's error */
  ask(question: InputRequest, signal: AbortSignal, onProgress?: ProgressCallback): Promise<JsonObject>;
  /** Passes a log message on, if the caller wants its level. */
  logged(params: JsonObject): void;
}

/** The call that was asked has ended; the question may belong to another call. */
export class CallEndedError extends McpError {
  override name = "CallEndedError";

  constructor() {
    super(ErrorCode.InternalError, "The call has ended");
  }
}

/** Most questions that wait for a call, their characters together, and how long they wait, in milliseconds. */
const MAX_WAITING = 16;
const MAX_WAITING_SIZE = 2 ** 20;
const PATIENCE = 60_000;

/** What a server says of the call that a question belongs to, and what hears the progress of the answer. */
interface QuestionOrigin {
  readonly onProgress?: ProgressCallback | undefined;
  /** The id of the request on whose HTTP response it came; undefined if it came otherwise. */
  readonly related?: RequestId | undefined;
  /** The task that it names; undefined if it names none. */
  readonly taskId?: unknown;
}

interface WaitingQuestion {
  readonly question: InputRequest;
  resolve(call: LaneCall): void;
  reject(error: unknown): void;
}

export class LaneQuestions {
  /** Sessions that can be asked outside a call. */
  readonly sessions: Set<LaneCall> = new Set();
  readonly #clock: Clock;
  readonly #calls = new PassingSet<LaneCall>();
  readonly #waiting = new Set<WaitingQuestion>();
  #waitingSize = 0;
  /** The owner of all calls so far; undefined before the first one. */
  #owner: string | undefined;
  #hasOneOwner = true;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(call: LaneCall): void {
    this.#calls.add(call);
    this.usedBy(call.owner);
    if (this.#waiting.size === 0) return;
    for (const waiting of [...this.#waiting]) if (call.canAnswer(waiting.question)) waiting.resolve(call);
  }

  end(call: LaneCall): void {
    this.#calls.delete(call);
  }

  get newest(): LaneCall | undefined {
    return [...this.#calls].at(-1);
  }

  /** Whether one owner alone has used the lane so far. */
  get hasOneOwner(): boolean {
    return this.#hasOneOwner;
  }

  /** That owner has sent something on the lane, which its server may tell of later. */
  usedBy(owner: string): void {
    if (owner === this.#owner && isOneCaller(owner)) return;
    if (this.#owner !== undefined) this.#hasOneOwner = false;
    this.#owner = owner;
  }

  /** The running call whose newest request has that id. */
  callOf(id: RequestId): LaneCall | undefined {
    return [...this.#calls].find(({ requestId }) => requestId === id);
  }

  /**
   * Asks the newest call that can answer, else a session. A question that came on the response of a call goes to that call, and one of a
   * task to the call that follows it, if they can answer. If the call ends before the answer, the question goes to the next one that can.
   * @throws McpError -32603 if no caller can be asked
   */
  async answer(question: InputRequest, signal: AbortSignal, origin: QuestionOrigin = {}): Promise<JsonObject> {
    let call: LaneCall | undefined = this.#find(question, origin) ?? (await this.#wait(question, signal));
    for (;;) {
      signal.throwIfAborted(); // the server may have withdrawn it while it waited
      try {
        return await call.ask(question, signal, origin.onProgress);
      } catch (error) {
        call = error instanceof CallEndedError ? this.#find(question, origin) : undefined;
        if (call === undefined) throw error;
      }
    }
  }

  #find(question: InputRequest, { related, taskId }: QuestionOrigin): LaneCall | undefined {
    const able = (calls: readonly LaneCall[]): LaneCall | undefined => calls.findLast((call) => call.canAnswer(question));
    const calls = [...this.#calls];
    const ofRequest = related === undefined ? undefined : able(calls.filter(({ requestId }) => requestId === related));
    const ofTask = taskId === undefined ? undefined : able(calls.filter((call) => call.taskId === taskId));
    return ofRequest ?? ofTask ?? able(calls.filter((call) => call.taskId === undefined)) ?? able(calls) ?? able([...this.sessions]);
  }

  #wait(question: InputRequest, signal: AbortSignal): Promise<LaneCall> {
    const size = JSON.stringify(question).length;
    if (this.#waiting.size >= MAX_WAITING || this.#waitingSize + size > MAX_WAITING_SIZE) throw noCallError(question);
    this.#waitingSize += size;
    return new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        if (!this.#waiting.delete(waiting)) return;
        this.#waitingSize -= size;
        this.#clock.clearTimer(timer);
        stop();
        end();
      };
      const waiting: WaitingQuestion = {
        question,
        resolve: (call) => settle(() => resolve(call)),
        reject: (error) => settle(() => reject(error)),
      };
      const timer = this.#clock.setTimer(PATIENCE, () => waiting.reject(noCallError(question)));
      unref(timer);
      const stop = onAbort(signal, () => waiting.reject(signal.reason));
      this.#waiting.add(waiting);
    });
  }

  /** Fails the questions that wait. */
  fail(error: Error): void {
    for (const waiting of [...this.#waiting]) waiting.reject(error);
  }
}

function noCallError({ method }: InputRequest): McpError {
  return new McpError(ErrorCode.InternalError, `No caller of the gateway can be asked for "${method}"`);
}
