/**
 * Joins an official `Server` with the Tenon server below it: what the official one takes for its transport.
 *
 * Requests of clients come from Tenon, each with a context; the official handler's response settles them. What the official server
 * sends goes out on the channel of the request that it belongs to, or on the connection.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Transport, TransportSendOptions } from "mcp-sdk-v1/shared/transport.js";
import type {
  JSONRPCErrorResponse,
  JSONRPCMessage,
  JSONRPCRequest,
  JSONRPCResultResponse,
  MessageExtraInfo,
  RequestId,
} from "mcp-sdk-v1/types.js";
import type { JsonObject, MaybePromise, Outbound } from "tenon";
import type { RequestContext } from "tenon/server";
import { isStatefulVersion, LOG_LEVEL_KEY, McpError, onAbort } from "tenon/internal/embedding";
import { CHANGED } from "./changed-lists.ts";
import { errorObjectOf } from "./error-object.ts";
import type { Asked } from "./newest-tasks.ts";
import type { OfficialParts } from "./official-parts.ts";
import { ResultQuestions } from "./result-questions.ts";

interface InboundCall {
  readonly context: RequestContext;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: Error) => void;
}

/** Where messages go that belong to no request. */
export interface Connected {
  readonly sessionId: string | undefined;
  /** The connection of `connect()`. */
  readonly outbound: Outbound | undefined;
  /** Sends a notification to the clients that it concerns. */
  notifyAll(method: string, params: JsonObject | undefined): MaybePromise<void>;
}

/** Notifications for all clients, whichever request they are sent in. */
const CHANGES = new Set([...CHANGED.keys(), "notifications/resources/updated"]);

type Response = JSONRPCResultResponse | JSONRPCErrorResponse;

export class Bridge implements Transport {
  readonly #official: OfficialParts;
  readonly #connected: Connected;
  readonly #calls = new Map<RequestId, InboundCall>();
  /** The request whose handler runs: what a handler sends without naming its request goes to the client of that request. */
  readonly #current = new AsyncLocalStorage<RequestContext>();
  /** What cancels each request to the client, by the id that the official server gave it. */
  readonly #questions = new Map<RequestId, AbortController>();
  readonly #results: ResultQuestions;
  /** The session of each request whose work is a task in the owner's store: without one, every session could list and read the task. */
  readonly #taskSessions = new WeakMap<RequestContext, string>();

  /** @param mayRepeat whether handlers may run again from their first line, as questions without a handshake need it */
  constructor(official: OfficialParts, connected: Connected, mayRepeat: boolean) {
    this.#official = official;
    this.#connected = connected;
    this.#results = new ResultQuestions(mayRepeat);
  }

  get sessionId(): string | undefined {
    const context = this.current;
    return (context && this.#taskSessions.get(context)) ?? this.#connected.sessionId;
  }

  /** The request whose handler runs, if its client is not the one of `connect()`, or has made no handshake. */
  get current(): RequestContext | undefined {
    return this.#current.getStore();
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /**
   * Runs the official handler of a request.
   * @param id must differ from the ids of all requests that run
   * @param asked what is asked in the place of the request
   * @param own whether the request is of the client that made the handshake of `connect()`
   */
  run(
    context: RequestContext,
    { id, extra, own, asked }: { id: RequestId; extra: MessageExtraInfo | undefined; own: boolean; asked: Asked | undefined },
  ): Promise<JsonObject> {
    const { method, params } = asked ?? context;
    if (asked !== undefined && !this.#taskSessions.has(context)) this.#taskSessions.set(context, crypto.randomUUID());
    return new Promise<JsonObject>((resolve, reject) => {
      const stop = onAbort(context.cancellation, () => {
        const { reason } = context.signal;
        this.#official._requestHandlerAbortControllers.get(id)?.abort(reason);
        end(() => reject(reason instanceof Error ? reason : new Error(String(reason))));
      });
      const end = (settle: () => void): void => {
        stop();
        this.#calls.delete(id);
        settle();
      };
      this.#calls.set(id, {
        context,
        resolve: (result) => end(() => resolve(result)),
        reject: (error) => end(() => reject(error)),
      });
      const request = { jsonrpc: "2.0", id, method, params } as JSONRPCRequest; // params were decoded from such a message
      if (own) this.#official._onrequest(request, extra);
      else this.#current.run(context, () => this.#official._onrequest(request, extra));
    });
  }

  /** Called by the official server with each message that it sends. @throws Error "Not connected" */
  async send(message: JSONRPCMessage, { relatedRequestId }: TransportSendOptions = {}): Promise<void> {
    if (!("method" in message)) return this.#respond(message);
    const context = this.#calls.get(relatedRequestId ?? "")?.context ?? this.current;
    if ("id" in message) {
      if (context !== undefined && !isStatefulVersion(context.protocolVersion))
        return this.#answer(message.id, this.#results.ask(message, context));
      return this.#ask(message, context?.outbound ?? this.#connected.outbound);
    }
    const params = message.params;
    const cancelled = message.method === "notifications/cancelled" ? this.#questions.get(params?.["requestId"] as RequestId) : undefined;
    if (cancelled !== undefined) return cancelled.abort(params?.["reason"]);
    await (context === undefined || CHANGES.has(message.method)
      ? this.#connected.notifyAll(message.method, params)
      : notifyClient(context, message.method, params));
  }

  #respond(message: Response): void {
    const call = message.id === undefined ? undefined : this.#calls.get(message.id);
    if (call === undefined) return; // it was cancelled
    if ("result" in message) return call.resolve(message.result);
    const { code, message: text, data } = message.error;
    call.reject(new McpError(code, text, data));
  }

  /** Sends a request to the client. The official server keeps its time, so it has no limit here. */
  #ask({ id, method, params }: JSONRPCRequest, outbound: Outbound | undefined): void {
    if (outbound === undefined) throw new Error("Not connected");
    const abort = new AbortController();
    this.#questions.set(id, abort);
    const wantsProgress = this.#official._progressHandlers.has(Number(id));
    const response = outbound.request(method, params, {
      timeout: Infinity,
      maxTotalTimeout: Infinity,
      signal: abort.signal,
      ...(wantsProgress && {
        onProgress: (progress) =>
          this.#official._onprogress({ jsonrpc: "2.0", method: "notifications/progress", params: { ...progress, progressToken: id } }),
      }),
    });
    this.#answer(id, response);
  }

  /** Gives the official server the answer to its question. */
  #answer(id: RequestId, answer: Promise<JsonObject>): void {
    const answered = (response: Response): void => {
      this.#questions.delete(id);
      if (this.#official._responseHandlers.has(Number(id))) this.#official._onresponse(response);
    };
    answer.then(
      (result) => answered({ jsonrpc: "2.0", id, result }),
      (error: unknown) => answered({ jsonrpc: "2.0", id, error: errorObjectOf(error) }),
    );
  }
}

/** Sends a notification to the client of a request. Clients without a handshake get log messages only if the request asks for them. */
function notifyClient(context: RequestContext, method: string, params: JsonObject | undefined): MaybePromise<void> {
  if (method === "notifications/message" && !isStatefulVersion(context.protocolVersion) && !(LOG_LEVEL_KEY in context.meta)) return;
  return context.notify(method, params);
}
