/** One request and its response on their way: what is lost, delayed or cut between a client and a process. */
import { WireAudit } from "./wire-audit.ts";
import type { Connection, Machine, Process } from "./process.ts";
import type { World } from "./world.ts";

/** A request as the client gives it to `fetch`. */
export interface SentRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** A response as far as the client reads it: `HttpResponse` of the client. */
export type ReceivedResponse = Pick<Response, "status" | "ok" | "type" | "headers" | "body" | "text">;

/** The client and the server of the exchange. */
export interface Way {
  readonly client: string;
  readonly machine: Machine;
  /** Whether the request does not arrive. */
  readonly lost: boolean;
}

/** What `fetch` rejects with: ECONNREFUSED if the connection was never made, ECONNRESET if it broke. */
function failure(code: "ECONNREFUSED" | "ECONNRESET"): Error {
  return new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
}

export class Exchange implements Connection {
  readonly response: Promise<ReceivedResponse>;
  /** Resolves when nothing of it is left. */
  readonly over: Promise<void>;
  readonly #world: World;
  readonly #way: Way;
  readonly #init: SentRequest;
  readonly #url: string;
  /** Tells the process that the client is gone. */
  readonly #gone = new AbortController();
  #fail!: (error: unknown) => void;
  /** Rejects when the connection breaks or the client leaves. */
  readonly #broken: Promise<never>;
  #end!: () => void;
  #process: Process | undefined;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(world: World, way: Way, url: string, init: SentRequest) {
    this.#world = world;
    this.#way = way;
    this.#url = url;
    this.#init = init;
    this.over = new Promise((resolve) => (this.#end = resolve));
    this.#broken = new Promise((_, reject) => (this.#fail = reject));
    this.#broken.catch(() => undefined);
    if (init.signal.aborted) this.#leave();
    else init.signal.addEventListener("abort", this.#leave, { once: true });
    this.response = this.#carry();
  }

  /** The connection breaks: the process is dead, or the network cuts it. */
  reset(): void {
    this.#close(failure("ECONNRESET"));
  }

  readonly #leave = (): void => this.#close(this.#init.signal.reason);

  /** Both peers are notified at once, as by a kernel. */
  #close(error: unknown): void {
    const { client, machine } = this.#way;
    // what ends an exchange is an error
    this.#world.trace(`${client} x ${machine.name}: ${String((error as Error).cause ?? error)}`);
    this.#init.signal.removeEventListener("abort", this.#leave);
    this.#fail(error);
    this.#controller?.error(error);
    this.#controller = undefined;
    this.#gone.abort();
    this.#process?.connections.delete(this);
    this.#end();
  }

  async #carry(): Promise<ReceivedResponse> {
    try {
      return await Promise.race([this.#broken, this.#exchange()]);
    } catch (error) {
      this.#close(error);
      throw error;
    }
  }

  async #exchange(): Promise<ReceivedResponse> {
    const world = this.#world;
    const { client, machine, lost } = this.#way;
    await world.travel();
    await world.network.parted(client, machine);
    if (this.#gone.signal.aborted) throw failure("ECONNRESET");
    const { process } = machine;
    if (process === undefined) throw failure("ECONNREFUSED");
    if (lost) throw failure("ECONNRESET");
    this.#process = process;
    process.connections.add(this);
    const response = await process.handle(toRequest(this.#url, this.#init, this.#gone.signal));
    await world.travel();
    await world.network.parted(client, machine);
    if (world.random.chance(world.faults.lostResponses)) throw failure("ECONNRESET");
    return this.#receive(response, process);
  }

  async #receive(response: Response, process: Process): Promise<ReceivedResponse> {
    const audit = new WireAudit(this.#world.ledger, this.#init);
    const { status, headers } = response;
    if (headers.get("content-type") === "text/event-stream") {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => void (this.#controller = controller),
        cancel: () => this.reset(),
      });
      void this.#pump(response.body!.getReader(), audit, process);
      return new Response(body, { status, headers });
    }
    const text = await response.text();
    audit.body(text);
    this.#done();
    return toResponse(response, text);
  }

  /** The events come piece by piece. */
  async #pump(reader: ReadableStreamDefaultReader<Uint8Array>, audit: WireAudit, process: Process): Promise<void> {
    const world = this.#world;
    const isSlow = world.random.chance(world.faults.slowReaders);
    try {
      for (;;) {
        const { done, value } = await Promise.race([this.#broken, reader.read()]);
        if (value !== undefined) audit.chunk(value);
        await (isSlow ? world.sleep(world.random.between(100, 8_000)) : world.travel());
        await world.network.parted(this.#way.client, this.#way.machine);
        if (done) break;
        const cut = world.random.chance(world.faults.cuts);
        this.#controller?.enqueue(cut ? value.subarray(0, world.random.between(0, value.length)) : value);
        if (cut) throw failure("ECONNRESET");
      }
      if (!process.dead) audit.ended();
      this.#controller?.close();
      this.#done();
    } catch (error) {
      this.#close(error);
      await reader.cancel().catch(() => undefined);
    }
  }

  #done(): void {
    this.#controller = undefined;
    this.#init.signal.removeEventListener("abort", this.#leave);
    this.#process?.connections.delete(this);
    this.#end();
  }
}

/**
 * A request as a runtime hands it over. Node's own `Request` is not used: it loses sight of its signal when garbage is collected,
 * which no seed decides.
 */
function toRequest(url: string, { method, headers, body }: SentRequest, signal: AbortSignal): Request {
  const request = { method, url, headers: new Headers(headers), body: body === undefined ? null : toBody(body), signal };
  return request as unknown as Request; // what the endpoint reads of one
}

/** A response that has arrived whole. */
function toResponse({ status, ok, type, headers }: Response, text: string): ReceivedResponse {
  return { status, ok, type, headers, body: text === "" ? null : toBody(text), text: () => Promise.resolve(text) };
}

/** A body that comes in one piece. Node's own streams would take most of the time of a run. */
function toBody(text: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = [new TextEncoder().encode(text)];
  const reader = {
    read: () => Promise.resolve(chunks.length > 0 ? { done: false, value: chunks.shift() } : { done: true, value: undefined }),
    cancel: () => Promise.resolve(),
  };
  return { getReader: () => reader } as unknown as ReadableStream<Uint8Array<ArrayBuffer>>; // what is read of one
}
