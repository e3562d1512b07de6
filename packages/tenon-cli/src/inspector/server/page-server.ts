/**
 * Serves the page on 127.0.0.1: its files, the ticket, one stream of entries for each tab, and operations.
 *
 * Security: it listens on no other address. `door.ts` checks each request before anything of it is read.
 */
import { setMaxListeners } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { closeListener, isJsonObject, listen, serverOptions, jsonIn } from "tenon/internal";
import type { JsonObject } from "tenon";
import { Door, type Refusal } from "./door.ts";
import type { Journal } from "./journal.ts";
import { headersFor, isDocument, pageFile } from "./page-files.ts";
import { streamEntries } from "./entry-stream.ts";

/** Most bytes of the body of a request. */
const MAX_BODY = 8 * 1024 * 1024;
/** Most tabs that read the stream at the same time. */
const MAX_TABS = 16;

export interface PageServerOptions {
  readonly folder: string;
  readonly journal: Journal;
  readonly sandbox: string;
  /** Runs one operation of the page, and resolves with what the page gets back. */
  readonly run: (operation: JsonObject) => Promise<unknown>;
  /** Called each time that a tab gets the key. */
  readonly onOpen: () => void;
}

export class PageServer {
  readonly door: Door = new Door();
  readonly #options: PageServerOptions;
  readonly #listener: Server;
  readonly #closing = new AbortController();
  readonly #headers: Readonly<Record<string, string>>;
  #tabs = 0;

  constructor(options: PageServerOptions) {
    this.#options = options;
    this.#headers = headersFor(options.sandbox);
    setMaxListeners(MAX_TABS, this.#closing.signal); // each tab listens to it
    this.#listener = createServer(serverOptions(), (request, response) => void this.#serve(request, response));
  }

  /** @throws Node's error if it cannot listen on the port */
  async listen(port: number): Promise<void> {
    await listen(this.#listener, port, "127.0.0.1");
    this.door.port = (this.#listener.address() as AddressInfo).port; // it listens on a port
  }

  /** An address of the page with a new ticket. */
  address(): string {
    return `http://127.0.0.1:${this.door.port}/#t=${this.door.ticket()}`;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await closeListener(this.#listener);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(this.#headers)) response.setHeader(name, value);
    try {
      const refusal = await this.#respond(request, response);
      if (refusal !== undefined) end(response, refusal.status, { problem: refusal.problem });
    } catch (error) {
      end(response, 500, { problem: error instanceof Error ? error.message : String(error) });
    }
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<Refusal | undefined> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://page.invalid");
    const refused = this.door.refuseSender(request.headers, isDocument(pathname));
    if (refused !== undefined) return refused;
    if (!pathname.startsWith("/api/")) return this.#file(pathname, request, response);
    if (pathname === "/api/stream") return this.#stream(Number(searchParams.get("after")), request, response);
    if (pathname !== "/api/do" && pathname !== "/api/open") return { status: 404, problem: "There is nothing here" };
    const wrong = refuseForm(request, "POST") ?? (pathname === "/api/do" ? this.door.refuseKey(request.headers) : undefined);
    if (wrong !== undefined) return wrong;
    const read = await readBody(request);
    if (!("body" in read)) return read;
    return pathname === "/api/do" ? this.#do(read.body, response) : this.#open(read.body, response);
  }

  async #file(path: string, { method }: IncomingMessage, response: ServerResponse): Promise<Refusal | undefined> {
    if (method !== "GET" && method !== "HEAD") return { status: 405, problem: "Files are read with GET" };
    const file = await pageFile(this.#options.folder, path);
    if (file === undefined) return { status: 404, problem: "There is nothing here" };
    response.writeHead(200, { "Content-Type": file.type, "Content-Length": file.bytes.length });
    response.end(method === "HEAD" ? undefined : file.bytes);
    return undefined;
  }

  #open({ ticket }: JsonObject, response: ServerResponse): Refusal | undefined {
    const key = typeof ticket === "string" ? this.door.open(ticket) : undefined;
    if (key === undefined) return { status: 401, problem: "This address was used already, or is too old" };
    end(response, 200, { key });
    this.#options.onOpen();
    return undefined;
  }

  async #do(operation: JsonObject, response: ServerResponse): Promise<undefined> {
    try {
      end(response, 200, { value: await this.#options.run(operation) });
    } catch (error) {
      end(response, 400, { problem: error instanceof Error ? error.message : String(error) });
    }
  }

  async #stream(after: number, request: IncomingMessage, response: ServerResponse): Promise<Refusal | undefined> {
    const wrong = request.method === "GET" ? this.door.refuseKey(request.headers) : ({ status: 405, problem: "Use GET" } as const);
    if (wrong !== undefined) return wrong;
    if (!Number.isSafeInteger(after) || after < 0) return { status: 400, problem: '"after" must be the number of an entry' };
    if (this.#tabs >= MAX_TABS) return { status: 403, problem: `The page is open in ${MAX_TABS} tabs: close one of them` };
    this.#tabs++;
    try {
      await streamEntries(this.#options.journal, after, response, this.#closing.signal);
    } finally {
      this.#tabs--;
    }
    return undefined;
  }
}

function refuseForm({ method, headers }: IncomingMessage, wanted: string): Refusal | undefined {
  if (method !== wanted) return { status: 405, problem: `Use ${wanted}` };
  const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  return type === "application/json" ? undefined : { status: 415, problem: "The body must be application/json" };
}

async function readBody(request: IncomingMessage): Promise<{ readonly body: JsonObject } | Refusal> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) return { status: 413, problem: `A request has ${MAX_BODY} bytes at most` };
    chunks.push(chunk);
  }
  const body = jsonIn(Buffer.concat(chunks).toString("utf8"));
  return isJsonObject(body) ? { body } : { status: 400, problem: "The body must be a JSON object" };
}

function end(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  if (status === 413) response.setHeader("Connection", "close");
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
