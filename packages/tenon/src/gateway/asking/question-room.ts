/** Bounds the questions of servers that wait for clients without a session: those of one call, those of one caller, and all of them. */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { GatewayLimits } from "../options.ts";
import { CallerRoom } from "./caller-room.ts";

type QuestionLimits = Pick<GatewayLimits, "maxQuestions" | "maxQuestionsTotal">;

export class QuestionRoom {
  readonly #limits: QuestionLimits;
  readonly #room: CallerRoom;

  constructor(limits: QuestionLimits) {
    this.#limits = limits;
    this.#room = new CallerRoom(limits.maxQuestionsTotal);
  }

  /**
   * Counts a question of that many characters.
   * @param waiting characters of the questions of its call that wait already
   * @throws McpError -32603, for the server, if there is no room
   */
  add(owner: string, waiting: number, size: number): void {
    const { maxQuestions, maxQuestionsTotal } = this.#limits;
    if (waiting + size > maxQuestions) throw tooLargeError("of one call", "maxQuestions", maxQuestions);
    if (!this.#room.has(owner, size))
      throw tooLargeError("of one caller, which may not use more than is left for others,", "maxQuestionsTotal", maxQuestionsTotal);
    this.#room.add(owner, size);
  }

  remove(owner: string, size: number): void {
    this.#room.remove(owner, size);
  }
}

function tooLargeError(whose: string, limit: keyof QuestionLimits, max: number): McpError {
  const message = `The questions ${whose} that wait for a client are too large together (limit "${limit}": ${max} characters)`;
  return new McpError(ErrorCode.InternalError, message, { limit, max, reason: "limit" });
}
