/**
 * What one client and the server say to each other, for the page of `tenon dev`: each message as the client sends or gets it. A
 * stateless request is a client of its own.
 *
 * The front forwards requests and results as values, so they are written as messages here again. Nothing is kept before the page is
 * opened for the first time.
 */
import type { InboundRequest, JSONRPCMessage, JsonObject, Outbound, RequestId } from "tenon";
import { ErrorCode, McpError } from "tenon/client";
import { CLIENT_INFO_KEY, PROTOCOL_VERSION_KEY, isJsonObject, toErrorData } from "tenon/internal";

export type ForwardedRequest = Pick<
  InboundRequest,
  "requestId" | "method" | "params" | "transport" | "signal" | "keepOpen" | "request" | "notify"
>;

/** Where the messages of a client are written. */
export interface ClientLog {
  /** Its name for people. */
  client: string;
  revision: string;
  add(message: JSONRPCMessage, facts: { readonly sent: boolean }): void;
}

/** What a connection needs to be shown. */
export interface Traffic {
  /** A new log; undefined before the page was opened. */
  log(): ClientLog | undefined;
  /** Whether a request comes from the page itself, which shows its messages on its own. */
  isOwn(request: InboundRequest): boolean;
  /** The number of the next client with a handshake. */
  nextNumber(): number;
}

/** Most characters of a client's name. */
const MAX_NAME = 64;
/** The message of the error that a request is aborted with if its client cancels it, with the client's reason. */
const CANCELLED = /^Request cancelled(?:: (.*))?$/s;

export class ClientTap {
  readonly #traffic: Traffic;
  #log: ClientLog | undefined;
  #client: string;
  #revision = "";
  #isOwn = false;

  /** @param transport the kind of its transport */
  constructor(traffic: Traffic, transport: string | undefined) {
    this.#traffic = traffic;
    this.#client = transport === "stdio" ? "host on stdio" : "a client without a name";
  }

  /** Runs `handle` for a request of the client, and writes the request and its response. */
  async serve(request: InboundRequest, handle: (request: ForwardedRequest) => Promise<JsonObject>): Promise<JsonObject> {
    this.#learn(request);
    const { requestId: id, method, params } = request;
    this.#add(true, { jsonrpc: "2.0", id, method, ...(params && { params }) });
    try {
      const result = await handle(this.#tapped(request));
      if (method === "initialize") this.#revision = String(result["protocolVersion"]);
      this.#add(false, { jsonrpc: "2.0", id, result });
      return result;
    } catch (error) {
      if (request.cancelled) this.#addCancel(id, error);
      else this.#addError(false, id, error);
      throw error;
    }
  }

  /** Writes a notification of the client. */
  hear(method: string, params: JsonObject | undefined): void {
    this.#add(true, { jsonrpc: "2.0", method, ...(params && { params }) });
  }

  /** A channel to the client whose messages are written. */
  outbound(channel: Outbound): Outbound {
    return {
      request: async (method, params, options = {}) => {
        let questionId: RequestId | undefined;
        const onId = (id: RequestId): void => {
          options.onId?.(id);
          questionId = id;
          this.#add(false, { jsonrpc: "2.0", id, method, ...(params && { params }) });
        };
        try {
          const result = await channel.request(method, params, { ...options, onId });
          if (questionId !== undefined) this.#add(true, { jsonrpc: "2.0", id: questionId, result });
          return result;
        } catch (error) {
          if (questionId !== undefined && McpError.isMcpError(error)) this.#addError(true, questionId, error);
          throw error;
        }
      },
      notify: (method, params) => {
        this.#add(false, { jsonrpc: "2.0", method, ...(params && { params }) });
        return channel.notify(method, params);
      },
    };
  }

  #tapped(request: InboundRequest): ForwardedRequest {
    const { requestId, method, params, transport } = request;
    const shown = this.outbound(request);
    const keepOpen = (): void => request.keepOpen();
    return {
      requestId,
      method,
      params,
      transport,
      keepOpen,
      request: (...questionId) => shown.request(...questionId),
      notify: (...told) => shown.notify(...told),
      get signal() {
        return request.signal;
      },
    };
  }

  /** A client says who it is in its handshake, or in each request. */
  #learn(request: InboundRequest): void {
    const { method, params = {} } = request;
    if (this.#traffic.isOwn(request)) this.#isOwn = true;
    const isHandshake = method === "initialize";
    const meta = isJsonObject(params["_meta"]) ? params["_meta"] : {};
    const info = isHandshake ? params["clientInfo"] : meta[CLIENT_INFO_KEY];
    if (typeof meta[PROTOCOL_VERSION_KEY] === "string") this.#revision = meta[PROTOCOL_VERSION_KEY];
    if (!isJsonObject(info) || typeof info["name"] !== "string") return;
    const name = info["name"].slice(0, MAX_NAME);
    this.#client = isHandshake && !this.#isOwn ? `${name} #${this.#traffic.nextNumber()}` : name;
  }

  /** The client's `notifications/cancelled`, which the dispatcher has read. A client may also leave without one. */
  #addCancel(requestId: RequestId, error: unknown): void {
    const [isSent, reason] = (McpError.isMcpError(error) && CANCELLED.exec(error.message)) || [];
    if (isSent !== undefined) this.hear("notifications/cancelled", { requestId, ...(reason !== undefined && { reason }) });
  }

  #addError(sent: boolean, id: RequestId, error: unknown): void {
    const known = McpError.isMcpError(error) ? error : new McpError(ErrorCode.InternalError, "Internal error");
    this.#add(sent, { jsonrpc: "2.0", id, error: toErrorData(known) });
  }

  #add(sent: boolean, message: JSONRPCMessage): void {
    if (this.#isOwn) return;
    const log = (this.#log ??= this.#traffic.log());
    if (log === undefined) return;
    log.client = this.#client;
    log.revision = this.#revision;
    log.add(message, { sent });
  }
}
