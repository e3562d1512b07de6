/** The questions of a server that wait here until its client, which has no session, brings the answers with another request. */
import { onAbort } from "../../base/abort.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { InputRequest } from "../../protocol/input-required.ts";
import type { HeldRoom } from "./held-room.ts";

/** Milliseconds that a server has to end a call or a task by itself after its questions were refused. */
export const REFUSED_GRACE = 1_000;

interface HeldQuestion {
  readonly question: InputRequest;
  resolve(answer: JsonObject): void;
  reject(error: unknown): void;
}

export class HeldQuestions {
  readonly #owner: string;
  readonly #room: HeldRoom;
  readonly #held = new Map<string, HeldQuestion>();
  #asked = 0;
  #size = 0;

  /** @param owner whose share of the room they use */
  constructor(owner: string, room: HeldRoom) {
    this.#owner = owner;
    this.#room = room;
  }

  get size(): number {
    return this.#held.size;
  }

  /** The questions as a client without a session gets them. */
  get requests(): Readonly<Record<string, InputRequest>> {
    return Object.fromEntries([...this.#held].map(([key, { question }]) => [key, question]));
  }

  /** Holds a question, and resolves with its answer. @throws (rejects) McpError -32603, for the server, if too much waits already */
  ask(question: InputRequest, signal: AbortSignal): Promise<JsonObject> {
    const key = `${question.method} ${++this.#asked}`;
    const size = JSON.stringify(question).length;
    return new Promise((resolve, reject) => {
      this.#room.addQuestion(this.#owner, this.#size, size);
      this.#size += size;
      const settle = (end: () => void): void => {
        if (!this.#held.delete(key)) return;
        this.#size -= size;
        this.#room.remove(this.#owner, size);
        stop();
        end();
      };
      const stop = onAbort(signal, () => settle(() => reject(signal.reason)));
      this.#held.set(key, {
        question: withoutId(question),
        resolve: (answer) => settle(() => resolve(answer)),
        reject: (error) => settle(() => reject(error)),
      });
    });
  }

  /**
   * Gives the answers to the server.
   * @param check throws if an answer does not fit its question; then none is given
   * @returns how many questions were answered
   */
  answer(
    responses: Readonly<Record<string, JsonObject>>,
    check?: (key: string, question: InputRequest, response: JsonObject) => void,
  ): number {
    const answered = [...this.#held].filter(([key]) => Object.hasOwn(responses, key));
    for (const [key, { question }] of answered) check?.(key, question, responses[key]!);
    for (const [key, held] of answered) held.resolve(responses[key]!);
    return answered.length;
  }

  /** Answers as a user does who says no. */
  refuse(reason: string): void {
    for (const held of [...this.#held.values()]) {
      const { method } = held.question;
      if (method === "elicitation/create") held.resolve({ action: "cancel" });
      else held.reject(new McpError(method === "roots/list" ? ErrorCode.InternalError : -1, reason));
    }
  }

  fail(error: unknown): void {
    for (const held of [...this.#held.values()]) held.reject(error);
  }
}

/** Pages have no id on revisions without sessions. */
function withoutId(question: InputRequest): InputRequest {
  if (question.method !== "elicitation/create" || !("elicitationId" in question.params)) return question;
  const { elicitationId: _, ...params } = question.params;
  return { method: question.method, params }; // without a member that is optional
}
