/**
 * The client answered a question of the server with an error: it has no handler, no user at hand, or does not like the question.
 *
 * The call that asked does not fail by that. A tool's result says so to the model; everything else fails with -32603.
 */
import { ErrorCode, McpError, type ErrorData } from "../jsonrpc/mcp-error.ts";
import type { CallToolResult } from "../protocol/tools.ts";

/** What could not be asked, by method. */
const SUBJECTS: ReadonlyMap<string, string> = new Map([
  ["elicitation/create", "The user could not be asked"],
  ["sampling/createMessage", "The model of the client could not be asked"],
  ["roots/list", "The client could not be asked for its roots"],
]);

/**
 * A question of the server (`ctx.elicit`, `ctx.sample`, `ctx.roots`, `ctx.session.request`) that the client answered with an error; `code`,
 * `message` and `data` are the client's. A handler may catch it. If it does not, a tool's result has `isError` and says that the user could
 * not be asked, and why; any other request fails with -32603 and the same text.
 */
export class QuestionFailedError extends McpError {
  override name = "QuestionFailedError";
  /** The method of the question, such as `elicitation/create`. */
  readonly method: string;

  /** @internal */
  constructor(method: string, { code, message, data }: ErrorData) {
    super(code, message, data);
    this.method = method;
  }

  /** @internal */
  get "~resultForModel"(): CallToolResult {
    return { content: [{ type: "text", text: this.#text }], isError: true };
  }

  /** @internal The error of a request other than a call of a tool. */
  toCallError(): McpError {
    return new McpError(ErrorCode.InternalError, this.#text);
  }

  get #text(): string {
    return `${SUBJECTS.get(this.method) ?? "The client could not be asked"}: ${this.message}`;
  }
}
