/** The clients of a proof: real ones of both families, which call, follow streams, answer
 * questions, hear changes and end sessions, and record it. */
import { setTimeout as sleep } from "node:timers/promises";
import { McpError } from "tenon";
import { connect, SessionLostError, type Client, type Fetch } from "tenon/client";
import { REGISTERS, type Operation } from "./history.ts";
import { Listener } from "./listener.ts";

const REVISIONS = { stateful: "2025-11-25", stateless: "2026-07-28" } as const;
type Family = keyof typeof REVISIONS;

/** Chunks of an event stream that arrive before its connection is cut. */
const CHUNKS = 3;
/** Milliseconds after which a node no longer believes what it knew of a session. */
const FRESH = 1_500;

export interface WorkloadOptions {
  readonly url: string;
  readonly fetch: Fetch;
  /** Milliseconds between two operations of a client. */
  readonly pause: number;
  /** Milliseconds that a client waits for a response. */
  readonly timeout: number;
}

/** A client, and the stream of changes that it keeps open. */
interface Connected {
  readonly client: Client;
  readonly listener: Listener;
}

/** What a client learned of one operation. */
type Learned = Omit<Operation, "id" | "kind" | "family" | "began" | "ended">;

export class Workload {
  /** What each operation came to; those under way have no outcome. */
  readonly operations: Map<string, Operation> = new Map();
  readonly #options: WorkloadOptions;
  #count = 0;
  #clients = 0;

  constructor(options: WorkloadOptions) {
    this.#options = options;
  }

  /**
   * Works with one client of a family until `isOver` says so of the number that it has done. A client that fails is replaced by a
   * new one, as a program would do.
   */
  async run(family: Family, isOver: (done: number) => boolean): Promise<void> {
    const uri = REGISTERS[this.#clients++]!;
    let connected: Connected | undefined;
    for (let done = 0; !isOver(done); done++) {
      connected ??= await this.#connect(family, uri);
      if (connected === undefined) await sleep(100);
      else if (!(await this.#operate(family, connected, done))) connected = await this.#replaced(connected);
      await sleep(this.#options.pause);
    }
    await connected?.client.close();
  }

  /** Undefined if it fails, as it may while something is away. */
  async #connect(family: Family, uri: string): Promise<Connected | undefined> {
    const client = await this.#opened(family).catch(() => undefined);
    if (client === undefined) return undefined;
    return Listener.open(client, uri).then(
      (listener) => ({ client, listener }),
      () => client.close().then(() => undefined),
    );
  }

  #opened(family: Family): Promise<Client> {
    const { url } = this.#options;
    return connect(
      { url, fetch: family === "stateful" ? this.#cutting() : this.#options.fetch },
      {
        revision: REVISIONS[family],
        timeout: this.#options.timeout,
        onElicit: ({ message }) => ({ action: "accept", content: { nonce: `nonce of ${message}` } }),
      },
    );
  }

  /** Cuts every second event stream of a POST in the middle: the client resumes it, at another node. */
  #cutting(): Fetch {
    let streams = 0;
    return async (url, init) => {
      const response = (await this.#options.fetch(url, init)) as Response; // the default fetch returns one
      if (init.method !== "POST" || response.headers.get("content-type") !== "text/event-stream" || ++streams % 2 === 0)
        return response;
      let chunks = 0;
      const cut = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          if (++chunks > CHUNKS) controller.error(new TypeError("The connection is cut"));
          else controller.enqueue(chunk);
        },
      });
      return new Response(response.body!.pipeThrough(cut), response);
    };
  }

