/**
 * `fetch` for clients on Node that make many calls: over `node:http`, which costs a fraction of the runtime's own.
 *
 * Only what Tenon's client asks of it; for `connect({ url, fetch: nodeFetch })`. It knows no proxies and no global
 * dispatcher: where those are needed, leave it out.
 */
import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Fetch, HttpResponse } from "../transport/http-client/endpoint.ts";

/** Milliseconds in which a connection must be made. */
const CONNECT_TIMEOUT = 10_000;

const httpAgent = new HttpAgent({ keepAlive: true });
const httpsAgent = new HttpsAgent({ keepAlive: true });

/** Rejects with Node's own errors; their codes tell whether anything was sent. */
export const nodeFetch: Fetch = (url, { method, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = url.startsWith("https:")
      ? httpsRequest(url, { method, headers, agent: httpsAgent })
      : httpRequest(url, { method, headers, agent: httpAgent });
    const onAbort = (): void => void request.destroy(signal.reason instanceof Error ? signal.reason : new Error("Aborted"));
    signal.addEventListener("abort", onAbort);
    request.once("close", () => signal.removeEventListener("abort", onAbort));
    request.once("error", reject);
    request.once("response", (incoming) => resolve(new NodeResponse(incoming)));
    limitConnecting(request);
    request.end(body);
  });

function limitConnecting(request: ClientRequest): void {
  request.once("socket", (socket) => {
    if (!socket.connecting) return;
    const late = Object.assign(new Error(`No connection within ${CONNECT_TIMEOUT} ms`), { code: "ERR_CONNECT_TIMEOUT" });
    const timer = setTimeout(() => request.destroy(late), CONNECT_TIMEOUT);
    const stop = (): void => clearTimeout(timer);
    socket.once("connect", stop);
    socket.once("close", stop);
  });
}

class NodeResponse implements HttpResponse {
  readonly type = "basic";
  readonly status: number;
  readonly #incoming: IncomingMessage;
  #body: ReadableStream<Uint8Array> | undefined;

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
    this.status = incoming.statusCode ?? 0;
    // The reader of the body gets the error; without one, nobody does.
    incoming.on("error", () => undefined);
  }

  get ok(): boolean {
    return this.status >= 200 && this.status <= 299;
  }

  get headers(): HttpResponse["headers"] {
    return this;
  }

  get(name: string): string | null {
    const value = this.#incoming.headers[name];
    return value === undefined ? null : String(value);
  }

  has(name: string): boolean {
    return this.#incoming.headers[name] !== undefined;
  }

  get body(): ReadableStream<Uint8Array> {
    // Node's type of its web streams is not the web's, but the streams are.
    this.#body ??= Readable.toWeb(unpacked(this.#incoming)) as unknown as ReadableStream<Uint8Array>;
    return this.#body;
  }

  /** For bodies that are not packed: what is to be bounded is read from `body`. */
  text(): Promise<string> {
    const incoming = this.#incoming;
    return new Promise((resolve, reject) => {
      let text = "";
      incoming.setEncoding("utf8");
      incoming.on("data", (chunk: string) => {
        text += chunk;
      });
      incoming.once("end", () => resolve(text));
      incoming.once("error", reject);
    });
  }
}

/** @throws Error for a packing nobody asked for and that is not known */
function unpacked(incoming: IncomingMessage): Readable {
  const encoding = incoming.headers["content-encoding"];
  if (encoding === undefined || encoding === "identity") return incoming;
  const unpack = UNPACK.get(encoding)?.();
  if (unpack === undefined) throw new Error(`Unknown content encoding ${JSON.stringify(encoding.slice(0, 40))}`);
  incoming.on("error", (error) => unpack.destroy(error));
  unpack.once("close", () => incoming.destroy());
  return incoming.pipe(unpack);
}

const UNPACK: ReadonlyMap<string, () => ReturnType<typeof createGunzip>> = new Map<string, () => ReturnType<typeof createGunzip>>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);
