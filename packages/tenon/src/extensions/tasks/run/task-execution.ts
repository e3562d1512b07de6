/** Runs the handler of a task to its end: asks the questions of results that it returns, and stores its result or error as the outcome. */
import { ErrorCode, LimitExceededError } from "../../../jsonrpc/mcp-error.ts";
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { UrlElicitationRequiredError } from "../../../protocol/errors.ts";
import type { InputRequest, InputRequests } from "../../../protocol/input-required.ts";
import type { ServerHost } from "../../../session/extension.ts";
import type { RequestContext } from "../../../session/request-context.ts";
import { unsendableResultError } from "../../../wire/errors.ts";
import type { TaskOutcome } from "../store/task-record.ts";
import type { TaskRun } from "./task-run.ts";

/** The most results with questions that a handler can return before it ends. */
const MAX_ROUNDS = 100;

type Handler = (context: RequestContext) => MaybePromise<JsonObject>;

export class TaskExecution {
  readonly #host: ServerHost;
  readonly #maxResultSize: number;

  constructor(host: ServerHost, maxResultSize: number) {
    this.#host = host;
    this.#maxResultSize = maxResultSize;
  }

  /** Resolves when the task has ended. @param begun the promise of the handler, if it runs already */
  async run(run: TaskRun, context: RequestContext, handler: Handler, begun?: Promise<JsonObject>): Promise<void> {
    try {
      const outcome = await this.#outcome(run, context, handler, begun);
      if (outcome !== undefined) await run.finish(outcome);
    } catch (error) {
      this.#host.toMcpError(error, context.method);
      run.stop(error);
    }
  }

  /** How the handler ended; undefined if the run ended before it. */
  async #outcome(run: TaskRun, context: RequestContext, handler: Handler, begun?: Promise<JsonObject>): Promise<TaskOutcome | undefined> {
    try {
      let result = await runOnce(context, () => begun ?? handler(context));
      for (let round = 1; result["resultType"] === "input_required"; round++) {
        if (round > MAX_ROUNDS) throw new LimitExceededError("rounds", MAX_ROUNDS, undefined, ErrorCode.InternalError);
        await answerByHand(run, context, result, round);
        result = await runOnce(context, () => handler(context));
      }
      return run.signal.aborted ? undefined : { result: this.#fit(context, result) };
    } catch (thrown) {
      if (run.signal.aborted) return undefined; // no caller waits for the error, so it is not reported
      const error = run.clean(thrown);
      const recovered = this.#host.recover(error, context);
      return recovered ? { result: recovered } : { error: this.#host.toMcpError(error, context.method).toErrorData() };
    }
  }

  /** A copy of the result in JSON. @throws McpError -32603 if the result is malformed, has no JSON form, or is too long */
  #fit({ params, method, codec }: RequestContext, result: JsonObject): JsonObject {
    let text: string;
    try {
      codec.encodeResult(method, result, { check: true }); // a malformed result is not stored
      text = JSON.stringify(result);
    } catch (cause) {
      throw unsendableResultError(`Tool "${String(params["name"])}"`, cause);
    }
    const { length } = text;
    if (length > this.#maxResultSize) throw new LimitExceededError("maxResultSize", this.#maxResultSize, length, ErrorCode.InternalError);
    return JSON.parse(text) as JsonObject; // the handler's type is an object
  }
}

/** Runs the handler. On revisions without an error for it, a required URL elicitation becomes a question. */
async function runOnce({ codec }: RequestContext, run: () => MaybePromise<JsonObject>): Promise<JsonObject> {
  try {
    return await run();
  } catch (error) {
    if (!codec.stateless || !(error instanceof UrlElicitationRequiredError) || error.elicitations.length === 0) throw error;
    const pages = error.elicitations.map((params, index) => [
      params.elicitationId ?? `page${index + 1}`,
      { method: "elicitation/create", params },
    ]);
    return { resultType: "input_required", inputRequests: Object.fromEntries(pages) as InputRequests };
  }
}

/** Asks the questions of a result. The next run finds the answers in its params, as in another round of a call. */
async function answerByHand(run: TaskRun, context: RequestContext, asking: JsonObject, round: number): Promise<void> {
  const questions = Object.entries((asking["inputRequests"] ?? {}) as { [name: string]: InputRequest }); // the handler's type
  const answers = await Promise.all(questions.map(async ([name, question]) => [name, await run.ask(name, question, `#${round}`)] as const));
  const { inputResponses: _responses, requestState: _state, ...params } = context.params;
  context.params = { ...params, inputResponses: Object.fromEntries(answers) }; // checked when they arrived
  if (typeof asking["requestState"] === "string") context.params["requestState"] = asking["requestState"];
}
