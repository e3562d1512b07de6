/** Reads the responses of a server to one request: one response at most, and event ids without gap or repetition. */
import type { SentRequest } from "./exchange.ts";
import type { Ledger } from "./ledger.ts";

interface Message {
  readonly id?: unknown;
  readonly method?: string;
}

export class WireAudit {
  readonly #ledger: Ledger;
  readonly #request: Message;
  readonly #isStateless: boolean;
  #text = "";
  #responses = 0;
  /** The number of the last event, if the stream has numbers. */
  #last: number | undefined;

  constructor(ledger: Ledger, { body, headers }: SentRequest) {
    this.#ledger = ledger;
    this.#request = body === undefined ? {} : (JSON.parse(body) as Message); // the client wrote it
    this.#isStateless = headers["mcp-protocol-version"] === "2026-07-28";
    const number = headers["last-event-id"]?.split(".")[1];
    if (number !== undefined) this.#last = Number(number);
  }

  /** A body that came at once. */
  body(text: string): void {
    if (text !== "") this.#message(JSON.parse(text) as Message); // a server that sends anything else is at fault
  }

  /** A piece of a stream, before the network does anything to it. */
  chunk(bytes: Uint8Array): void {
    const events = (this.#text + new TextDecoder().decode(bytes)).split("\n\n");
    this.#text = events.pop()!;
    for (const event of events) this.#event(event.split("\n"));
  }

  #event(lines: readonly string[]): void {
    const id = lines.find((line) => line.startsWith("id: "))?.slice(4);
    const data = lines.find((line) => line.startsWith("data: "))?.slice(6);
    if (data !== undefined && data !== "") this.#message(JSON.parse(data) as Message); // as above
    if (id === undefined) return;
    const number = Number(id.split(".")[1]);
    const expected = data === undefined || data === "" ? number : (this.#last ?? 0) + 1;
    if (number !== expected) this.#ledger.violated(`event ${number} on a stream that was at ${this.#last ?? 0}`);
    this.#last = number;
  }

  #message({ id, method }: Message): void {
    if (this.#request.id === undefined || id !== this.#request.id || method !== undefined) return;
    if (++this.#responses > 1) this.#ledger.violated(`${this.#request.method} was answered ${this.#responses} times`);
  }

  /** The server ended the stream in good order. */
  ended(): void {
    const { id, method } = this.#request;
    if (this.#isStateless && id !== undefined && this.#responses === 0) this.#ledger.violated(`${method} was never answered`);
  }
}
