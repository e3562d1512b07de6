/** `StdioClientTransport` of the SDK 1.x, on which a `Client` of this package can speak the newest revision to a program. */
import { type StdioServerParameters, StdioClientTransport as OfficialTransport } from "mcp-sdk-v1/client/stdio.js";
import { type Client, connect, type ConnectOptions } from "tenon/client";
import { speaksNewest } from "../below/newest-servers.ts";
import { ProbingTransport } from "../below/probing-transport.ts";

export * from "mcp-sdk-v1/client/stdio.js";

/** Starts a program and speaks to it on its standard streams. */
export class StdioClientTransport extends OfficialTransport {
  /** Whether the program was started for a client of this package, whose handshake may follow. */
  #isStarted = false;
  /** The end of the program that ran before. */
  #ended: Promise<void> = Promise.resolve();

  /** @param program what is started, by `start()` */
  constructor(program: StdioServerParameters) {
    super(program);
    speaksNewest(this, (options) => this.#openNewest(options));
  }

  /** Starts the program. A client calls it. @throws Error if it runs already, or cannot be started */
  override async start(): Promise<void> {
    const runs = this.#isStarted && this.pid !== null;
    this.#isStarted = false;
    if (!runs) await super.start();
  }

  /** Ends the program: it is asked to, and killed if it goes on. */
  override close(): Promise<void> {
    const ended = super.close();
    this.#ended = Promise.all([this.#ended, ended]).then(() => undefined);
    return ended;
  }

  async #openNewest(options: ConnectOptions): Promise<Client | undefined> {
    await this.#ended; // of a program that has refused the handshake
    await super.start();
    this.#isStarted = true;
    const transport = new ProbingTransport(this, (error) => options.onError?.(error));
    let wantsHandshake = false;
    try {
      const client = await connect(transport, {
        ...options,
        middleware: [
          (next) => (request) => {
            wantsHandshake = request.method === "initialize"; // the official client makes it
            if (wantsHandshake) throw new Error("The server wants a handshake");
            return next(request);
          },
        ],
      });
      transport.agreed();
      this.#isStarted = false;
      return client;
    } catch (error) {
      transport.giveBack();
      // A program may end because of a request that it does not know. Then it is started again.
      if (!options.signal?.aborted && (wantsHandshake || this.pid === null)) return undefined;
      await super.close();
      throw error;
    }
  }
}
