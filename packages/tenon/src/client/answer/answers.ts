/**
 * Answers the server: its requests, and the questions in the results of calls.
 *
 * The codec reads a question, the middleware for both ways passes it on, and a callback of the user answers it
 * (`client/call/pipeline.ts` puts these together). The result of a callback is checked before it is sent. An error that a callback
 * throws is reported to the operator; the server gets only an `McpError`.
 */
import { andThen, isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { ErrorCode, isErrorData, McpError, ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { InputRequest, InputResponse } from "../../protocol/input-required.ts";
import type { InboundRequest, RawResult } from "../../dispatch/dispatcher.ts";
import { sendNotification } from "../../session/send-notification.ts";
import type { Handler } from "../../session/handler.ts";
import { LATEST_HANDSHAKE_VERSION } from "../../protocol/versions.ts";
import type { Codec } from "../../wire/codec.ts";
import { codecFor } from "../../wire/revisions.ts";
import type { ServerConnection } from "../connection.ts";
import { AnswerProgress } from "./answer-progress.ts";
import { answerByCallback, hasCallback, hasResponder } from "./answer-by-callback.ts";
import type { AskedRequest, Callbacks } from "./callbacks.ts";
import { Nesting } from "./nesting.ts";

/** What answering needs of the session. */
export interface AnswerHost<Session> {
  readonly connection: ServerConnection;
  readonly options: Callbacks<Session> & { readonly limits?: { readonly maxDepth?: number } };
  readonly session: Session;
  readonly report: (error: unknown) => void;
}

export interface Answerer {
  /**
   * Answers one question by the callbacks of the client.
   * @throws McpError or what the callback threw. The server cannot be sent an error in this case
   */
  answerQuestion(question: InputRequest, asking: QuestionSource): MaybePromise<InputResponse>;
}

/** The name of a question, the signal that aborts its callback, and what the callback may pass it on to. */
type QuestionSource = Pick<AskedRequest<unknown>, "requestId" | "signal" | "relay">;

/** Questions whose callbacks may call tools while a user or a model answers. */
const NESTING: ReadonlySet<string> = new Set(["elicitation/create", "sampling/createMessage"]);

/** The codec of a question: of a revision that has it. */
function codecOfQuestion(codec: Codec, method: string): Codec {
  return codec.stateless || codec.hasRequest(method, "server") ? codec : codecFor(LATEST_HANDSHAKE_VERSION);
}

export class Answers<Session> implements Answerer {
  /** Counts how deep the answers of this session are nested. */
  readonly nesting: Nesting;
  /** Handles a question: middleware first, then {@link callbacks}. The pipeline composes it. */
  handler: Handler<AskedRequest<Session>>;
  /** Calls the user's callbacks. This is the innermost layer. */
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
    const isKnown = hasResponder(method) || extensions?.handlesRequest(method) === true;
    if (!isKnown || !this.#mayAsk(method)) throw new McpError(ErrorCode.MethodNotFound, "Method not found", method);
    const params = codecOfQuestion(codec, method).decodeParams(method, request.params, connection.reading);
    const encode = (result: JsonObject): RawResult => request.encode(this.#encode(method, result));
    try {
      const progress = new AnswerProgress(params["_meta"], (sent) => sendNotification(codec, request, "notifications/progress", sent));
      const answer = this.#answer(this.#asked(request, params, progress));
      if (!isPromise(answer)) return encode(answer);
      const paused = connection.dispatcher.pauses?.during(answer) ?? answer;
      // The server drops progress that comes after the answer.
      return paused.then((result) => andThen(progress.written, () => encode(result))).catch(this.#fail);
    } catch (error) {
      return this.#fail(error);
    }
  }

  /**
   * Whether the server may ask this. Java servers that serve HTTP+SSE ask for forms in a session of a revision that has none: a client that
   * has declared it answers.
   */
  #mayAsk(method: string): boolean {
    const { codec, reading } = this.#host.connection;
    if (codec.hasRequest(method, "server")) return true;
    if (reading.strict || !hasCallback(this.#host.options, method)) return false;
    const message = `The server asked "${method}", which revision ${codec.version} does not have`;
    reading.deviated({ kind: "newer-question", method, path: "method", message });
    return true;
  }

  /** Ignores and reports a request that the revision does not allow. Returns the error. */
  #notAllowed(request: InboundRequest): McpError {
    const { version } = this.#host.connection.codec;
    const violation = new ProtocolViolationError(`The server sent the request "${request.method}", which ${version} does not allow`);
    request.ignore();
    this.#host.report(violation);
    return violation;
  }

  /** @throws McpError that may be sent to the server. Every other error becomes "Internal error" */
  readonly #fail = (error: unknown): never => {
    const maySend = McpError.isMcpError(error) && isErrorData(error);
    if (!maySend || error.cause !== undefined) this.#host.report(error);
    throw maySend ? this.#withCodeOfRevision(error) : new McpError(ErrorCode.InternalError, "Internal error");
  };

  /** A code that the revision does not define, such as the code of a timeout at this side, is never sent. */
  #withCodeOfRevision(error: McpError): McpError {
    const { code, message, data } = this.#host.connection.codec.encodeError(error);
    return code === error.code ? error : new McpError(code, message, data);
  }

  answerQuestion(question: InputRequest, asking: QuestionSource): MaybePromise<InputResponse> {
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
      relay: asking.relay,
      progress: () => undefined,
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

  /** @throws McpError -32603 if the result of a callback is invalid */
  #encode(method: string, result: JsonObject): JsonObject {
    const codec = codecOfQuestion(this.#host.connection.codec, method);
    let checked: JsonObject;
    try {
      checked = codec.decodeResult(method, result);
    } catch (cause) {
      throw new McpError(ErrorCode.InternalError, "Client callback returned an invalid result", undefined, { cause });
    }
    return codec.encodeResult(method, checked);
  }

  #asked(request: InboundRequest, params: JsonObject, progress: AnswerProgress): AskedRequest<Session> {
    return {
      method: request.method,
      params,
      asked: "request",
      protocolVersion: this.#host.connection.codec.version,
      session: this.#host.session,
      requestId: request.requestId,
      related: request.transport.related,
      meta: progress.meta,
      progress: progress.report,
      get signal(): AbortSignal {
        return request.signal;
      },
    };
  }
}
