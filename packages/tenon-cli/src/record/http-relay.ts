/**
 * Stands between clients and an MCP endpoint: passes requests and responses on, shows the messages in them, and may apply faults.
 *
 * Security: it listens on this machine only, and refuses requests with another host or of web pages of other origins: what it adds to
 * requests, such as a token, is for the user's programs.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { isLoopbackName, jsonIn } from "tenon/internal";
import { type Fault } from "./faults.ts";

export interface HttpRelayOptions {
  readonly target: URL;
  /** Added to each request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly port: number;
  /** Gets each message of a client, and each of the server; `session` tells clients apart. */
  readonly onClient?: (message: unknown, session: string) => void;
  readonly onServer?: (message: unknown, session: string) => void;
  readonly faultOf?: (text: string, session: string) => Fault | undefined;
}

/** What belongs to one connection, or is written anew. */
const HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
  "content-encoding",
  "host",
  "accept-encoding",
  "upgrade",
  "te",
  "trailer",
]);
const MAX_BODY = 16_777_216;

/** Resolves when it listens. @throws Node's error if it cannot */
export async function relayHttp(options: HttpRelayOptions): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    pass(request, response, options).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}${options.target.pathname}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function isLocal(url: string): boolean {
  return URL.canParse(url) && isLoopbackName(new URL(url).hostname);
}

function isAllowed({ headers: { host = "", origin } }: IncomingMessage): boolean {
  return isLocal(`http://${host}`) && (origin === undefined || isLocal(origin));
}

async function pass(request: IncomingMessage, response: ServerResponse, options: HttpRelayOptions): Promise<void> {
  if (!isAllowed(request)) return void response.writeHead(403).end("This address is for programs on this machine");
  const { target, headers: added = {}, onClient } = options;
  const path = new URL(request.url ?? "/", target);
  if (path.pathname !== target.pathname) return void response.writeHead(404).end();
  const body = await bodyOf(request);
  if (body === undefined) return void response.writeHead(413).end();
  const sent = headersOf(request.headers);
  const session = sent["mcp-session-id"] ?? crypto.randomUUID(); // without one, each request has its own ids
  if (body.length > 0) onClient?.(jsonIn(body.toString()), session);
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const reply = await fetch(new URL(target.pathname + (path.search || target.search), target), {
    method: request.method ?? "GET",
    headers: { ...sent, ...added },
    ...(body.length > 0 && { body: new Uint8Array(body) }),
    redirect: "manual",
    signal: gone.signal,
  }).catch((error: unknown) => error as Error);
  if (reply instanceof Error) return void response.writeHead(502, { "content-type": "text/plain" }).end(`${target.host} cannot be reached`);
  await answer(reply, response, { ...options, session: sent["mcp-session-id"] ?? session });
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function headersOf(headers: IncomingMessage["headers"]): Record<string, string> {
  const passed = Object.entries(headers).filter(([name, value]) => !HOP.has(name) && name !== "origin" && value !== undefined);
  return Object.fromEntries(passed.map(([name, value]) => [name, String(value)]));
}

interface Answering extends HttpRelayOptions {
  readonly session: string;
}

async function answer(reply: Response, response: ServerResponse, { session, onServer, faultOf }: Answering): Promise<void> {
  const head = Object.fromEntries([...reply.headers].filter(([name]) => !HOP.has(name)));
  const type = reply.headers.get("content-type") ?? "";
  if (reply.body === null) return void response.writeHead(reply.status, head).end();
  const see = (text: string): Fault | undefined => {
    onServer?.(jsonIn(text), session);
    return faultOf?.(text, session);
  };
  if (!type.includes("event-stream")) {
    const text = await reply.text();
    return sendWhole(response, { status: reply.status, head, text, fault: type.includes("json") ? see(text) : undefined });
  }
  response.writeHead(reply.status, head).flushHeaders();
  for await (const { block, data } of eventsOf(reply.body)) {
    const fault = data === "" ? undefined : see(data);
    if (!(await sendEvent(response, block, fault))) return;
  }
  response.end();
}

interface Whole {
  readonly status: number;
  readonly head: Record<string, string>;
  readonly text: string;
  readonly fault: Fault | undefined;
}

async function sendWhole(response: ServerResponse, { status, head, text, fault }: Whole): Promise<void> {
  if (fault?.kind === "closed") return void response.destroy();
  if (fault?.kind === "late") await delay(fault.ms);
  const body = fault?.kind === "wrong" ? fault.text : text;
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...head, "content-length": bytes.length });
  if (fault?.kind !== "cut") return void response.end(bytes);
  response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => response.destroy());
}

/** @returns whether the stream goes on */
async function sendEvent(response: ServerResponse, block: string, fault: Fault | undefined): Promise<boolean> {
  if (fault?.kind === "closed") response.destroy();
  if (fault?.kind === "cut") response.write(block.slice(0, Math.ceil(block.length / 2)), () => response.destroy());
  if (fault?.kind === "closed" || fault?.kind === "cut") return false;
  if (fault?.kind === "late") await delay(fault.ms);
  response.write(fault?.kind === "wrong" ? `data: ${fault.text}\n\n` : block);
  return true;
}

/** The events of a stream: each as it came, and its data. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<{ readonly block: string; readonly data: string }> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]) as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(chunk, { stream: true });
    for (let end = /\r?\n\r?\n/.exec(rest); end !== null; end = /\r?\n\r?\n/.exec(rest)) {
      const block = rest.slice(0, end.index + end[0].length);
      rest = rest.slice(block.length);
      const data = [...block.matchAll(/^data: ?(.*?)\r?$/gm)].map(([, text]) => text);
      yield { block, data: data.join("\n") };
    }
  }
  if (rest !== "") yield { block: rest, data: "" };
}
