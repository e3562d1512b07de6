/**
 * An HTTP server that is nothing but its answers: for what no server of ours would ever say. Real sockets.
 *
 * Everything a client sent is in `requests`, in order.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { JsonObject } from "tenon";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The JSON-RPC message; `{}` where there is none. */
  readonly message: JsonObject;
}

export interface Reply {
  readonly response: ServerResponse;
  /** Resolves when the client has gone away. */
  readonly gone: Promise<void>;
  /** JSON with a status. */
  json(value: unknown, status?: number, headers?: Record<string, string>): void;
  /** A result for this request. */
  result(value: JsonObject, headers?: Record<string, string>): void;
  /** An error for this request, or for none. */
  error(code: number, status?: number, more?: { data?: unknown; id?: null }): void;
  /** Begins an event stream. */
  stream(headers?: Record<string, string>): void;
  /** One event with a message. */
  event(message: unknown, id?: string): void;
  text(body: string, status?: number, headers?: Record<string, string>): void;
}

export type Script = (request: Received, reply: Reply) => void | Promise<void>;

export interface ScriptedHttp {
  readonly url: string;
  readonly requests: Received[];
  /** The JSON-RPC methods and HTTP methods that arrived: `"initialize"`, `"GET"`, `"answer"` for a response. */
  readonly methods: string[];
  /** Resolves when the server has received that, however often it takes. */
  received(method: string, count?: number): Promise<void>;
  /** Connections that are open. */
  readonly sockets: ReadonlySet<Socket>;
}

/** Starts a server that ends with the test. */
export async function scriptedHttp(script: Script): Promise<ScriptedHttp> {
  const requests: Received[] = [];
  const methods: string[] = [];
  const sockets = new Set<Socket>();
  const waiting: { method: string; count: number; resolve: () => void }[] = [];
  const check = (): void => {
    for (const { method, count, resolve } of waiting) if (methods.filter((seen) => seen === method).length >= count) resolve();
  };
  const server = createServer((incoming, response) => {
    void bodyOf(incoming).then(async (body) => {
      const message = body === "" ? {} : (JSON.parse(body) as JsonObject);
      const received = { method: incoming.method!, path: incoming.url!, headers: incoming.headers, message };
      requests.push(received);
      methods.push(
        incoming.method !== "POST" ? incoming.method! : typeof message["method"] === "string" ? message["method"] : "answer",
      );
      check();
      await script(received, replyTo(message, response));
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const received = (method: string, count = 1): Promise<void> =>
    new Promise((resolve) => {
      waiting.push({ method, count, resolve });
      check();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, requests, methods, received, sockets };
}

/** An address where nobody listens. */
export async function deserted(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return `http://127.0.0.1:${port}/mcp`;
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function replyTo(message: JsonObject, response: ServerResponse): Reply {
  const id = message["id"];
  const json: Reply["json"] = (value, status = 200, headers = {}) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
  };
  return {
    response,
    gone: new Promise((resolve) => {
      response.on("close", resolve);
    }),
    json,
    result: (value, headers) => json({ jsonrpc: "2.0", id, result: value }, 200, headers),
    error: (code, status = 200, { data, id: other } = {}) =>
      json(
        { jsonrpc: "2.0", id: other === null ? null : id, error: { code, message: "no", ...(data !== undefined && { data }) } },
        status,
      ),
    stream: (headers = {}) => {
      response.writeHead(200, { "content-type": "text/event-stream", ...headers });
      response.flushHeaders();
    },
    event: (value, eventId) => {
      response.write(`${eventId === undefined ? "" : `id: ${eventId}\n`}data: ${JSON.stringify(value)}\n\n`);
    },
    text: (body, status = 200, headers = {}) => {
      response.writeHead(status, { "content-type": "text/html", ...headers }).end(body);
    },
  };
}

const INFO = { name: "scripted", version: "1" };

/** A stateful server: the handshake, then `script` for everything else. */
export function stateful(
  script: Script = () => undefined,
  options: { version?: string; sessionId?: string; capabilities?: JsonObject } = {},
): Script {
  const { version = "2025-11-25", sessionId, capabilities = { tools: { listChanged: true } } } = options;
  return (request, reply) => {
    const { method } = request.message;
    if (request.headers["mcp-method"] !== undefined) return reply.error(-32000, 400, { id: null });
    if (method === "initialize")
      return reply.result(
        { protocolVersion: version, capabilities, serverInfo: INFO },
        sessionId === undefined ? {} : { "mcp-session-id": sessionId },
      );
    if (method === "notifications/initialized" || method === "notifications/cancelled")
      return void reply.response.writeHead(202).end();
    return script(request, reply);
  };
}

/** A stateful server without a standing stream and with nothing to end. */
export function quiet(script: Script): Script {
  return (request, reply) => (request.method === "POST" ? script(request, reply) : void reply.response.writeHead(405).end());
}

/** A stateless server: discovery, then `script` for everything else. */
export function stateless(script: Script = () => undefined, capabilities: JsonObject = { tools: {}, resources: {} }): Script {
  return (request, reply) => {
    if (request.message["method"] !== "server/discover") return script(request, reply);
    return reply.result({
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities,
      ttlMs: 0,
      cacheScope: "private",
    });
  };
}

/** A stateful server that forgets its session when `forget()` is called, and gives the next one a new id. */
export function forgetful(
  serve: (request: Received, reply: Reply) => void,
  capabilities: JsonObject = { tools: { listChanged: true } },
): { script: (request: Received, reply: Reply) => void; forget: () => void; id: () => string } {
  let session = 1;
  const script = (request: Received, reply: Reply): void => {
    if (request.headers["mcp-method"] !== undefined) return reply.error(-32000, 400);
    if (request.message["method"] === "initialize") {
      const result = { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "s", version: "1" } };
      return reply.result(result, { "mcp-session-id": `s-${session}` });
    }
    if (request.headers["mcp-session-id"] !== `s-${session}`) return reply.error(-32001, 404, { id: null });
    if (request.method !== "POST") return void reply.response.writeHead(405).end();
    if (String(request.message["method"]).startsWith("notifications/")) return void reply.response.writeHead(202).end();
    return serve(request, reply);
  };
  return { script, forget: (): void => void session++, id: (): string => `s-${session}` };
}
