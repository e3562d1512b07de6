/**
 * One request while its handler runs: what handlers and middleware see of it.
 *
 * Made once a request; everything that costs something is made when it is first asked for.
 */
import type { MaybePromise } from "../jsonrpc/maybe-promise.ts";
import { isJsonObject, type JsonObject, type RequestId } from "../jsonrpc/message.ts";
import type { RequestMeta } from "../protocol/base.ts";
import type { CallToolResult } from "../protocol/tools.ts";
import type { InboundRequest } from "../dispatch/dispatcher.ts";
import type { ClientIdentity, Codec } from "../wire/codec.ts";
import type { Connection } from "./connection.ts";
import type { HandlerContext } from "./handler.ts";
import { ContextLog } from "./context-log.ts";
import { ServerSession } from "./server-session.ts";

const NO_META: RequestMeta = {};

export class RequestContext<Lifespan = unknown> implements HandlerContext {
  params: JsonObject;
  /** What the server's `lifespan` opened. */
  readonly lifespan: Lifespan;
  /** @internal */
  readonly connection: Connection;
  readonly #request: InboundRequest;
  /** Set where the request brought its own revision and identity. */
  readonly #codec: Codec | undefined;
  readonly #identity: ClientIdentity | undefined;
  #progress = -Infinity;
  #log: ContextLog | undefined;
  #session: ServerSession | undefined;

  /** @internal Made by `handle-request.ts`. */
  constructor(
    request: InboundRequest,
    connection: Connection,
    params: JsonObject,
    lifespan: Lifespan,
    own?: { codec: Codec; identity: ClientIdentity },
  ) {
    this.#request = request;
    this.connection = connection;
    this.params = params;
    this.lifespan = lifespan;
    this.#codec = own?.codec;
    this.#identity = own?.identity;
  }

  get method(): string {
    return this.#request.method;
  }

  get requestId(): RequestId {
    return this.#request.requestId;
  }

  /** The request's `_meta`; empty where it has none. */
  get meta(): RequestMeta {
    const meta = this.params["_meta"];
    return isJsonObject(meta) ? meta : NO_META;
  }

  /** Aborts when the client cancels, the connection closes or the handler's time is over. */
  get signal(): AbortSignal {
    return this.#request.signal;
  }

  /** Who asks and what they can do. What it says of itself is not verified: no base for security decisions (A3.9). */
  get client(): ClientIdentity {
    return this.#identity ?? this.connection.client;
  }

  /** The revision this request is answered in. */
  get protocolVersion(): string {
    return this.codec.version;
  }

  /** @internal */
  get codec(): Codec {
    return this.#codec ?? this.connection.codec;
  }

  /**
   * Tells the client how far this request has come. Does nothing where it did not ask for progress, or where
   * `progress` does not grow (G6). Await it to let a slow client slow the handler down.
   */
  progress(progress: number, total?: number, message?: string): MaybePromise<void> {
    const { progressToken } = this.meta;
    if (progressToken === undefined || !(progress > this.#progress)) return undefined;
    this.#progress = progress;
    const params: JsonObject = { progressToken, progress };
    if (total !== undefined) params["total"] = total;
    if (message !== undefined) params["message"] = message;
    return this.notify("notifications/progress", params);
  }

  /** The result of a tool that failed in a way the model should read: `return ctx.fail("…")`. */
  fail(text: string): CallToolResult {
    return { content: [{ type: "text", text }], isError: true };
  }

  /** Log messages for the client: `ctx.log.info(data)`. Sent where the client wants that level. */
  get log(): ContextLog {
    return (this.#log ??= new ContextLog(this));
  }

  /** Requests to the client while this one runs. On stateless revisions they fail with `NoBackChannelError`. */
  get session(): ServerSession {
    return (this.#session ??= new ServerSession(this.#request, this.codec, this.client));
  }

  /**
   * Ends the HTTP stream of this request while the handler goes on: the client comes back for the rest after a while,
   * and no connection is held open meanwhile. Does nothing where the client could not come back: on other transports, and
   * on revisions other than 2025-11-25 (E1.9).
   */
  closeStream(): void {
    this.#request.release();
  }

  /** @internal Holds the arguments, as the client sent them, to what the transport repeats of them. @throws McpError -32020 */
  checkArguments(inputSchema: JsonObject): void {
    this.#request.transport.checkArguments?.(inputSchema, this.#request.params?.["arguments"]);
  }

  /** @internal Lifts the time limit of the handler: for requests that stay open by design. */
  keepOpen(): void {
    this.#request.keepOpen();
  }

  /** Sends a notification on this request's own channel; nothing where the revision does not have it. */
  notify(method: string, params?: JsonObject): MaybePromise<void> {
    const { codec } = this;
    if (!codec.hasNotification(method, "server")) return undefined;
    return this.#request.notify(method, codec.encodeParams(method, params));
  }
}
