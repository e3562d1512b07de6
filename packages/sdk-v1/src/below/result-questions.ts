/**
 * Questions of official handlers on revisions without a handshake, where a server sends no requests (MCP 2026-07-28, Base Protocol): they are
 * asked in the result of the call.
 *
 * The client sends the call again with its answer. Then the handler goes on, or runs again if the answer comes to another process. So
 * questions are known by their place in the order.
 */
import { ErrorCode, type JSONRPCRequest, McpError } from "mcp-sdk-v1/types.js";
import type { InputRequest, JsonObject } from "tenon";
import type { RequestContext } from "tenon/server";

/** What a server may ask in the result of a request (MCP 2026-07-28, Multi Round-Trip Requests). */
const QUESTIONS = ["elicitation/create", "sampling/createMessage", "roots/list"] as const;

export class ResultQuestions {
  readonly #mayRepeat: boolean;
  /** How many questions each handler has asked. */
  readonly #asked = new WeakMap<RequestContext, number>();

  /** @param mayRepeat whether handlers may run again: the option `repeatableHandlers` */
  constructor(mayRepeat: boolean) {
    this.#mayRepeat = mayRepeat;
  }

  /** @throws McpError if the handlers may not run again, or the request is not a question */
  ask({ method, params }: JSONRPCRequest, context: RequestContext): Promise<JsonObject> {
    const kind = QUESTIONS.find((known) => known === method);
    if (!this.#mayRepeat || kind === undefined) throw notSent(method, context, kind !== undefined);
    const place = (this.#asked.get(context) ?? 0) + 1;
    this.#asked.set(context, place);
    const { _meta, task: _task, ...asked } = params ?? {};
    const { progressToken: _token, ...meta } = _meta ?? {};
    const question = { method: kind, params: { ...asked, ...(Object.keys(meta).length > 0 && { _meta: meta }) } } as InputRequest; // the official schemas are of the same requests
    return context.passOn(`question ${place}`, question);
  }
}

function notSent(method: string, { protocolVersion }: RequestContext, isQuestion: boolean): McpError {
  const way = isQuestion
    ? `set the option "repeatableHandlers" of the server if its handlers may run again, or ask with ctx.elicit of a tool on server.tenon`
    : "only questions to the user and to the model have another way";
  return new McpError(ErrorCode.InvalidRequest, `${protocolVersion} has no requests of the server, so "${method}" cannot be sent: ${way}`);
}
