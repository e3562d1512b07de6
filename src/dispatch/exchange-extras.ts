/**
 * What a connection may never need: calls of this side and the answers to them, batches, and what is no message.
 *
 * A server on stdio loads it with the first of these (`late-extras.ts`); everybody else has it at once.
 */
import { ErrorCode, McpError, ProtocolViolationError } from "../jsonrpc/mcp-error.ts";
import { isBatch, MalformedMessage, type Incoming } from "../jsonrpc/incoming.ts";
import type { JsonObject, JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, RequestId } from "../jsonrpc/message.ts";
import { Batch } from "./batch.ts";
import { Calls } from "./calls.ts";
import type { RequestOptions } from "./dispatcher.ts";
import type { CreateExtras, Exchange, Extras } from "./exchange.ts";
import type { Link } from "./link.ts";
import { TokenBucket } from "../base/token-bucket.ts";

export const createExtras: CreateExtras = (exchange, link) => new ExchangeExtras(exchange, link);

class ExchangeExtras implements Extras {
  readonly #exchange: Exchange;
  readonly #link: Link;
  readonly #calls: Calls;
  /** Unusable messages in a row. */
  #malformed = 0;
  #malformedAnswers: TokenBucket | undefined;

  constructor(exchange: Exchange, link: Link) {
    this.#exchange = exchange;
    this.#link = link;
    this.#calls = new Calls(link);
  }

  send(method: string, params: JsonObject | undefined, options: RequestOptions, related?: RequestId): Promise<JsonObject> {
    return this.#calls.send(method, params, options, related);
  }

  fail(id: RequestId, error: unknown): void {
    this.#calls.fail(id, error);
  }

  failAll(error: McpError): void {
    this.#calls.failAll(error);
  }

  heard({ method, params }: JSONRPCRequest | JSONRPCNotification): void {
    this.#malformed = 0;
    if (method === "notifications/cancelled") this.#calls.cancelled(params);
    else if (method === "notifications/progress") this.#calls.progressed(params);
  }

  accept(incoming: Incoming): void {
    if (isBatch(incoming)) this.#acceptBatch(incoming);
    else this.#acceptOne(incoming);
  }

  #acceptBatch(items: readonly (JSONRPCMessage | MalformedMessage)[]): void {
    if (!this.#link.acceptsBatches) {
      return this.#acceptOne(
        new MalformedMessage(new McpError(ErrorCode.InvalidRequest, "Batches are not part of this protocol revision")),
      );
    }
    const related = items.find((item) => "method" in item && "id" in item)?.id ?? undefined;
    const batch = new Batch((answers) => {
      if (!this.#exchange.closed) void this.#link.tell(answers, related);
    });
    for (const item of items) this.#acceptOne(item, batch);
    batch.seal();
  }

  #acceptOne(message: JSONRPCMessage | MalformedMessage, batch?: Batch): void {
    if (this.#exchange.closed) return;
    if ("method" in message) return this.#exchange.take(message, batch);
    if (message instanceof MalformedMessage) return this.#acceptMalformed(message, batch);
    this.#malformed = 0;
    this.#calls.settle(message);
  }

  #acceptMalformed({ id, error, isResponse }: MalformedMessage, batch: Batch | undefined): void {
    this.#link.report(error);
    if (isResponse) {
      this.#calls.fail(
        id,
        new ProtocolViolationError(`The answer is not a valid JSON-RPC response: ${error.message}`, error.data, { cause: error }),
      );
    } else if (this.#link.answerMalformed && (id !== null || batch !== undefined || this.#mayAnswerMalformed())) {
      const answer: JSONRPCMessage = { jsonrpc: "2.0", id, error: error.toErrorData() };
      if (batch === undefined) void this.#link.tell(answer);
      else batch.add(answer);
    }
    const max = this.#link.limits.maxMalformed;
    if (++this.#malformed < max) return;
    throw new ProtocolViolationError(`${max} messages in a row were not JSON-RPC (limit "maxMalformed")`, { limit: "maxMalformed", max });
  }

  /** Two sides that take each other's answers for garbage would go on for ever (F1). */
  #mayAnswerMalformed(): boolean {
    const now = this.#link.clock.now();
    this.#malformedAnswers ??= new TokenBucket(this.#link.limits.maxMalformedAnswers, now);
    return this.#malformedAnswers.take(now);
  }
}
