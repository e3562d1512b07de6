/**
 * A call to a stateful server for a client without a session, which cannot be asked in the middle of a call.
 *
 * The server's question is held. The client's request ends with the question and a sealed state that names this call, and the request
 * that brings the answer waits for the same call to go on. The call is never sent to the server again.
 *
 * It runs (`#waiters` has the client's request) until its server asks; 20 ms gather the questions; then it waits for the client
 * (`#deadline`), and an answer makes it run again. It ends (`#outcome`) from each of these, also by `abandon`. One that was in a round keeps
 * its outcome for its client, then it is forgotten.
 */
import { onAbort } from "../../base/abort.ts";
import { randomId } from "../../base/bytes.ts";
import { unref, type Clock, type Timer } from "../../base/clock.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { Progress } from "../../dispatch/dispatcher.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject, RequestId } from "../../jsonrpc/message.ts";
import type { InputRequest } from "../../protocol/input-required.ts";
import { invalidStateError } from "../../session/asking/rounds/request-states.ts";
import { canBeAsked } from "../../session/asking/questions/question.ts";
import type { ClientRound } from "./client-round.ts";
import { HeldQuestions, REFUSED_GRACE } from "./held-questions.ts";
import type { HeldRoom } from "./held-room.ts";
import type { Lane } from "../servers/lane.ts";
import { CallEndedError, type LaneCall } from "./lane-questions.ts";

/** Milliseconds in which questions of a server become one round. */
const GATHER = 20;
/** Milliseconds for which a result that was sent is kept, in case it was lost. */
const KEEP = 60_000;
/** Rounds in which the client may leave questions unanswered. */
const MAX_REPEATS = 8;

/** Why a gateway that closes refuses the questions of its calls. */
export const CLOSED = "The gateway is closed";

export interface SuspendedCallHost {
  readonly clock: Clock;
  /** Milliseconds that a client may take to answer. */
  readonly ttl: number;
  readonly room: HeldRoom;
  /** Whether no client can answer any more. */
  readonly isClosed: boolean;
  /** A call was sent to its server; the next one when the server has ended it. */
  began(call: SuspendedCall): void;
  settled(call: SuspendedCall): void;
  /** Keeps a call for its next round. @throws McpError -32603 if there are too many */
  keep(call: SuspendedCall): void;
  /** Counts what a call keeps that has ended. @throws McpError -32603 if it is too large to be kept */
  keepResult(call: SuspendedCall, ended: unknown): void;
  forget(call: SuspendedCall): void;
  seal(call: SuspendedCall, round: number): Promise<string>;
}

/** A request of the client that waits for the next event of the call. */
interface Waiter {
  readonly client: ClientRound;
  resolve(result: MaybePromise<JsonObject>): void;
}

/** Where a held call runs. */
export interface HeldPlace {
  /** The name of the server. */
  readonly server: string;
  readonly lane: Lane;
  /** The name or URI at the server. */
  readonly id: string;
}

interface HeldOptions {
  readonly client: ClientRound;
  readonly owner: string;
  readonly binding: string;
  readonly place: HeldPlace;
}

export class SuspendedCall implements LaneCall {
  readonly owner: string;
  requestId?: RequestId;
  readonly binding: string;
  readonly place: HeldPlace;
  readonly #host: SuspendedCallHost;
  readonly #abort = new AbortController();
  readonly #waiters = new Set<Waiter>();
  readonly #questions: HeldQuestions;
  #client: ClientRound;
  /** The last round whose questions were sent, and the last that was answered. */
  #round = 0;
  #answered = 0;
  #repeats = 0;
  #gathering: Timer;
  #deadline: Timer;
  #id: string | undefined;
  #outcome: Promise<JsonObject> | undefined;
  #ended: Promise<void> = Promise.resolve();
  #isSent = false;

  constructor(host: SuspendedCallHost, { client, owner, binding, place }: HeldOptions) {
    this.#host = host;
    this.place = place;
    this.#client = client;
    this.owner = owner;
    this.#questions = new HeldQuestions(owner, host.room);
    this.binding = binding;
  }

