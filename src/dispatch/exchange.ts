/**
 * Both halves of one connection and the routing between them: the engine of every dispatcher.
 *
 * Messages are pushed in by whoever reads (`JsonRpcDispatcher` from a transport, the direct pair from its peer) and
 * leave through the link. Accepting a message never waits.
 */
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import { isRequest, isResponse, type JsonObject, type JSONRPCMessage, type JSONRPCRequest, type RequestId } from "../jsonrpc/message.ts";
import { ErrorCode, McpError, McpUsageError, ProtocolViolationError } from "../jsonrpc/mcp-error.ts";
import { isBatch, MalformedMessage, type Incoming } from "../jsonrpc/incoming.ts";
import { Answers, type AnswerPolicy } from "./answers.ts";
import { Batch } from "./batch.ts";
import { Calls } from "./calls.ts";
import type { OnNotification, OnRequest, Outbound, RequestOptions } from "./dispatcher.ts";
import type { Link } from "./link.ts";
import { TokenBucket } from "./token-bucket.ts";

export interface ExchangePolicy extends AnswerPolicy {
  /** Whether what is not a message is answered (a server must) or only reported (a client). */
  readonly answerMalformed: boolean;
}

const NO_OPTIONS: RequestOptions = {};

export class Exchange implements Outbound {
  readonly answers: Answers;
  /** Whether arrays of messages are legal right now. */
  acceptsBatches: boolean = false;
  readonly #calls: Calls;
  readonly #link: Link;
  readonly #policy: ExchangePolicy;
  #onRequest: OnRequest | undefined;
  #onNotification: OnNotification | undefined;
  #closed: McpError | undefined;
  #malformed = 0;
  #malformedAnswers: TokenBucket | undefined;

  constructor(link: Link, policy: ExchangePolicy) {
    this.#link = link;
    this.#policy = policy;
    this.#calls = new Calls(link, policy.limits);
    this.answers = new Answers(link, policy, this.#calls);
  }

  /** @throws McpUsageError when started already */
  start(onRequest: OnRequest, onNotification: OnNotification): void {
    if (this.#onRequest !== undefined) throw new McpUsageError("This dispatcher is running already");
    this.#onRequest = onRequest;
    this.#onNotification = onNotification;
  }

  request(method: string, params?: JsonObject, options: RequestOptions = NO_OPTIONS): Promise<JsonObject> {
    if (this.#onRequest === undefined && this.#closed === undefined)
      return Promise.reject(new McpUsageError(`Request "${method}" was made before the connection was started`));
    return this.#calls.send(method, params, options);
  }

  notify(method: string, params?: JsonObject): MaybePromise<void> {
    if (this.#closed !== undefined) return undefined;
    return this.#link.tell(params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params });
  }

  /** Takes one arrival. @throws ProtocolViolationError when too many in a row were not messages: close the connection */
  accept(incoming: Incoming): void {
    if (isBatch(incoming)) this.#acceptBatch(incoming);
    else this.#acceptOne(incoming, undefined);
  }

  #acceptOne(message: JSONRPCMessage | MalformedMessage, batch: Batch | undefined): void {
    if (this.#closed !== undefined) return;
    if (message instanceof MalformedMessage) return this.#acceptMalformed(message, batch);
    this.#malformed = 0;
    if (isResponse(message)) this.#calls.settle(message);
    else if (isRequest(message)) this.answers.accept(message, this.#onRequest!, batch);
    else this.#acceptNotification(message.method, message.params);
  }

  #acceptNotification(method: string, params: JsonObject | undefined): void {
    if (method === "notifications/cancelled") {
      this.answers.cancel(params);
      return this.#calls.cancelled(params);
    }
    if (method === "notifications/progress") this.#calls.progressed(params);
    try {
      const done = this.#onNotification!(method, params);
      if (isPromise(done)) done.catch((error: unknown) => this.#link.report(error));
    } catch (error) {
      this.#link.report(error);
    }
  }

  #acceptBatch(items: readonly (JSONRPCMessage | MalformedMessage)[]): void {
    if (!this.acceptsBatches) {
      return this.#acceptOne(
        new MalformedMessage(new McpError(ErrorCode.InvalidRequest, "Batches are not part of this protocol revision")),
        undefined,
      );
    }
    const related = items.find((item): item is JSONRPCRequest => !(item instanceof MalformedMessage) && isRequest(item))?.id;
    const batch = new Batch((answers) => {
      if (this.#closed === undefined) void this.#link.tell(answers, related);
    });
    for (const item of items) this.#acceptOne(item, batch);
    batch.seal();
  }

  #acceptMalformed(item: MalformedMessage, batch: Batch | undefined): void {
    this.#link.report(item.error);
    if (item.isResponse) {
      if (item.id !== null) this.#calls.violated(item.id, item.error);
    } else if (this.#policy.answerMalformed && (item.id !== null || batch !== undefined || this.#mayAnswerMalformed())) {
      const answer: JSONRPCMessage = { jsonrpc: "2.0", id: item.id, error: item.error.toErrorData() };
      if (batch === undefined) void this.#link.tell(answer);
      else batch.add(answer);
    }
    const max = this.#policy.limits.maxMalformed;
    if (++this.#malformed < max) return;
    throw new ProtocolViolationError(`${max} messages in a row were not JSON-RPC (limit "maxMalformed")`, { limit: "maxMalformed", max });
  }

  /** Two sides that take each other's answers for garbage would go on for ever (F1). */
  #mayAnswerMalformed(): boolean {
    const now = this.#link.clock.now();
    this.#malformedAnswers ??= new TokenBucket(this.#policy.limits.maxMalformedAnswers, now);
    return this.#malformedAnswers.take(now);
  }

  /** Whoever carries one call of ours knows that no answer will come: it fails, the others go on. */
  failCall(id: RequestId, error: unknown): void {
    this.#calls.fail(id, error);
  }

  /** The peer sends nothing more: calls fail from now on, what runs may still answer. */
  peerClosed(error: McpError): void {
    this.#calls.failAll(error);
  }

  /** Ends everything: calls fail with `error`, handlers are aborted and their answers dropped. Idempotent. */
  close(error: McpError): void {
    if (this.#closed !== undefined) return;
    this.#closed = error;
    this.#calls.failAll(error);
    this.answers.cancelAll(error);
  }
}
