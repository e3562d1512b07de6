/**
 * One connection from the front to a generation: passes on requests of a client, and what the server sends meanwhile.
 *
 * It forwards JSON-RPC and knows no methods of MCP. The generation is a JSON-RPC peer like any other; the ids are the client's.
 */
import type {
  JSONRPCError,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResponse,
  JsonObject,
  Outbound,
  RequestId,
} from "tenon";
import { ErrorCode, McpError } from "tenon/client";
import { isJsonObject, toErrorData } from "tenon/internal";
import type { Sender } from "../channel.ts";
import type { ForwardedRequest } from "./client-tap.ts";

/** The client's end. */
export interface Downstream {
  /** What belongs to no request goes here; undefined to drop it, because another generation speaks for the server. */
  readonly standalone: Outbound | undefined;
}

/** The generation's end. */
export interface UpstreamChannel {
  write(text: string, sender?: Sender): void;
  close(): void;
  /** A request that must end before the generation may. */
  began(): void;
  settled(): void;
}

interface WaitingRequest {
  /** Absent for requests of the front itself. */
  readonly inbound: ForwardedRequest | undefined;
  readonly skip: ((method: string) => boolean) | undefined;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: unknown) => void;
}

/** A request on its way to the generation. */
interface Sending extends Pick<ForwardOptions, "sender" | "skip"> {
  readonly inbound?: ForwardedRequest;
}

export interface ForwardOptions {
  readonly sender?: Sender | undefined;
  /** Whether the generation may end before it. Default false. */
  readonly staysOpen?: boolean;
  /** Whether the client must not see a notification of the request. Default: it sees all. */
  readonly skip?: ((method: string) => boolean) | undefined;
}

/** Whether a request failed because its generation has gone, and not because the server refused it. */
export function isGone(error: unknown): boolean {
  return McpError.isMcpError(error) && isJsonObject(error.data) && error.data["reason"] === "reloaded";
}

export class Upstream {
  readonly #downstream: Downstream;
  readonly #channel: UpstreamChannel;
  readonly #waiting = new Map<RequestId, WaitingRequest>();
  /** Requests of the server that the client has not responded to. */
  readonly #asked = new Map<RequestId, AbortController>();
  #ended: McpError | undefined;

  constructor(downstream: Downstream, channel: UpstreamChannel) {
    this.#downstream = downstream;
    this.#channel = channel;
  }

  // ---- to the generation ----

  /** Forwards a request of the client. @throws McpError the server's error; what cancelled the request */
  async forward(inbound: ForwardedRequest, { sender, staysOpen = false, skip }: ForwardOptions = {}): Promise<JsonObject> {
    const { requestId: id, method, params, signal } = inbound;
    // The generation limits the time.
    inbound.keepOpen();
    if (!staysOpen) this.#channel.began();
    const cancel = (): void => this.#cancel(id, signal.reason);
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const sent = this.#send({ jsonrpc: "2.0", id, method, ...(params && { params }) }, { inbound, sender, skip });
      if (signal.aborted) cancel();
      return await sent;
    } finally {
      signal.removeEventListener("abort", cancel);
      if (!staysOpen) this.#channel.settled();
    }
  }

  #send(message: JSONRPCRequest, { inbound, sender, skip }: Sending = {}): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) return reject(this.#ended);
      this.#waiting.set(message.id, { inbound, skip, resolve, reject });
      this.#channel.write(JSON.stringify(message), sender);
    });
  }

  #cancel(requestId: RequestId, reason: unknown): void {
    this.notify("notifications/cancelled", { requestId, reason: reason instanceof Error ? reason.message : "cancelled" });
    this.#settle(requestId)?.reject(reason);
  }

  /** Sends a request of the front itself. @throws McpError */
  request(id: string, method: string, params: JsonObject | undefined): Promise<JsonObject> {
    return this.#send({ jsonrpc: "2.0", id, method, ...(params && { params }) });
  }

  notify(method: string, params?: JsonObject): void {
    if (this.#ended === undefined) this.#channel.write(JSON.stringify({ jsonrpc: "2.0", method, ...(params && { params }) }));
  }

  /** Ends the connection: what waits fails with `reason`. Idempotent. */
  end(reason: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = new McpError(ErrorCode.InternalError, reason, { reason: "reloaded" });
    this.#channel.close();
    for (const id of [...this.#waiting.keys()]) this.#settle(id)?.reject(this.#ended);
    for (const question of this.#asked.values()) question.abort(this.#ended);
  }

  // ---- from the generation ----

  receive(text: string, related: RequestId | undefined): void {
    const message = JSON.parse(text) as JSONRPCMessage; // the dispatcher of the generation wrote it
    if (!("method" in message)) this.#respond(message);
    else if ("id" in message) void this.#ask(message, related);
    else this.#tell(message, related);
  }

  #respond(message: JSONRPCResponse | JSONRPCError): void {
    const waiting = message.id === null ? undefined : this.#settle(message.id);
    if (waiting === undefined) return; // it was cancelled
    if ("result" in message) return waiting.resolve(message.result as JsonObject); // an object: it was text just now
    const { code, message: why, data } = message.error;
    waiting.reject(new McpError(code, why, data));
  }

  #settle(id: RequestId): WaitingRequest | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #clientOf(related: RequestId | undefined): Outbound | undefined {
    return related === undefined ? this.#downstream.standalone : this.#waiting.get(related)?.inbound;
  }

  /** Asks the client what the server asks. The server limits the time. */
  async #ask({ id, method, params }: JSONRPCRequest, related: RequestId | undefined): Promise<void> {
    const controller = new AbortController();
    this.#asked.set(id, controller);
    const { signal } = controller;
    const token = (params?.["_meta"] as JsonObject | undefined)?.["progressToken"];
    const onProgress = (step: object): void => this.notify("notifications/progress", { progressToken: token, ...step });
    try {
      const client = this.#clientOf(related);
      if (client === undefined) throw new McpError(ErrorCode.InvalidRequest, "The client cannot be asked any more");
      const times = { timeout: Infinity, maxTotalTimeout: Infinity, signal };
      const result = await client.request(method, params, token === undefined ? times : { ...times, onProgress });
      this.#write({ jsonrpc: "2.0", id, result });
    } catch (error) {
      if (!signal.aborted)
        this.#write({
          jsonrpc: "2.0",
          id,
          error: toErrorData(McpError.isMcpError(error) ? error : new McpError(ErrorCode.InternalError, "Internal error")),
        });
    } finally {
      this.#asked.delete(id);
    }
  }

  #write(message: JSONRPCMessage): void {
    if (this.#ended === undefined) this.#channel.write(JSON.stringify(message));
  }

  #tell({ method, params }: JSONRPCNotification, related: RequestId | undefined): void {
    const cancelled = method === "notifications/cancelled" ? this.#asked.get(params?.["requestId"] as RequestId) : undefined;
    if (cancelled !== undefined) return cancelled.abort(new McpError(ErrorCode.InvalidRequest, "The server has cancelled its question"));
    if (related !== undefined && this.#waiting.get(related)?.skip?.(method) === true) return;
    void this.#clientOf(related)?.notify(method, params);
  }
}
