/**
 * What a gateway holds in memory for clients without a session: the calls and tasks that wait for them, the questions of those, and
 * results that were not fetched yet. All of it counts for one limit, in characters.
 *
 * A caller may use as much as is left for the others. So one caller alone gets half of the room, and each further caller still finds some:
 * calls that a caller has abandoned cannot use up what others need. One call may use a quarter, so a server that asks too much leaves room
 * for the other calls of its caller.
 */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";

/** What a held call or task counts beside its questions and its result, in characters. */
export const CALL_SIZE = 131_072;

export class HeldRoom {
  readonly max: number;
  readonly #sizes = new Map<string, number>();
  #total = 0;

  /** @param max characters of all callers */
  constructor(max: number) {
    this.max = max;
  }

  /** The most characters of the questions, or of the result, of one call. */
  get ofOneCall(): number {
    return this.max / 4;
  }

  /** Whether a caller may use that many characters more. */
  has(owner: string, size: number): boolean {
    return this.#of(owner) + size <= this.max - this.#total - size;
  }

  add(owner: string, size: number): void {
    this.#sizes.set(owner, this.#of(owner) + size);
    this.#total += size;
  }

  /**
   * Counts a question.
   * @param waiting characters of the questions of its call that wait already
   * @throws McpError -32603, for the server, if there is no room
   */
  addQuestion(owner: string, waiting: number, size: number): void {
    if (waiting + size > this.ofOneCall) throw this.error("The questions of one call that wait for a client are too large together");
    if (!this.has(owner, size)) throw this.error("What waits for one caller, which may not use more than is left for others, is too large");
    this.add(owner, size);
  }

  remove(owner: string, size: number): void {
    const left = this.#of(owner) - size;
    if (left > 0) this.#sizes.set(owner, left);
    else this.#sizes.delete(owner);
    this.#total -= size;
  }

  /** The error of something for which there is no room. @param data further members of the error's data */
  error(what: string, data: object = {}): McpError {
    const message = `${what} (limit "maxHeld": ${this.max} characters)`;
    return new McpError(ErrorCode.InternalError, message, { ...data, limit: "maxHeld", max: this.max, reason: "limit" });
  }

  #of(owner: string): number {
    return this.#sizes.get(owner) ?? 0;
  }
}
