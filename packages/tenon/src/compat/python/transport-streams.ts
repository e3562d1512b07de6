/** A `Transport` as a pair of streams, for code that works on streams: the reverse of `StreamTransport`. */
import { MalformedMessage, type Incoming } from "../../jsonrpc/incoming.ts";
import { isBatch } from "../../jsonrpc/message.ts";
import { ConnectionClosedError } from "../../jsonrpc/mcp-error.ts";
import type { MessageReader, MessageWriter, SessionMessage, TransportStreams } from "../../transport/session-message.ts";
import type { SendOptions, Transport } from "../../transport/transport.ts";

/**
 * The streams of an open transport. Disposing of either closes it, and so does leaving `await using`. A malformed message arrives
 * as its error, which needs no response; the messages of a batch arrive one by one.
 */
export function toStreams(transport: Transport): TransportStreams & AsyncDisposable {
  const close = (): Promise<void> => transport.close();
  const read: MessageReader = {
    [Symbol.asyncIterator]: () => readFrom(transport),
    get lastContext() {
      return transport.lastContext;
    },
    [Symbol.asyncDispose]: close,
  };
  const write: MessageWriter = {
    send: async ({ message, metadata }) => transport.send(message, metadata && optionsOf(metadata)),
    [Symbol.asyncDispose]: close,
  };
  return { read, write, [Symbol.asyncDispose]: close };
}

async function* readFrom(transport: Transport): AsyncGenerator<SessionMessage | Error, void, undefined> {
  for (;;) {
    let incoming: Incoming;
    try {
      incoming = await transport.receive();
    } catch (error) {
      if (error instanceof ConnectionClosedError) return;
      throw error;
    }
    for (const one of isBatch(incoming) ? incoming : [incoming]) {
      const { lastMetadata: metadata } = transport;
      if (one instanceof MalformedMessage) yield one.error;
      else yield metadata === undefined ? { message: one } : { message: one, metadata };
    }
  }
}

function optionsOf(metadata: NonNullable<SessionMessage["metadata"]>): SendOptions | undefined {
  if (metadata.kind === "client") return { metadata };
  return metadata.relatedRequestId === undefined ? undefined : { relatedRequestId: metadata.relatedRequestId };
}
