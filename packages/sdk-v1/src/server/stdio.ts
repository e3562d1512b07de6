/** `StdioServerTransport` of the SDK 1.x, read and written by Tenon's transport. */
import type { Readable, Writable } from "node:stream";
import { StdioServerTransport as OfficialTransport } from "mcp-sdk-v1/server/stdio.js";
import type { JSONRPCMessage } from "mcp-sdk-v1/types.js";
import { StdioTransport } from "tenon/internal/embedding";
import { OwnedStdio } from "../below/owned-stdio.ts";
import { serveNatively } from "../below/served-connection.ts";

export * from "mcp-sdk-v1/server/stdio.js";

type Options = NonNullable<ConstructorParameters<typeof OfficialTransport>[2]>;

/** Serves the standard streams of this process. With another owner than a `Server` of this package it is the official transport. */
export class StdioServerTransport extends OfficialTransport {
  #transport: StdioTransport | undefined;
  #started = false;

  /** @param options `maxBufferSize`: most bytes of one message. Default 10 MiB */
  constructor(stdin: Readable = process.stdin, stdout: Writable = process.stdout, options: Options = {}) {
    super(stdin, stdout, options);
    const { maxBufferSize } = options;
    serveNatively(this, () => {
      this.#transport = new StdioTransport({
        input: stdin,
        output: stdout,
        onError: (error) => this.onerror?.(error),
        ...(maxBufferSize !== undefined && { limits: { maxLineBytes: maxBufferSize } }),
      });
      return new OwnedStdio(this, this.#transport, StdioServerTransport.prototype);
    });
  }

  /** Starts to read. A server calls it. @throws Error if it was started already */
  override async start(): Promise<void> {
    if (this.#transport === undefined) return super.start();
    if (this.#started)
      throw new Error("StdioServerTransport already started! If using Server class, note that connect() calls start() automatically.");
    this.#started = true;
  }

  override send(message: JSONRPCMessage): Promise<void> {
    return this.#transport === undefined ? super.send(message) : Promise.resolve(this.#transport.send(message as never)); // both describe the same messages
  }

  /** Stops reading; waiting messages are written. */
  override async close(): Promise<void> {
    await this.#transport?.close();
    await super.close();
  }
}
