/** `socketTransport()`: MCP over a socket or any pair of byte streams, one message a line, as stdio has it. */
import type { Readable, Writable } from "node:stream";
import type { Transport } from "../../transport/transport.ts";
import { StdioTransport, type StdioLimits } from "./stdio-transport.ts";

/** A socket, or the two streams of a connection. */
export type ByteStreams =
  | (Readable & Writable)
  | {
      /** The stream to read from. */
      readonly input: Readable;
      /** The stream to write to. */
      readonly output: Writable;
    };

/**
 * A connection over byte streams: TCP, a named pipe, a Unix socket. Closing it ends the output and destroys the input, and both are destroyed when
 * the connection ends.
 *
 * Security: nothing here authenticates. Listen on an address that only the right programs reach.
 * @param limits of lines, messages and queues. Default: the limits of `serveStdio()`
 */
export function socketTransport(streams: ByteStreams, limits: Partial<StdioLimits> = {}): Transport {
  const { input, output } = "input" in streams ? streams : { input: streams, output: streams };
  const transport = new StdioTransport({ input, output, limits });
  const close = transport.close.bind(transport);
  transport.close = async (reason) => {
    await close(reason);
    output.end();
    input.destroy();
  };
  return transport;
}
