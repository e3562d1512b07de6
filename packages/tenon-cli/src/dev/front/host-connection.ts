/**
 * One connection of a client to the front. It stays while generations come and go.
 *
 * A stateless request is a connection of its own to the newest generation. A stateful client has one in each generation; a new one gets
 * the handshake, the log level and the subscriptions of the client again, so that the client need not repeat them.
 */
import type { Dispatcher, InboundRequest, JsonObject, Outbound } from "tenon";
import { codecFor, isStatelessClaim } from "tenon/internal";
import { ClientTap, type ForwardedRequest, type Traffic } from "./client-tap.ts";
import type { Generation } from "./generation-process.ts";
import { senderOf, within } from "./handover.ts";
import { isListen, type OpenListens } from "./open-listens.ts";
import type { Upstream } from "./upstream.ts";

/** What a connection needs from the front. */
export interface Generations {
  readonly listens: OpenListens;
  /** The newest generation; resolves when there is one. @throws McpError if the author's file does not run */
  current(): Promise<Generation>;
  isCurrent(generation: Generation): boolean;
  /** Where the messages of clients are shown; absent if there is no page. */
  readonly traffic?: Traffic | undefined;
}

/** Requests of a stateful client that hold for its whole connection. */
const REMEMBERED: ReadonlySet<string> = new Set(["initialize", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"]);

export class HostConnection {
  readonly #dispatcher: Dispatcher;
  readonly #tap: ClientTap | undefined;
  /** The channel to the client for what belongs to no request. */
  readonly #standalone: Outbound;
  readonly #generations: Generations;
  readonly #upstreams = new Map<Generation, Promise<Upstream>>();
  /** The params of the client's `initialize`, and the result that it got. */
  #handshake: { readonly params: JsonObject | undefined; readonly result: JsonObject } | undefined;
  #isInitialized = false;
  #level: JsonObject | undefined;
  readonly #subscribed = new Map<unknown, JsonObject>();
  #repeats = 0;

  /** @param isShown whether the page shows its messages, if there is one */
  constructor(dispatcher: Dispatcher, generations: Generations, isShown: boolean) {
    this.#dispatcher = dispatcher;
    this.#generations = generations;
    this.#tap = isShown ? this.#newTap() : undefined;
    this.#standalone = this.#tap?.outbound(dispatcher) ?? dispatcher;
  }

  /** Serves the client until the connection ends. */
  async run(): Promise<void> {
    await this.#dispatcher.run(
      (request) => this.#tapOf(request)?.serve(request, (tapped) => this.#handle(tapped)) ?? this.#handle(request),
      (method, params) => {
        this.#tap?.hear(method, params);
        return this.#hear(method, params);
      },
    );
    for (const generation of [...this.#upstreams.keys()]) this.leave(generation);
  }

  #newTap(): ClientTap | undefined {
    const { traffic } = this.#generations;
    return traffic && new ClientTap(traffic, this.#dispatcher.context?.kind);
  }

  /** Stateless requests of all HTTP clients come over one connection, so each says for itself who sends it. */
  #tapOf({ params }: InboundRequest): ClientTap | undefined {
    return this.#tap && isStatelessClaim(params) ? this.#newTap() : this.#tap;
  }

  async #handle(request: ForwardedRequest): Promise<JsonObject> {
    if (isStatelessClaim(request.params)) return this.#handleStateless(request);
    const generation = await this.#generations.current();
    const upstream = await this.upstreamIn(generation);
    const result = await upstream.forward(request, { sender: senderOf(request.transport) });
    this.#remember(request, result);
    if (REMEMBERED.has(request.method)) await this.#repeat(request, generation);
    return result;
  }

  /** Tells the generations that came while the request was under way, before the client goes on: they were opened without it. */
  async #repeat({ method, params }: ForwardedRequest, told: Generation): Promise<void> {
    const others = [...this.#upstreams].filter(([generation]) => generation !== told);
    const repeated = others.map(async ([generation, opening]) => {
      const upstream = await opening;
      // A generation that refuses the handshake is opened again by the next request, which then fails with the reason.
      const refused = (): void => (method === "initialize" ? this.leave(generation) : undefined);
      await upstream.request(`tenon-dev-repeat-${++this.#repeats}`, method, params).catch(refused);
    });
    await within(Promise.allSettled(repeated));
  }

  async #handleStateless(request: ForwardedRequest): Promise<JsonObject> {
    if (isListen(request)) return this.#generations.listens.serve(request, await this.#generations.current());
    const upstream = (await this.#generations.current()).open(senderOf(request.transport), { standalone: undefined });
    try {
      return await upstream.forward(request);
    } finally {
      upstream.end("The request has ended");
    }
  }

  #remember({ method, params }: ForwardedRequest, result: JsonObject): void {
    if (method === "initialize") {
      this.#handshake = { params, result };
      this.#dispatcher.acceptsBatches = codecFor(String(result["protocolVersion"]))?.acceptsBatches ?? false;
    } else if (method === "logging/setLevel") this.#level = params;
    else if (method === "resources/subscribe" && params) this.#subscribed.set(params["uri"], params);
    else if (method === "resources/unsubscribe") this.#subscribed.delete(params?.["uri"]);
  }

  async #hear(method: string, params: JsonObject | undefined): Promise<void> {
    // Progress of a question comes with the question.
    if (method === "notifications/progress") return;
    if (method === "notifications/initialized") this.#isInitialized = true;
    const current = await this.upstreamIn(await this.#generations.current());
    current.notify(method, params);
    if (method !== "notifications/initialized") return;
    // A generation may have been opened since the handshake, and not be the current one yet.
    for (const opening of this.#upstreams.values())
      opening.then((upstream) => upstream === current || upstream.notify(method, params)).catch(() => undefined);
  }

  /** The connection to a generation. The first use opens it and repeats what the client has said. */
  upstreamIn(generation: Generation): Promise<Upstream> {
    let opening = this.#upstreams.get(generation);
    if (opening === undefined) this.#upstreams.set(generation, (opening = this.#open(generation)));
    return opening;
  }

  async #open(generation: Generation): Promise<Upstream> {
    const isCurrent = (): boolean => this.#generations.isCurrent(generation);
    const standalone = this.#standalone;
    const upstream = generation.open(senderOf(this.#dispatcher.context), {
      get standalone() {
        return isCurrent() ? standalone : undefined;
      },
    });
    if (this.#handshake === undefined) return upstream;
    await upstream.request("tenon-dev-initialize", "initialize", this.#handshake.params);
    if (this.#isInitialized) upstream.notify("notifications/initialized");
    if (this.#level) await upstream.request("tenon-dev-level", "logging/setLevel", this.#level).catch(() => undefined);
    // The response says that the generation has read everything so far: only then it announces changes to this client.
    await upstream.request("tenon-dev-ping", "ping", undefined).catch(() => undefined);
    // A resource that the new code no longer has is not watched any more.
    for (const params of this.#subscribed.values())
      await upstream.request("tenon-dev-subscribe", "resources/subscribe", params).catch(() => undefined);
    return upstream;
  }

  /** Forgets a generation that ends. */
  leave(generation: Generation): void {
    const opening = this.#upstreams.get(generation);
    this.#upstreams.delete(generation);
    opening?.then(
      (upstream) => upstream.end("The connection has ended"),
      () => undefined,
    );
  }

  /** Sends a log message of the front, if the client takes such messages. */
  log(level: "error", data: string): void {
    const capabilities = this.#handshake?.result["capabilities"] as JsonObject | undefined;
    if (capabilities?.["logging"] !== undefined)
      void this.#standalone.notify("notifications/message", { level, logger: "tenon dev", data });
  }
}
