/** Reads a stream of events one by one, over a socket that can be cut, paused or held up at any time. */
import { request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";
import { BOTH, type Sent } from "./support.ts";

export interface ReadEvent {
  readonly id?: string;
  readonly event?: string;
  readonly retry?: string;
  readonly data: string;
}

/** How long a test waits for an event that must come. */
const PATIENCE_MS = 60_000;

export class EventReader {
  readonly status: number;
  readonly response: IncomingMessage;
  readonly #request: ClientRequest;
  readonly #events: ReadEvent[] = [];
  #text = "";
  #ended = false;
  #wake: (() => void) | undefined;

  private constructor(request: ClientRequest, response: IncomingMessage) {
    this.#request = request;
    this.response = response;
    this.status = response.statusCode ?? 0;
    response.setEncoding("utf8");
    response.on("data", (text: string) => this.#take(text));
    const end = (): void => {
      this.#ended = true;
      this.#wake?.();
    };
    response.on("end", end).on("error", end).on("close", end);
  }

  /** Opens a stream: with GET, or with POST where there is a body. */
  static open(port: number, { method, path = "/mcp", headers = {}, body }: Sent): Promise<EventReader> {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const all = {
      accept: text === undefined ? "text/event-stream" : BOTH,
      ...(text !== undefined && { "content-type": "application/json" }),
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const request = httpRequest({
        port,
        host: "127.0.0.1",
        method: method ?? (text === undefined ? "GET" : "POST"),
        path,
        headers: all as Record<string, string>,
        agent: false,
      });
      onTestFinished(() => void request.destroy());
      request.on("error", reject);
      request.on("response", (response) => resolve(new EventReader(request, response)));
      request.end(text);
    });
  }

  #take(text: string): void {
    this.#text += text;
    const blocks = this.#text.split("\n\n");
    this.#text = blocks.pop()!;
    for (const block of blocks) {
      const fields = block.split("\n").filter((line) => !line.startsWith(":"));
      if (fields.length === 0) continue;
      const field = (name: string): string | undefined =>
        fields
          .find((line) => line.startsWith(`${name}:`))
          ?.slice(name.length + 1)
          .trimStart();
      const [id, event, retry] = [field("id"), field("event"), field("retry")];
      this.#events.push({
        ...(id !== undefined && { id }),
        ...(event !== undefined && { event }),
        ...(retry !== undefined && { retry }),
        data: field("data") ?? "",
      });
    }
    this.#wake?.();
  }

  /** The next event. Fails where the stream ends, or nothing comes. */
  async next(): Promise<ReadEvent> {
    const event = await this.#read();
    if (event === undefined) throw new Error("The stream ended");
    return event;
  }

  /** Everything that still comes, until the server ends the stream. */
  async rest(): Promise<ReadEvent[]> {
    const events: ReadEvent[] = [];
    for (let event = await this.#read(); event !== undefined; event = await this.#read()) events.push(event);
    return events;
  }

  async #read(): Promise<ReadEvent | undefined> {
    const deadline = Date.now() + PATIENCE_MS;
    while (this.#events.length === 0 && !this.#ended) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, deadline - Date.now());
      });
      clearTimeout(timer);
      if (Date.now() >= deadline && this.#events.length === 0 && !this.#ended)
        throw new Error(`No event within ${PATIENCE_MS} ms`);
    }
    return this.#events.shift();
  }

  /** Stops reading: the server's writes pile up. */
  pause(): void {
    this.response.pause();
  }

  /** Reads again. */
  resume(): void {
    this.response.resume();
  }

  /** Loses the connection. */
  destroy(): void {
    this.#request.on("error", () => undefined);
    this.#request.destroy();
  }
}
