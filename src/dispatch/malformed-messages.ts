/**
 * What arrives on one connection and is not a message: whether it is answered, and when there was too much of it.
 *
 * Two sides that take each other's answers for garbage would go on for ever, so these answers have a rate.
 */
import { TokenBucket } from "../base/token-bucket.ts";
import { ProtocolViolationError } from "../jsonrpc/mcp-error.ts";
import type { RequestId } from "../jsonrpc/message.ts";
import type { Channel } from "./channel.ts";

export class MalformedMessages {
  readonly #channel: Channel;
  readonly #rate: TokenBucket;
  #inARow = 0;

  constructor(channel: Channel) {
    this.#channel = channel;
    this.#rate = new TokenBucket(channel.limits.maxMalformedAnswers, channel.clock.now());
  }

  /** A message arrived. */
  reset(): void {
    this.#inARow = 0;
  }

  /** Whether a malformed request is answered: always if it has an id or came in a batch, else as often as the rate allows. */
  isAnswered(id: RequestId | null, inBatch: boolean): boolean {
    return this.#channel.answerMalformed && (id !== null || inBatch || this.#rate.take(this.#channel.clock.now()));
  }

  /** One more arrived. @throws ProtocolViolationError `limits.maxMalformed` when it was one too many: close the connection */
  count(): void {
    const max = this.#channel.limits.maxMalformed;
    if (++this.#inARow < max) return;
    throw new ProtocolViolationError(`${max} messages in a row were not JSON-RPC (limit "limits.maxMalformed")`, {
      limit: "limits.maxMalformed",
      max,
    });
  }
}
