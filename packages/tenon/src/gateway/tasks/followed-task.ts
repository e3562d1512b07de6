/** A task of a server with sessions, as the gateway follows it: holds the questions that the server asks while the task runs. */
import { unref, type Clock, type Timer } from "../../base/clock.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject, RequestId } from "../../jsonrpc/message.ts";
import type { InputRequest } from "../../protocol/input-required.ts";
import { canBeAsked } from "../../session/asking/questions/question.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { ClientIdentity, Codec } from "../../wire/codec.ts";
import { HeldQuestions, REFUSED_GRACE } from "../asking/held-questions.ts";
import type { HeldRoom } from "../asking/held-room.ts";
import type { Lane } from "../servers/lane.ts";
import type { LaneCall } from "../asking/lane-questions.ts";

export interface FollowedTaskOptions {
  readonly clock: Clock;
  /** Milliseconds for which it is followed after the client has asked about it. */
  readonly ttl: number;
  readonly lane: Lane;
  /** The newest request of the client about it. */
  readonly context: RequestContext;
  readonly owner: string;
  readonly identity: ClientIdentity;
  readonly room: HeldRoom;
}

export class FollowedTask implements LaneCall {
  readonly owner: string;
  requestId?: RequestId;
  readonly lane: Lane;
  readonly #options: FollowedTaskOptions;
  readonly #questions: HeldQuestions;
  readonly #abort = new AbortController();
  #context: RequestContext;
  #isEnding = false;
  #isOver = false;
  #deadline: Timer;
  #id: string | undefined;
  #ended: Promise<void> = Promise.resolve();
  #changed: () => void = () => undefined;

  constructor(options: FollowedTaskOptions) {
    this.#options = options;
    this.owner = options.owner;
    this.#questions = new HeldQuestions(options.owner, options.room);
    this.lane = options.lane;
    this.#context = options.context;
  }

  /** As its server names it; undefined before the server has said so. */
  get taskId(): string | undefined {
    return this.#id;
  }

  /** Resolves when the task has ended or is not followed any more. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Begins to follow it. @param changed called when it has a question, or has ended */
  follow(taskId: string, changed: () => void): Promise<void> {
    return (this.#ended = this.#run(taskId, changed));
  }

  /**
   * Waits for the outcome, so that the server asks its questions. Resolves when the task has ended or is not followed any more.
   * @param changed called when it has a question, or has ended
   */
  async #run(taskId: string, changed: () => void): Promise<void> {
    this.#id = taskId;
    this.#changed = changed;
    this.renew(this.#context);
    const { lane, identity, clock } = this.#options;
    const options = { signal: this.#abort.signal, timeout: Infinity, maxTotalTimeout: Infinity };
    try {
      await lane.request({ method: "tasks/result", params: { taskId }, identity, options }, this);
    } catch {
      // The client gets the outcome, or the error, with its next `tasks/get`.
    } finally {
      clock.clearTimer(this.#deadline);
      this.#questions.refuse("The task has ended");
      this.#isOver = true;
      changed();
    }
  }

  /** The client has asked about it, with these capabilities. */
  renew(context: RequestContext): void {
    if (this.#isOver) return;
    const { clock, ttl } = this.#options;
    this.#context = context;
    this.#isEnding = false;
    clock.clearTimer(this.#deadline);
    this.#deadline = clock.setTimer(ttl, () =>
      this.end(`The client did not ask about its task within ${ttl} ms (option "requestState.ttl")`),
    );
    unref(this.#deadline);
  }

  get inputRequests(): Readonly<Record<string, InputRequest>> {
    return this.#questions.requests;
  }

  /** @throws McpError -32602 if an answer does not fit its question */
  answer(responses: Readonly<Record<string, JsonObject>>, codec: Codec): void {
    this.#questions.answer(responses, (key, question, response) => assertFits(codec, key, question, response));
  }

  /** Refuses the open questions, and follows the task no longer. The task goes on. */
  end(reason: string): void {
    const { clock } = this.#options;
    this.#isEnding = true;
    this.#questions.refuse(reason);
    clock.clearTimer(this.#deadline);
    // The answers go first: a server that was told to cancel before them would not read them.
    this.#deadline = clock.setTimer(REFUSED_GRACE, () => this.#abort.abort(new McpError(ErrorCode.InternalError, reason)));
    unref(this.#deadline);
  }

  // ---- as its lane sees it ----

  canAnswer(question: InputRequest): boolean {
    return !this.#isEnding && canBeAsked(this.#context.client.capabilities, question);
  }

  ask(question: InputRequest, signal: AbortSignal): Promise<JsonObject> {
    const answer = this.#questions.ask(question, signal);
    this.#changed();
    return answer;
  }

  /** No request of the client is open on which it could be sent. */
  logged(): void {}
}

function assertFits(codec: Codec, key: string, { method }: InputRequest, response: JsonObject): void {
  try {
    codec.decodeResult(method, response);
  } catch (cause) {
    throw new McpError(ErrorCode.InvalidParams, `The response to ${JSON.stringify(key)} does not fit what was asked`, undefined, { cause });
  }
}
