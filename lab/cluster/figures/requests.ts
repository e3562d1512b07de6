/** Requests as figures need them: raw, because the client must cost as little as it can. */
import { Agent, request } from "node:http";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { BOTH, initialize, mirrored, statelessBody } from "../../../packages/tenon/test/http/support.ts";

type Headers = Record<string, string>;
/** Headers of the requests of one session. */
export type SessionHeaders = Headers;

export interface Reply {
  readonly headers: Headers;
  readonly text: string;
}

/** Milliseconds until a node that stood still is asked again. */
const AGAIN = 500;

/** Connections to nodes, kept open. */
export class Requests {
  readonly #agent: Agent;

  constructor(connections: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /**
   * Sends a request again that a node has refused because it stood still: a busy machine lets it. @throws Error if the status is
   * not one of success
   */
  async post(port: number, body: object, headers: Headers = {}): Promise<Reply> {
    for (;;) {
      const reply = await this.#postOnce(port, body, headers);
      if (reply !== "stood still") return reply;
      await sleep(AGAIN);
    }
  }

  async #postOnce(port: number, body: object, headers: Headers): Promise<Reply | "stood still"> {
    const sent = request({
      agent: this.#agent,
      host: "127.0.0.1",
      port,
      path: "/mcp",
      method: "POST",
      headers: withTypes(headers),
    });
    sent.end(JSON.stringify(body));
    const [response] = (await once(sent, "response")) as [AsyncIterable<Buffer> & { statusCode: number; headers: Headers }];
    let text = "";
    for await (const chunk of response) text += chunk.toString();
    if (response.statusCode === 503 && text.includes('"stoodStill"')) return "stood still";
    if (response.statusCode >= 300) throw new Error(`Status ${response.statusCode}: ${text}`);
    return { headers: response.headers, text };
  }

  /** Opens a session. Returns the headers of its requests. */
  async open(port: number): Promise<Headers> {
    const { headers } = await this.post(port, initialize("2025-11-25", {}));
    const session = { "mcp-session-id": headers["mcp-session-id"]!, "mcp-protocol-version": "2025-11-25" };
    await this.post(port, { jsonrpc: "2.0", method: "notifications/initialized" }, session);
    return session;
  }

  /** A call of a session. */
  call(port: number, session: Headers, name = "echo"): Promise<Reply> {
    const params = { name, arguments: {}, _meta: { progressToken: 1 } };
    return this.post(port, { jsonrpc: "2.0", id: 2, method: "tools/call", params }, session);
  }

  /** A call without a session. */
  stateless(port: number, name = "echo"): Promise<Reply> {
    const params = { name, arguments: {} };
    return this.post(port, statelessBody("tools/call", params), mirrored("tools/call", params));
  }

  /** What a node has used so far. */
  async usage(port: number): Promise<{ readonly cpu: number; readonly heap: number }> {
    const { text } = await this.stateless(port, "usage");
    const { result } = JSON.parse(text) as { result: { content: [{ text: string }] } };
    return JSON.parse(result.content[0].text) as { cpu: number; heap: number };
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** A stream of changes that is kept open. */
export class OpenStream {
  readonly #close: () => void;
  #onChange: (() => void) | undefined;

  private constructor(close: () => void) {
    this.#close = close;
  }

  /** Resolves when the node watches. */
  static async open(port: number): Promise<OpenStream> {
    const params = { notifications: { resourceSubscriptions: ["figure://changed"] } };
    const headers = withTypes(mirrored("subscriptions/listen", params));
    const sent = request({ agent: false, host: "127.0.0.1", port, path: "/mcp", method: "POST", headers });
    sent.end(JSON.stringify(statelessBody("subscriptions/listen", params)));
    const [response] = (await once(sent, "response")) as [NodeJS.ReadableStream];
    const stream = new OpenStream(() => sent.destroy());
    sent.on("error", () => undefined); // it is destroyed at the end
    response.on("error", () => undefined);
    await new Promise<void>((resolve) => {
      response.on("data", (bytes: Buffer) => {
        const text = bytes.toString();
        if (text.includes("acknowledged")) resolve();
        if (text.includes("resources/updated")) stream.#onChange?.();
      });
    });
    return stream;
  }

  /** Resolves with the next change. */
  changed(): Promise<void> {
    return new Promise((resolve) => (this.#onChange = resolve));
  }

  close(): void {
    this.#close();
  }
}

function withTypes(headers: Headers): Headers {
  return { accept: BOTH, "content-type": "application/json", ...headers };
}
