/**
 * A server on a real socket and the plainest possible client: what is written is what the test says.
 *
 * For the official clients and our own, see `test/interaction`.
 */
import { createServer, request as httpRequest, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Servable, JsonObject } from "tenon";
import { serveHttp, type HttpEndpoint, type ServeHttpOptions } from "tenon/node";

export const STATELESS_META: JsonObject = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
export const BOTH = "application/json, text/event-stream";

export interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string | string[] | undefined> | undefined;
  /** Text as it is, or a value to be written as JSON. */
  body?: string | object;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body, where it is JSON. */
  readonly json: JsonObject;
  /** The messages of a stream, in order. */
  readonly messages: JsonObject[];
}

/** Sends one request to a server of the test, and reads the response to its end. */
export type Send = (sent: Sent) => Promise<Received>;

export interface Served extends HttpEndpoint {
  /** Sends a request and reads the whole response. */
  readonly raw: Send;
  /** Sends a stateless request with the headers that belong to it; `headers` overrides them. */
  readonly post: (method: string, params?: JsonObject, headers?: Sent["headers"]) => Promise<Received>;
  /** Opens a session of a stateful revision. */
  readonly open: (revision: string, capabilities?: JsonObject) => Promise<OpenSession>;
}

/** A session, by the headers its requests carry. */
export interface OpenSession {
  readonly id: string;
  readonly headers: Record<string, string>;
  /** POSTs one message, or a batch. */
  readonly send: (body: object | string, headers?: Sent["headers"]) => Promise<Received>;
}

export function initialize(protocolVersion: string, capabilities: JsonObject = {}): JsonObject {
  return {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion, capabilities, clientInfo: { name: "test", version: "0" } },
  };
}

/**
 * Serves until the test has finished. A response is one JSON body however long it takes: that it becomes a stream after half a
 * second would make the form of every response depend on how busy the machine is. Tests of that give `streams.after`.
 */
export async function serve(server: Servable, options: ServeHttpOptions = {}): Promise<Served> {
  const endpoint = await serveHttp(server, { port: 0, ...options, streams: { after: Infinity, ...options.streams } });
  onTestFinished(() => endpoint.close());
  const raw: Send = (sent) => exchange(endpoint.port, sent);
  return {
    ...endpoint,
    raw,
    open: (revision, capabilities) => openSession(raw, revision, capabilities),
    post: (method, params = {}, headers = {}) =>
      raw({ body: statelessBody(method, params), headers: { ...mirrored(method, params), ...headers } }),
  };
}

/** Serves what is no endpoint of Tenon's, such as the app of a framework, until the test has finished. */
export async function listen(listener: RequestListener): Promise<Send> {
  const http = createServer(listener);
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.close();
    http.closeAllConnections();
  });
  const { port } = http.address() as AddressInfo;
  return (sent) => exchange(port, sent);
}

async function openSession(raw: Send, revision: string, capabilities?: JsonObject): Promise<OpenSession> {
  const { headers } = await raw({ body: initialize(revision, capabilities) });
  const id = String(headers["mcp-session-id"]);
  const own = { "mcp-session-id": id, "mcp-protocol-version": revision };
  const send: OpenSession["send"] = (body, others = {}) => raw({ body, headers: { ...own, ...others } });
  await send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return { id, headers: own, send };
}

export function statelessBody(method: string, params: JsonObject = {}): JsonObject {
  return {
    jsonrpc: "2.0",
    id: 1,
    method,
    params: { ...params, _meta: { ...STATELESS_META, ...(params["_meta"] as JsonObject | undefined) } },
  };
}

export function mirrored(method: string, params: JsonObject): Record<string, string> {
  const name =
    method === "resources/read"
      ? params["uri"]
      : method === "tools/call" || method === "prompts/get"
        ? params["name"]
        : undefined;
  return { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...(typeof name === "string" && { "mcp-name": name }) };
}

/** One HTTP exchange, read to its end. */
export function exchange(port: number, { method = "POST", path = "/mcp", headers = {}, body }: Sent): Promise<Received> {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const all = { accept: BOTH, ...(text !== undefined && { "content-type": "application/json" }), ...headers };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
    string,
    string | string[]
  >;
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { port, host: "127.0.0.1", method, path, headers: given, agent: false, timeout: 60_000 },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => resolve(received(response.statusCode ?? 0, response.headers, Buffer.concat(chunks).toString())));
      },
    );
    request.on("timeout", () => request.destroy(new Error("No response within a minute")));
    request.on("error", reject);
    if (given["expect"] === undefined) request.end(text);
    else request.on("continue", () => request.end(text)); // the body goes when the server has the head
  });
}

function received(status: number, headers: IncomingHttpHeaders, text: string): Received {
  return {
    status,
    headers,
    text,
    get json(): JsonObject {
      return JSON.parse(text) as JsonObject;
    },
    get messages(): JsonObject[] {
      return dataOf(text).map((data) => JSON.parse(data) as JsonObject);
    },
  };
}

/** The data of every event that has some. */
export function dataOf(text: string): string[] {
  return [...text.matchAll(/^data: (.+)$/gm)].map((match) => match[1]!);
}
