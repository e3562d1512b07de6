/**
 * A pair of streams as a `Transport`: the adapter for sessions over read and write streams.
 *
 * Values are copied as JSON would copy them, and messages are checked like the text of any peer. Errors that arrive as values are
 * reported and get no response, because the maker of the streams already handled what it could not read.
 */
import { systemClock, finishesWithin } from "../base/clock.ts";
import type { RunInContext } from "../base/async-context.ts";
import { checkMessage } from "../jsonrpc/parse.ts";
import { MalformedMessage, type Incoming, type Outgoing } from "../jsonrpc/incoming.ts";
import { isBatch } from "../jsonrpc/message.ts";
import { ConnectionClosedError, ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import { cloneJson } from "../jsonrpc/clone-json.ts";
import type { MessageMetadata, SessionMessage, TransportStreams } from "./session-message.ts";
import type { SendOptions, Transport } from "./transport.ts";

/** Milliseconds that the streams get to close. */
const CLOSE_TIMEOUT = 2_000;

/**
 * Read and write streams as a {@link Transport}, for `JsonRpcDispatcher` and sessions. Closing it disposes of both streams and
 * waits 2 000 milliseconds at most.
 */
export class StreamTransport implements Transport {
  readonly kind = "streams";
  readonly #streams: TransportStreams;
  readonly #items: AsyncIterator<SessionMessage | Error>;
  #lastMetadata: MessageMetadata | undefined;
  /** Ends the pending read. */
  #interrupt: ((reason: ConnectionClosedError) => void) | undefined;
  #closing: Promise<void> | undefined;

  /** Takes ownership of the streams: no other code may read, write or dispose of them. */
  constructor(streams: TransportStreams) {
    this.#streams = streams;
    this.#items = streams.read[Symbol.asyncIterator]();
  }

  /** Metadata of the last received message. */
  get lastMetadata(): MessageMetadata | undefined {
    return this.#lastMetadata;
  }

  /** The context that the last received message was sent from. */
  get lastContext(): RunInContext | undefined {
    return this.#streams.read.lastContext;
  }

  async send(message: Outgoing, options?: SendOptions): Promise<void> {
    if (this.#closing !== undefined) throw new ConnectionClosedError();
    const metadata = metadataOf(options);
    for (const one of isBatch(message) ? message : [message]) {
      const copy = cloneJson(one);
      await this.#streams.write.send(metadata === undefined ? { message: copy } : { message: copy, metadata });
    }
  }

  receive(): Promise<Incoming> {
    return new Promise((resolve, reject) => {
      if (this.#closing !== undefined) return reject(new ConnectionClosedError());
      this.#interrupt = reject;
      this.#items.next().then(
        ({ done, value }) => (done === true ? reject(new ConnectionClosedError()) : resolve(this.#toIncoming(value))),
        (cause: unknown) => reject(new ConnectionClosedError(undefined, undefined, { cause })),
      );
    });
  }

  #toIncoming(item: SessionMessage | Error): Incoming {
    if (item instanceof Error) return new MalformedMessage(toMcpError(item), null, true);
    this.#lastMetadata = item.metadata;
    return checkMessage(item.message);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#interrupt?.(new ConnectionClosedError());
    const { read, write } = this.#streams;
    await finishesWithin(systemClock, CLOSE_TIMEOUT, Promise.allSettled([dispose(write), dispose(read)]));
  }
}

async function dispose(stream: AsyncDisposable): Promise<void> {
  await stream[Symbol.asyncDispose]();
}

function metadataOf({ relatedRequestId, metadata }: SendOptions = {}): MessageMetadata | undefined {
  return relatedRequestId === undefined ? metadata : { kind: "server", relatedRequestId };
}

function toMcpError(error: Error): McpError {
  return McpError.isMcpError(error) ? error : new McpError(ErrorCode.ParseError, error.message, undefined, { cause: error });
}