  async #replaced({ client }: Connected): Promise<undefined> {
    await client.close().catch(() => undefined);
  }

  /** Runs one operation. Returns whether it is ok. */
  async #operate(family: Family, connected: Connected, done: number): Promise<boolean> {
    const kinds = ["call", "count", "ask", "change", ...(family === "stateful" ? (["session"] as const) : [])] as const;
    const operation = { id: `o${++this.#count}`, kind: kinds[done % kinds.length]!, family, began: performance.now() };
    this.operations.set(operation.id, operation);
    const learned = await this.#learn(connected, operation);
    this.operations.set(operation.id, { ...operation, ...learned, ended: performance.now() });
    return learned.outcome === "ok";
  }

  #learn({ client, listener }: Connected, operation: Pick<Operation, "id" | "kind">): Promise<Learned> {
    if (operation.kind === "session") return this.#session();
    return operation.kind === "change" ? this.#change(client, listener, operation.id) : this.#call(client, operation);
  }

  /** Changes the resource that the client watches, and waits until it hears of that. */
  async #change(client: Client, listener: Listener, id: string): Promise<Learned> {
    const heard = listener.heard().then(() => "and heard of it");
    heard.catch(() => undefined); // the call may fail first
    const late = new AbortController();
    try {
      const { text } = await client.callTool("change", { id, uri: listener.uri });
      const answered = performance.now();
      const never = sleep(this.#options.timeout, "but not heard of", late);
      return { outcome: "ok", value: `${text}, ${await Promise.race([heard, never])}`, answered };
    } catch (error) {
      return { outcome: "failed", ...failureOf(error) };
    } finally {
      late.abort();
    }
  }

  async #call(client: Client, { id, kind }: Pick<Operation, "id" | "kind">): Promise<Learned> {
    const numbers: number[] = [];
    const streamed = kind === "count" ? { numbers } : {};
    try {
      const { text } = await client.callTool(kind, { id }, { onProgress: ({ progress }) => void numbers.push(progress) });
      return { outcome: "ok", value: text, ...streamed };
    } catch (error) {
      return { outcome: "failed", ...streamed, ...failureOf(error) };
    }
  }

  /**
   * Opens a session, uses it at several nodes, deletes it, and uses it once more. Raw requests, because a client would not do
   * that.
   */
  async #session(): Promise<Learned> {
    const headers: Record<string, string> = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const send = async (method: string, body?: object): Promise<Response> => {
      const response = await this.#options.fetch(this.#options.url, {
        method,
        headers,
        signal: AbortSignal.timeout(this.#options.timeout),
        redirect: "manual",
        cache: "no-store",
        ...(body !== undefined && { body: JSON.stringify({ jsonrpc: "2.0", ...body }) }),
      });
      await response.text();
      return response as Response; // the default fetch returns one
    };
    try {
      const params = { protocolVersion: REVISIONS.stateful, capabilities: {}, clientInfo: { name: "raw", version: "1" } };
      const opened = await send("POST", { id: 1, method: "initialize", params });
      headers["mcp-session-id"] = opened.headers.get("mcp-session-id") ?? "";
      headers["mcp-protocol-version"] = REVISIONS.stateful;
      const statuses = [opened.status, (await send("POST", { method: "notifications/initialized" })).status];
      for (let id = 2; id <= 4; id++) statuses.push((await send("POST", { id, method: "ping" })).status);
      statuses.push((await send("DELETE")).status);
      const bad = statuses.find((status) => status >= 300);
      if (bad !== undefined)
        return bad === 404 ? { outcome: "ok", value: "404 before it was deleted" } : { outcome: "failed", status: bad };
      await sleep(FRESH);
      const { status } = await send("POST", { id: 5, method: "ping" });
      return status >= 500 ? { outcome: "failed", status } : { outcome: "ok", value: `served, then ${status}` };
    } catch (error) {
      return { outcome: "failed", ...failureOf(error) };
    }
  }
}

function failureOf(error: unknown): Partial<Learned> {
  const data = McpError.isMcpError(error) ? (error.data as { delivery?: unknown } | undefined) : undefined; // of any peer
  return {
    error: (error as Error).message,
    ...(typeof data?.delivery === "string" && { delivery: data.delivery }),
    ...(error instanceof SessionLostError && { status: 404 }),
  };
}
