/**
 * The view's end of the messages between view and host: JSON-RPC over `postMessage`, in as few bytes as possible.
 *
 * It replaces the dispatcher of the core, which is six times as large. The host limits what it receives; the view trusts its host, but
 * reads messages of its parent only.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { JsonObject, RequestId } from "../../../jsonrpc/message.ts";

/** How long a request to the host may take. */
export interface ViewCallOptions {
  /** Milliseconds to wait for the response; `Infinity` for no limit. Default 60 000. */
  readonly timeout?: number;
  /** Cancels the request: it rejects with `signal.reason`, and the host receives `notifications/cancelled`. */
  readonly signal?: AbortSignal;
}

/** An error of the host, or of a request that got no response in time (-32001). */
export class ViewError extends Error {
  override name = "ViewError";
  /** The code of the error: -32000 if the host refused. */
  readonly code: number;
  /** More about the error, if the host said more. */
  readonly data: unknown;

  /** For tools of the view: the host receives exactly this. */
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export interface PeerHandlers {
  /** @throws ViewError -32601 if the view does not have the method */
  request(method: string, params: JsonObject, signal: AbortSignal): MaybePromise<JsonObject>;
  notification(method: string, params: JsonObject): void;
}

/** A message of the host, which the view trusts: only what decides its kind is looked at. */
interface Received {
  readonly id?: RequestId;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result: JsonObject;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export class Peer {
  readonly #handlers: PeerHandlers;
  readonly #pending = new Map<unknown, { resolve(result: JsonObject): void; reject(error: unknown): void }>();
  readonly #running = new Map<unknown, AbortController>();
  /** The origin of the host's messages; "*" until the first has arrived, and for pages whose origin is opaque. */
  #origin = "*";
  #lastId = 0;

  constructor(handlers: PeerHandlers) {
    this.#handlers = handlers;
    addEventListener("message", this.#onMessage);
  }

  #onMessage = ({ source, origin, data }: MessageEvent): void => {
    if (source !== parent || data?.jsonrpc !== "2.0" || (this.#origin !== "*" && origin !== this.#origin)) return;
    const { id, method, params = {}, result, error } = data as Received;
    if (origin !== "null") this.#origin = origin;
    if (method === undefined) {
      const pending = this.#pending.get(id);
      if (error) pending?.reject(new ViewError(error.code, error.message, error.data));
      else pending?.resolve(result);
    } else if (id === undefined) {
      if (method === "notifications/cancelled") this.#running.get(params["requestId"])?.abort();
      else this.#handlers.notification(method, params);
    } else void this.#respond(id, method, params);
  };

  async #respond(id: RequestId, method: string, params: JsonObject): Promise<void> {
    const abort = new AbortController();
    this.#running.set(id, abort);
    try {
      this.#post({ id, result: await this.#handlers.request(method, params, abort.signal) });
    } catch (error) {
      const { code = -32603, message, data } = error as Partial<ViewError>; // other errors have no code
      this.#post({ id, error: { code, message, data } });
    }
    this.#running.delete(id);
  }

  #post(message: JsonObject): void {
    parent.postMessage({ jsonrpc: "2.0", ...message }, this.#origin);
  }

  notify(method: string, params: JsonObject = {}): void {
    this.#post({ method, params });
  }

  /** @throws ViewError the host's; `signal.reason`; DOMException if `params` have no structured clone */
  request(method: string, params: JsonObject, { timeout = 60_000, signal }: ViewCallOptions = {}): Promise<JsonObject> {
    const id = ++this.#lastId;
    const end = new AbortController(); // removes the timer and the listener
    return new Promise<JsonObject>((resolve, reject) => {
      const cancel = (reason: unknown): void => {
        reject(reason);
        this.notify("notifications/cancelled", { requestId: id, reason: String(reason) });
      };
      signal?.throwIfAborted();
      this.#pending.set(id, { resolve, reject });
      this.#post({ id, method, params });
      signal?.addEventListener("abort", () => cancel(signal.reason), { signal: end.signal });
      if (timeout === Infinity) return;
      const late = new ViewError(-32001, `"${method}" timed out after ${timeout} ms (option "timeout")`);
      const timer = setTimeout(() => cancel(late), timeout);
      end.signal.addEventListener("abort", () => clearTimeout(timer));
    }).finally(() => {
      this.#pending.delete(id);
      end.abort();
    });
  }

  /** Reads no more messages; pending requests fail. */
  close(): void {
    removeEventListener("message", this.#onMessage);
    for (const pending of this.#pending.values()) pending.reject(new ViewError(-32000, "The view was closed"));
  }
}
