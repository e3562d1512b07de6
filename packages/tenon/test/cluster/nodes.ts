/**
 * Nodes of one server in this process: endpoints that share nothing but stores in memory, behind a client that asks them in turn,
 * as a balancer without affinity does.
 */
import { onTestFinished } from "vitest";
import { connect, type Client, type ConnectOptions, type JsonObject } from "tenon";
import type { Fetch } from "tenon/client";
import {
  createFetchHandler,
  type FetchHandler,
  type FetchHandlerOptions,
  type McpServer,
  type McpServerOptions,
} from "tenon/server";
import { memoryStores } from "tenon/stores/memory";
import { BOTH, dataOf, initialize } from "../http/support.ts";

export const STATEFUL = ["2025-03-26", "2025-06-18", "2025-11-25"] as const;
export type Revision = (typeof STATEFUL)[number];

/** Options of the server of every node. */
export const SHARED: McpServerOptions = {
  requestState: { keys: ["a key of all nodes, of 32 bytes or more"] },
  onError: (): undefined => undefined,
};

export interface Node {
  readonly server: McpServer;
  readonly handler: FetchHandler;
}

export class Nodes {
  readonly nodes: readonly Node[];
  readonly stores: FetchHandlerOptions["stores"];
  #turn = 0;

  /** @param makeServer makes the server of each node: nodes do not share objects */
  constructor(makeServer: (index: number) => McpServer, options: FetchHandlerOptions = {}, count = 3) {
    this.stores = options.stores ?? memoryStores();
    const { stores } = this;
    this.nodes = Array.from({ length: count }, (_, index) => {
      const server = makeServer(index);
      const handler = createFetchHandler(server, { ...options, stores: stores! });
      onTestFinished(() => handler.close());
      return { server, handler };
    });
  }

  /** Sends each request to the next node. */
  readonly fetch: Fetch = (url, init) => this.at(this.#turn++ % this.nodes.length)(url, init);

  /** Sends requests to one node, until the caller gives up. */
  at(index: number): Fetch {
    return async (url, init) => {
      const { signal } = init;
      const gaveUp = new Promise<never>((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      });
      gaveUp.catch(() => undefined);
      const response = await Promise.race([this.nodes[index]!.handler(new Request(url, init)), gaveUp]);
      const body = response.body?.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), signal ? { signal } : {});
      return new Response(body ?? null, response);
    };
  }

  /** A client whose requests go to all nodes in turn. */
  async connect(options: ConnectOptions = {}): Promise<Client> {
    const client = await connect({ url: "http://localhost/mcp", fetch: this.fetch }, options);
    onTestFinished(() => client.close());
    return client;
  }

  /** Sends one request to one node, as it is written. */
  async send(index: number, { method = "POST", headers = {}, body }: RawRequest): Promise<RawResponse> {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const all = { accept: BOTH, ...(body !== undefined && { "content-type": "application/json" }), ...headers };
    const request = new Request("http://localhost/mcp", { method, headers: all, ...json });
    return new RawResponse(await this.nodes[index]!.handler(request));
  }

  /** Opens a session at one node. */
  async open(revision: Revision, index = 0, capabilities: JsonObject = {}): Promise<RawSession> {
    const opened = await this.send(index, { body: initialize(revision, capabilities) });
    const headers = { "mcp-session-id": opened.header("mcp-session-id"), "mcp-protocol-version": revision };
    const send = (at: number, request: RawRequest): Promise<RawResponse> =>
      this.send(at, { ...request, headers: { ...headers, ...request.headers } });
    await send(index, { body: { jsonrpc: "2.0", method: "notifications/initialized" } });
    return { id: headers["mcp-session-id"], send };
  }
}

export interface RawSession {
  readonly id: string;
  readonly send: (index: number, request: RawRequest) => Promise<RawResponse>;
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: object;
}

/** One event as it arrived. */
export interface RawEvent {
  readonly id?: string;
  readonly message: JsonObject;
}

export class RawResponse {
  readonly #response: Response;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #decoder = new TextDecoder();
  #text = "";

  constructor(response: Response) {
    this.#response = response;
    this.#reader = response.body?.getReader();
  }

  get status(): number {
    return this.#response.status;
  }

  header(name: string): string {
    return this.#response.headers.get(name) ?? "";
  }

  /** The whole body. */
  async text(): Promise<string> {
    while (await this.#more());
    return this.#text;
  }

  /** The message of a JSON body, or the last one of a stream. */
  async message(): Promise<JsonObject> {
    const text = await this.text();
    return JSON.parse(text.startsWith("{") || text.startsWith("[") ? text : dataOf(text).at(-1)!) as JsonObject;
  }

  /** The next event with a message; undefined when the stream has ended. */
  async next(): Promise<RawEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const event = eventOf(this.#text.slice(0, end));
        this.#text = this.#text.slice(end + 2);
        if (event !== undefined) return event;
      } else if (!(await this.#more())) return undefined;
    }
  }

  /** The id of the event that begins a stream, which carries no message. */
  async primed(): Promise<string> {
    while (!this.#text.includes("\n\n")) if (!(await this.#more())) throw new Error("The stream ended before it began");
    return /^id: (.+)$/m.exec(this.#text)![1]!;
  }

  async rest(): Promise<RawEvent[]> {
    const events: RawEvent[] = [];
    for (let event = await this.next(); event !== undefined; event = await this.next()) events.push(event);
    return events;
  }

  /** Ends the connection, as a client does that goes away. */
  async drop(): Promise<void> {
    await this.#reader?.cancel();
  }

  async #more(): Promise<boolean> {
    const read = await this.#reader?.read();
    if (read === undefined || read.done) return false;
    this.#text += this.#decoder.decode(read.value, { stream: true });
    return true;
  }
}

function eventOf(text: string): RawEvent | undefined {
  const data = /^data: (.+)$/m.exec(text)?.[1];
  const id = /^id: (.+)$/m.exec(text)?.[1];
  return data === undefined ? undefined : { ...(id !== undefined && { id }), message: JSON.parse(data) as JsonObject };
}
