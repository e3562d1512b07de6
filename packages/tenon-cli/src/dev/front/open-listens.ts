/** The open `subscriptions/listen` streams of stateless clients. A reload moves each to the new generation; the client notices nothing. */
import type { JsonObject } from "tenon";
import { SUBSCRIPTION_ID_KEY } from "tenon/internal";
import type { ForwardedRequest } from "./client-tap.ts";
import type { Generation } from "./generation-process.ts";
import { senderOf } from "./handover.ts";
import { isGone, type Upstream } from "./upstream.ts";

export function isListen({ method }: ForwardedRequest): boolean {
  return method === "subscriptions/listen";
}

export class OpenListens {
  readonly #open = new Set<OpenListen>();

  /** Serves a stream in `generation` and those that follow it, until the client or the newest generation ends it. */
  async serve(request: ForwardedRequest, generation: Generation): Promise<JsonObject> {
    request.keepOpen();
    const listen = new OpenListen(request);
    this.#open.add(listen);
    try {
      void listen.move(generation);
      return await listen.result;
    } finally {
      this.#open.delete(listen);
      listen.end();
    }
  }

  /** Resolves when the generation has acknowledged all streams: before that it would not announce changes on them. */
  async moveTo(generation: Generation): Promise<void> {
    await Promise.all([...this.#open].map((listen) => listen.move(generation)));
  }
}

class OpenListen {
  readonly result: Promise<JsonObject>;
  readonly #request: ForwardedRequest;
  #resolve!: (result: JsonObject) => void;
  #reject!: (error: unknown) => void;
  #newest: Upstream | undefined;
  #isAcknowledged = false;

  constructor(request: ForwardedRequest) {
    this.#request = request;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // A stream that the endpoint ends in order has a result; for one that the client has left it is not sent.
    const complete = { resultType: "complete", _meta: { [SUBSCRIPTION_ID_KEY]: request.requestId } };
    request.signal.addEventListener("abort", () => this.#resolve(complete), { once: true });
  }

  /** Continues the stream in another generation. Resolves when the generation has acknowledged it, or does not serve it. */
  move(generation: Generation): Promise<void> {
    return new Promise((resolve) => this.#move(generation, resolve));
  }

  #move(generation: Generation, acknowledged: () => void): void {
    const before = this.#newest;
    const upstream = generation.open(senderOf(this.#request.transport), { standalone: undefined });
    this.#newest = upstream;
    const skip = (method: string): boolean => {
      if (method !== "notifications/subscriptions/acknowledged") return false;
      acknowledged();
      return this.#isRepeated();
    };
    upstream
      .forward(this.#request, { staysOpen: true, skip })
      .then(
        (result) => upstream === this.#newest && this.#resolve(result),
        // If the generation has gone, the next one continues the stream.
        (error: unknown) => upstream === this.#newest && !isGone(error) && this.#reject(error),
      )
      .finally(acknowledged);
    before?.end("The stream continues in a newer version");
  }

  /** The client sees one acknowledgement. */
  #isRepeated(): boolean {
    const isRepeated = this.#isAcknowledged;
    this.#isAcknowledged = true;
    return isRepeated;
  }

  end(): void {
    const newest = this.#newest;
    this.#newest = undefined;
    newest?.end("The stream has ended");
  }
}
