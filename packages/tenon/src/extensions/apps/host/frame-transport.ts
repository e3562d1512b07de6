/**
 * JSON-RPC over `postMessage`, between a page and one of its frames, as a `Transport`.
 *
 * It reads messages only of that frame's window and of one origin, and posts to that origin only: if the frame shows another page,
 * nothing reaches it. A frame that sends more than its limits is cut off.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { TokenBucket } from "../../../base/bounds/token-bucket.ts";
import { MalformedMessage, type Incoming, type Outgoing } from "../../../jsonrpc/incoming.ts";
import { ConnectionClosedError, LimitExceededError, McpError, toClosedError } from "../../../jsonrpc/mcp-error.ts";
import { isJsonObject, isRequestId, type RequestId } from "../../../jsonrpc/message.ts";
import { parseMessage } from "../../../jsonrpc/parse.ts";
import { stringifyMessage } from "../../../jsonrpc/serialise.ts";
import { ReceiveQueue } from "../../../transport/receive-queue.ts";
import type { Transport } from "../../../transport/transport.ts";
import { toBoundedText } from "../../../transport/message-size.ts";

/** Options of a {@link FrameTransport}. */
export interface FrameTransportOptions {
  /** The most characters of one message that is received. Default 262 144. */
  readonly maxMessageSize?: number;
  /** Messages a second that are received; more are dropped, and after ten times as many the transport closes. Default 100. */
  readonly messagesPerSecond?: number;
  /** Called with each message that is sent or received, before it is checked. It must not throw. Default: not called. */
  readonly onTraffic?: ((sender: "host" | "view", message: unknown) => void) | undefined;
  /** Called when messages are dropped, once for each flood. Default: ignored. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** Drops in a row, in seconds of the permitted rate, that close a transport. */
const PATIENCE = 10;
/** Milliseconds without a drop after which the next one is another flood, and reported. */
const QUIET = 1_000;

/** A connection to a frame of this page. A dispatcher owns it, or `AppHost` does. */
export class FrameTransport implements Transport {
  readonly kind = "frame";
  readonly #frame: Window;
  readonly #origin: string;
  readonly #options: FrameTransportOptions;
  readonly #maxMessageSize: number;
  readonly #queue = new ReceiveQueue();
  readonly #rate: TokenBucket;
  readonly #drops: TokenBucket;
  readonly #messagesPerSecond: number;
  #lastDrop = -Infinity;

  /**
   * Reads from now on.
   * @param frame  the `contentWindow` of the frame
   * @param origin the origin of its page, such as `https://sandbox.example`. Security: never `"*"`
   */
  constructor(frame: Window, origin: string, options: FrameTransportOptions = {}) {
    const { maxMessageSize = 262_144, messagesPerSecond = 100 } = options;
    this.#frame = frame;
    this.#origin = origin;
    this.#options = options;
    this.#maxMessageSize = maxMessageSize;
    this.#messagesPerSecond = messagesPerSecond;
    this.#rate = new TokenBucket(messagesPerSecond, performance.now());
    this.#drops = new TokenBucket(messagesPerSecond, performance.now(), PATIENCE * messagesPerSecond);
    addEventListener("message", this.#onMessage);
  }

  #onMessage = ({ source, origin, data }: MessageEvent): void => {
    if (source !== this.#frame || origin !== this.#origin || this.#queue.ended) return;
    if (!this.#rate.take(performance.now())) return this.#drop();
    this.#options.onTraffic?.("view", data);
    try {
      const text = toBoundedText(data, this.#maxMessageSize);
      this.#queue.push(parseMessage(text), text.length);
    } catch (error) {
      const refusal = McpError.isMcpError(error) ? error : toClosedError(error);
      this.#queue.push(new MalformedMessage(refusal, idOf(data), !isJsonObject(data) || !("method" in data)), 0);
    }
  };

  /** Drops one message of too many. The first of a flood is reported. */
  #drop(): void {
    const now = performance.now();
    const error = new LimitExceededError("limits.messagesPerSecond", this.#messagesPerSecond);
    if (now - this.#lastDrop >= QUIET) this.#options.onError?.(error);
    this.#lastDrop = now;
    if (!this.#drops.take(now)) void this.close(error);
  }

  send(message: Outgoing): void {
    if (this.#queue.ended) throw new ConnectionClosedError();
    const plain: unknown = JSON.parse(stringifyMessage(message)); // what is posted is copied, and JSON is all that a view may get
    this.#options.onTraffic?.("host", plain);
    this.#frame.postMessage(plain, this.#origin);
  }

  receive(): MaybePromise<Incoming> {
    return this.#queue.receive();
  }

  close(reason?: unknown): Promise<void> {
    removeEventListener("message", this.#onMessage);
    this.#queue.end(toClosedError(reason));
    return Promise.resolve();
  }
}

/** The id of a request that is refused, so that its sender gets an error. */
function idOf(data: unknown): RequestId | null {
  const id = isJsonObject(data) && "method" in data ? data["id"] : undefined;
  return isRequestId(id) ? id : null;
}
