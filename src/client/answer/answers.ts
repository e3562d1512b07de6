/**
 * Answers the server: its requests, and the questions in the results of calls.
 *
 * A question is read by the codec, passes the middleware for both ways and ends at a callback of the user (the pipeline
 * composes that way: `call/pipeline.ts`). The result of a callback is checked before it leaves. What a callback throws is
 * reported to the operator, and the server is not told.
 */
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { ErrorCode, isErrorData, McpError, ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { InputRequest, InputResponse } from "../../protocol/input-required.ts";
import type { InboundRequest, RawResult } from "../../dispatch/dispatcher.ts";
import type { Handler } from "../../session/handler.ts";
import type { ServerConnection } from "../connection.ts";
import { answerByCallback, isQuestion } from "./answer-by-callback.ts";
import type { AskedRequest, Callbacks } from "./callbacks.ts";
import { Nesting } from "./nesting.ts";

/** What answering needs of the session. */
export interface AnswerHost<Session> {
  readonly connection: ServerConnection;
  readonly options: Callbacks<Session> & { readonly limits?: { readonly maxDepth?: number } };
  /** Handed to the callbacks. */
  readonly session: Session;
  /** Tells the operator. */
  readonly report: (error: unknown) => void;
}

/** Answers the questions that come in results. */
export interface Answerer {
  /**
   * Answers one question by the callbacks of the client.
   * @throws McpError or what the callback threw: there is no way to tell the server
   */
  answerQuestion(question: InputRequest, asking: Asking): MaybePromise<InputResponse>;
}

/** Under which name a question came, and what aborts its callback. */
type Asking = Pick<AskedRequest<unknown>, "requestId" | "signal">;

/** Questions to people and models take a while, and their callbacks may call tools meanwhile. */
const NESTING: ReadonlySet<string> = new Set(["elicitation/create", "sampling/createMessage"]);

export class Answers<Session> implements Answerer {
  /** How deep the answers of this session lie in each other. */
  readonly nesting: Nesting;
  /** All that a question passes, middleware first. The pipeline puts its layers around {@link callbacks}. */
  handler: Handler<AskedRequest<Session>>;
  /** The user's callbacks: the innermost layer. */
  readonly callbacks: Handler<AskedRequest<Session>> = (asked) => answerByCallback(this.#host.options, asked);
  readonly #host: AnswerHost<Session>;

  /** @throws RangeError if `limits.maxDepth` is below 1 */
  constructor(host: AnswerHost<Session>) {
    this.#host = host;
    this.nesting = new Nesting(host.options.limits?.maxDepth);
    this.handler = this.callbacks;
  }

  /** Answers a request of the server. @throws McpError ready for the wire */
  answerRequest(request: InboundRequest): MaybePromise<RawResult> {
    const { method } = request;
    const { connection } = this.#host;
    const { codec, extensions } = connection;
    if (codec.stateless) throw this.#notAllowed(request);
    const isKnown = isQuestion(method) || extensions?.answers(method) === true;
    if (!isKnown || !codec.hasRequest(method, "server")) throw new McpError(ErrorCode.MethodNotFound, "Method not found", method);
    const params = codec.decodeParams(method, request.params);
    const encode = (result: JsonObject): RawResult => request.encode(this.#encode(method, result));
    try {
      const answer = this.#answer(this.#asked(request, params));
      return isPromise(answer) ? (connection.dispatcher.pauses?.during(answer) ?? answer).then(encode).catch(this.#fail) : encode(answer);
    } catch (error) {
      return this.#fail(error);
    }
  }

  /** Says why a request must not be answered at all. */
  #notAllowed(request: InboundRequest): McpError {
    const { version } = this.#host.connection.codec;
    const violation = new ProtocolViolationError(`The server sent the request "${request.method}", which ${version} does not allow`);
    request.ignore();
    this.#host.report(violation);
    return violation;
  }

  /** @throws McpError that may be sent: one with an integer code. The server learns nothing of any other error */
  readonly #fail = (error: unknown): never => {
    const maySend = McpError.isMcpError(error) && isErrorData(error);
    if (!maySend || error.cause !== undefined) this.#host.report(error);
    throw maySend ? error : new McpError(ErrorCode.InternalError, "Internal error");
  };

  answerQuestion(question: InputRequest, asking: Asking): MaybePromise<InputResponse> {
    const { method, params = {} } = question;
    const { connection, session } = this.#host;
    const encode = (result: JsonObject): InputResponse => this.#encode(method, result) as InputResponse; // checked just now
    const answer = this.#answer({
      method,
      params,
      requestId: asking.requestId,
      meta: params._meta,
      session,
      asked: "result",
      protocolVersion: connection.codec.version,
      get signal(): AbortSignal {
        return asking.signal;
      },
    });
    return isPromise(answer) ? answer.then(encode) : encode(answer);
  }

  #answer(asked: AskedRequest<Session>): MaybePromise<JsonObject> {
    return NESTING.has(asked.method) ? this.nesting.answer(() => this.handler(asked)) : this.handler(asked);
  }

  /** @throws McpError -32603 for a result that no server may be sent */
  #encode(method: string, result: JsonObject): JsonObject {
    const { codec } = this.#host.connection;
    let checked: JsonObject;
    try {
      checked = codec.decodeResult(method, result);
    } catch (cause) {
      throw new McpError(ErrorCode.InternalError, "Client callback returned an invalid result", undefined, { cause });
    }
    return codec.encodeResult(method, checked);
  }

  #asked(request: InboundRequest, params: JsonObject): AskedRequest<Session> {
    const meta = params["_meta"];
    return {
      method: request.method,
      params,
      asked: "request",
      protocolVersion: this.#host.connection.codec.version,
      session: this.#host.session,
      requestId: request.requestId,
      meta: isJsonObject(meta) ? meta : undefined,
      get signal(): AbortSignal {
        return request.signal;
      },
    };
  }
}