  /** Its name in states, made when the first of them is. */
  get id(): string {
    return (this.#id ??= randomId());
  }

  /** Whether it has ended and its client has got the result: it is kept only in case the response was lost. */
  get isSent(): boolean {
    return this.#isSent;
  }

  /** Whether its server waits for an answer. */
  get isAsking(): boolean {
    return this.#questions.size > 0;
  }

  /** Resolves when its server has ended it, or its connection is lost. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Sends the call, and resolves with its result or with the questions of its first round. */
  run(send: (signal: AbortSignal) => Promise<JsonObject>): Promise<JsonObject> {
    const first = this.#wait(this.#client);
    this.#host.began(this);
    const outcome = send(this.#abort.signal);
    const settled = (ended: unknown): void => this.#settle(outcome, ended);
    this.#ended = outcome.then(settled, settled);
    return first;
  }

  /** Takes the answers of a round, and resolves with what comes next. @throws McpError -32602 if the round is not the current one */
  async continue(client: ClientRound, round: number): Promise<JsonObject> {
    if (this.#outcome !== undefined) {
      this.#isSent = true;
      return this.#outcome;
    }
    // A repeat of the round before: its response was lost.
    if (round === this.#round - 1 && this.#answered === round) return this.#questionsOfRound();
    if (round !== this.#round) throw invalidStateError(new Error(`Round ${round} is not the current one`));
    const next = this.#wait(client);
    if (this.#answered < round) this.#answer(client, round);
    return next;
  }

  #answer(client: ClientRound, round: number): void {
    this.#answered = round;
    this.#client = client;
    this.#host.clock.clearTimer(this.#deadline);
    if (this.#questions.answer(client.inputResponses) > 0) this.#repeats = 0;
    else if (++this.#repeats > MAX_REPEATS) return this.abandon(`The client sent ${MAX_REPEATS} rounds without an answer`);
    if (this.#questions.size > 0) this.#gather();
  }

  /** Waits for the next event. If no request of the client waits any more, the call is cancelled. */
  #wait(client: ClientRound): Promise<JsonObject> {
    const { signal } = client;
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        client,
        resolve: (result) => {
          this.#waiters.delete(waiter);
          stop();
          resolve(result);
        },
      };
      const stop = onAbort(signal, () => {
        this.#waiters.delete(waiter);
        reject(signal.reason);
        if (this.#waiters.size === 0) this.#abort.abort(signal.reason);
      });
      this.#waiters.add(waiter);
    });
  }

  // ---- as its lane sees it ----

  canAnswer(question: InputRequest): boolean {
    return this.#outcome === undefined && canBeAsked(this.#client.capabilities, question);
  }

  ask(question: InputRequest, signal: AbortSignal): Promise<JsonObject> {
    const answer = this.#questions.ask(question, signal);
    if (this.#host.isClosed) this.abandon(CLOSED);
    else this.#gather();
    return answer;
  }

  logged(params: JsonObject): void {
    [...this.#waiters].at(-1)?.client.logged(params);
  }

  /** Passes progress to the request that waits. */
  progressed(step: Progress): MaybePromise<void> {
    return [...this.#waiters].at(-1)?.client.progressed(step);
  }

  // ---- rounds ----

  #gather(): void {
    if (this.#waiters.size === 0) return; // the next request of the client gets the questions
    this.#gathering ??= this.#host.clock.setTimer(GATHER, () => {
      this.#gathering = undefined;
      this.#endRound();
    });
  }

  #endRound(): void {
    if (this.#questions.size === 0 || this.#waiters.size === 0) return;
    try {
      this.#host.keep(this);
    } catch (error) {
      return this.#questions.fail(error);
    }
    this.#round++;
    const { clock, ttl } = this.#host;
    this.#deadline = clock.setTimer(ttl, () => this.abandon(`The client did not answer within ${ttl} ms (option "requestState.ttl")`));
    unref(this.#deadline);
    for (const waiter of [...this.#waiters]) waiter.resolve(this.#questionsOfRound());
  }

  async #questionsOfRound(): Promise<JsonObject> {
    const inputRequests = this.#questions.requests;
    return { resultType: "input_required", inputRequests, requestState: await this.#host.seal(this, this.#round) };
  }

  /** Answers the questions with a refusal, and cancels the call if it does not end then. */
  abandon(reason: string): void {
    this.#questions.refuse(reason);
    // The answers go first: a server that was told to cancel before them would not read them.
    const cancel = (): void => this.#abort.abort(new McpError(ErrorCode.InternalError, reason, { reason: "abandoned" }));
    if (this.#outcome === undefined) unref(this.#host.clock.setTimer(REFUSED_GRACE, cancel));
  }

  /** @param ended the result or the error of the outcome */
  #settle(outcome: Promise<JsonObject>, ended: unknown): void {
    const { clock, ttl } = this.#host;
    this.#outcome = outcome;
    this.#host.settled(this);
    clock.clearTimer(this.#gathering);
    clock.clearTimer(this.#deadline);
    this.#questions.fail(new CallEndedError());
    const isKept = this.#round > 0;
    this.#isSent = this.#waiters.size > 0;
    const wait = this.#isSent ? Math.min(KEEP, ttl) : ttl;
    for (const waiter of [...this.#waiters]) waiter.resolve(outcome);
    if (!isKept) return;
    this.#keep(ended);
    unref(clock.setTimer(wait, () => this.#host.forget(this)));
  }

  /** Keeps the outcome for the next request of the client, or an error in its place. */
  #keep(ended: unknown): void {
    try {
      this.#host.keepResult(this, ended);
    } catch (error) {
      this.#outcome = Promise.reject(error);
      this.#outcome.catch(() => undefined); // its client may never ask
    }
  }
}
