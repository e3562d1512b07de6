/**
 * `portTransport()`: MCP over `postMessage`, between the parts of one program: a page and its worker, an extension, a window of Electron,
 * a frame.
 *
 * A message is posted as an object of JSON, because the program at the other end may not use Tenon.
 */
import { assertKnown } from "../base/known-options.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import { MalformedMessage, type Incoming, type Outgoing } from "../jsonrpc/incoming.ts";
import { ConnectionClosedError, LimitExceededError, McpError, toClosedError } from "../jsonrpc/mcp-error.ts";
import { parseMessage } from "../jsonrpc/parse.ts";
import { stringifyMessage } from "../jsonrpc/serialise.ts";
import { toBoundedText } from "./message-size.ts";
import { hear, isEvent, isMessagePort, isWindow, type KnownPort, type PostingPort } from "./posting-port.ts";
import { ReceiveQueue } from "./receive-queue.ts";
import type { Transport } from "./transport.ts";

/** Options of {@link portTransport}. */
export interface PortTransportOptions {
  /**
   * The origin of the other page, or several that may post: `"https://app.example"`. Required for a `Window` (TypeError): messages go to the
   * first one only. For a port it is compared if the platform names an origin. Security: never `"*"`; any page could then call your tools.
   */
  readonly origin?: string | readonly string[];
  /** Whether closing the transport also closes the port, or ends the worker. Default true for a port, false for anything else. */
  readonly closePort?: boolean;
  /** Limits of what is received. */
  readonly limits?: {
    /** Most characters of one message, at least 1 (RangeError). A larger request is refused. Default 10 000 000. */
    readonly maxMessageSize?: number;
  };
}

const MAX_MESSAGE = 10_000_000;

/**
 * A connection over a port, for `connect()` on one side and `acceptorOf(server).accept(new JsonRpcDispatcher(…))` on the other. It reads from now on.
 * @throws TypeError if the value is not a port, or if a window is given without `origin`
 * @example
 * ```ts
 * import { acceptorOf, connect, JsonRpcDispatcher, McpServer, portTransport } from "tenon";
 *
 * const { port1, port2 } = new MessageChannel(); // in a program: one of them goes to a worker or a frame
 * const server = new McpServer({ name: "sums", version: "1.0.0" });
 * server.tool("hello", {}, () => "Hello");
 * void acceptorOf(server).accept(new JsonRpcDispatcher(portTransport(port1)));
 * await using client = await connect(portTransport(port2));
 * console.log((await client.callTool("hello")).text); // Hello
 * ```
 */
export function portTransport(port: PostingPort, options: PortTransportOptions = {}): Transport {
  assertKnown("portTransport()", options, { origin: 1, closePort: 1, limits: { maxMessageSize: 1 } });
  if (typeof (port as Partial<PostingPort> | null | undefined)?.postMessage !== "function")
    throw new TypeError("portTransport() needs something with postMessage(), such as a MessagePort, a Worker or a Window");
  const origins = options.origin === undefined ? undefined : [options.origin].flat();
  if (origins?.some((origin) => origin === "*" || (origin !== "null" && !URL.canParse(origin))))
    throw new TypeError('Option "origin" must be the origin of the other page, such as "https://app.example", and never "*"');
  if (isWindow(port) && (origins === undefined || origins.length === 0))
    throw new TypeError('A window needs option "origin": the origin of the page in it, such as "https://app.example"');
  const maxMessageSize = options.limits?.maxMessageSize ?? MAX_MESSAGE;
  if (!(maxMessageSize >= 1)) throw new RangeError(`Option "limits.maxMessageSize" must be at least 1, not ${maxMessageSize}`);
  return new PortTransport(port, { origins, closesPort: options.closePort ?? isMessagePort(port), maxMessageSize });
}

interface Settings {
  readonly origins: readonly string[] | undefined;
  readonly closesPort: boolean;
  readonly maxMessageSize: number;
}

class PortTransport implements Transport {
  readonly kind = "port";
  readonly #port: KnownPort;
  readonly #origins: readonly string[] | undefined;
  readonly #closesPort: boolean;
  readonly #maxMessageSize: number;
  readonly #isWindow: boolean;
  readonly #stops: readonly (() => void)[];
  readonly #queue = new ReceiveQueue();

  constructor(port: PostingPort, { origins, closesPort, maxMessageSize }: Settings) {
    this.#port = port;
    this.#maxMessageSize = maxMessageSize;
    this.#origins = origins;
    this.#closesPort = closesPort;
    this.#isWindow = isWindow(port);
    const heard: KnownPort = this.#isWindow ? globalThis : port; // a window's messages are heard on this page's own
    const end = (): void => this.#end(new ConnectionClosedError());
    this.#stops = [hear(heard, "message", this.#onMessage), ...["close", "exit"].map((type) => hear(heard, type, end))];
    this.#port.start?.();
  }

  #onMessage = (event: unknown): void => {
    const { data, origin, source } = isEvent(event) ? event : { data: event, origin: undefined, source: undefined };
    if (this.#isWindow && source !== this.#port) return;
    // Ports name no origin: the other end was handed to the program that has it.
    if (this.#origins !== undefined && (this.#isWindow || (origin ?? "") !== "") && !this.#origins.includes(origin ?? "")) return;
    try {
      const text = typeof data === "string" ? data : toBoundedText(data, this.#maxMessageSize);
      if (text.length > this.#maxMessageSize) throw new LimitExceededError("limits.maxMessageSize", this.#maxMessageSize);
      this.#queue.push(parseMessage(text), text.length);
    } catch (error) {
      this.#queue.push(new MalformedMessage(McpError.isMcpError(error) ? error : toClosedError(error), null, true), 0);
    }
  };

  send(message: Outgoing): void {
    if (this.#queue.ended) throw new ConnectionClosedError();
    const plain: unknown = JSON.parse(stringifyMessage(message));
    const post = this.#port.postMessage.bind(this.#port) as (message: unknown, targetOrigin?: string) => void; // a window takes an origin
    if (this.#isWindow) post(plain, this.#origins?.[0]);
    else post(plain);
  }

  receive(): MaybePromise<Incoming> {
    return this.#queue.receive();
  }

  close(reason?: unknown): Promise<void> {
    if (!this.#queue.ended) this.#end(toClosedError(reason));
    return Promise.resolve();
  }

  #end(reason: ConnectionClosedError): void {
    for (const stop of this.#stops) stop();
    this.#queue.end(reason);
    if (this.#closesPort) this.#port.close?.();
  }
}
