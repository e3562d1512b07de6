/**
 * The malformed messages of one connection: whether one gets a response, and when there were too many.
 *
 * Two peers that take each other's error responses for malformed messages would continue for ever, so these responses have a rate
 * limit.
 */
import { TokenBucket } from "../base/bounds/token-bucket.ts";
import { ProtocolViolationError } from "../jsonrpc/mcp-error.ts";
import type { RequestId } from "../jsonrpc/message.ts";
import type { Channel } from "./channel.ts";

/** Error responses a second, and as many at once, to malformed messages without an id; the others are only reported. */
const MAX_RESPONSES = 10;

export class MalformedMessages {
  readonly #channel: Channel;
  readonly #rate: TokenBucket;
  #inARow = 0;

  constructor(channel: Channel) {
    this.#channel = channel;
    this.#rate = new TokenBucket(MAX_RESPONSES, channel.clock.now());
  }

  reset(): void {
    this.#inARow = 0;
  }

  /** Whether a malformed request gets a response: always if it has an id or came in a batch, else as often as the rate allows. */
  shouldRespond(id: RequestId | null, inBatch: boolean): boolean {
    return this.#channel.respondToMalformed && (id !== null || inBatch || this.#rate.take(this.#channel.clock.now()));
  }

  /** Counts one more. @throws ProtocolViolationError `limits.maxMalformed` if it was one too many: close the connection */
  count(): void {
    const max = this.#channel.limits.maxMalformed;
    if (++this.#inARow < max) return;
    throw new ProtocolViolationError(`${max} messages in a row were not JSON-RPC (limit "limits.maxMalformed")`, {
      limit: "limits.maxMalformed",
      max,
    });
  }
}
