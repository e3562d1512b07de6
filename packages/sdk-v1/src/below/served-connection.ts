/**
 * The connection of an official `Server`: a 1.x transport that the Tenon server below serves.
 *
 * An official server has one connection at a time. `server.tenon` may serve others beside it, such as the connections of `serveHttp`.
 */
import type { Transport as OfficialTransport } from "mcp-sdk-v1/shared/transport.js";
import { ClientCapabilitiesSchema, type MessageExtraInfo, type RequestId } from "mcp-sdk-v1/types.js";
import type { Dispatcher, JsonObject, MaybePromise, McpServer, Outbound, Transport } from "tenon";
import type { RequestContext } from "tenon/server";
import { acceptorOf, isStatefulVersion, JsonRpcDispatcher } from "tenon/internal/embedding";
import { Bridge, type Connected } from "./bridge.ts";
import { Layer } from "./layer.ts";
import { CHANGED } from "./changed-lists.ts";
import { connectedTo } from "./newest-requests.ts";
import { requestFacts } from "./request-facts.ts";
import type { Asked } from "./newest-tasks.ts";
import type { OfficialParts } from "./official-parts.ts";
import { HANDSHAKE_ID, TransportAdapter } from "./transport-adapter.ts";

/** Transports of this package, each with what opens the Tenon transport that it is: no message of theirs is copied. */
const native = new WeakMap<OfficialTransport, () => Transport>();

/** Says that a server of this package can serve a transport by a Tenon transport. `open` is called once for each connection. */
export function serveNatively(transport: OfficialTransport, open: () => Transport): void {
  native.set(transport, open);
}

/** One connection, from `connect()` to its end. */
interface Open {
  readonly transport: OfficialTransport;
  readonly dispatcher: Dispatcher;
  readonly adapter: TransportAdapter | undefined;
  /** Whether its client has made a handshake. */
  agreed: boolean;
}

export class ServedConnection {
  readonly #official: OfficialParts;
  readonly #tenon: McpServer;
  readonly #bridge: Bridge;
  #open: Open | undefined;
  /** Numbers the requests of connections that `server.tenon` serves by itself. */
  #others = 0;
  /** Whether such a connection has made a request: before, no client listens there. */
  #servesOthers = false;

  /** @param mayRepeat whether handlers may run again: see {@link Bridge} */
  constructor(official: OfficialParts, tenon: McpServer, mayRepeat: boolean) {
    this.#official = official;
    this.#tenon = tenon;
    const sessionId = (): string | undefined => this.#open?.transport.sessionId;
    const outbound = (): Outbound | undefined => this.#open?.dispatcher;
    const connected: Connected = {
      get sessionId() {
        return sessionId();
      },
      get outbound() {
        return outbound();
      },
      notifyAll: (method, params) => this.#notifyAll(method, params),
    };
    this.#bridge = new Bridge(official, connected, mayRepeat);
    official._transport = this.#bridge;
    withClientOf(official, () => this.#bridge.current);
  }

  get transport(): OfficialTransport | undefined {
    return this.#open?.transport;
  }

  /** What the official server serves. */
  layer(fallback: () => unknown): Layer {
    return new Layer({
      official: this.#official,
      tenon: this.#tenon,
      fallback,
      run: (context, asked) => this.#run(context, asked),
      isMadeHandshake: ({ requestId }) => requestId === HANDSHAKE_ID,
      agreed: (context) => {
        if (this.#isOwn(context)) this.#open!.agreed = true;
      },
      requested: (context) => {
        this.#servesOthers ||= !this.#isOwn(context);
      },
    });
  }

  #isOwn(context: RequestContext): boolean {
    return this.#open !== undefined && context.connection.dispatcher === this.#open.dispatcher;
  }

  #run(context: RequestContext, asked?: Asked): Promise<JsonObject> {
    const own = this.#isOwn(context);
    const id: RequestId = own && asked === undefined ? context.requestId : `${context.requestId} ${++this.#others}`;
    const extra: MessageExtraInfo | undefined = own ? this.#open?.adapter?.extraOf(id) : requestFacts.getStore();
    return this.#bridge.run(context, { id, extra, own: own && isStatefulVersion(context.protocolVersion), asked });
  }

  /** Sends a notification that belongs to no request: on the connection, or to all clients that listen for it. @throws Error "Not connected" */
  #notifyAll(method: string, params: JsonObject | undefined): MaybePromise<void> {
    if (this.#open?.agreed) return this.#open.dispatcher.notify(method, params);
    if (this.#open === undefined && !this.#servesOthers) throw new Error("Not connected");
    const list = CHANGED.get(method);
    if (list !== undefined) return this.#tenon.listChanged(list);
    if (method === "notifications/resources/updated") return this.#tenon.resourceUpdated(String(params?.["uri"]));
    if (this.#open === undefined) throw new Error("Not connected");
    return undefined; // revisions without a handshake have no others
  }

  async connect(transport: OfficialTransport): Promise<void> {
    if (this.#open !== undefined)
      throw new Error(
        "Already connected to a transport. Call close() before connecting to a new transport, or use a separate Protocol instance per connection.",
      );
    const openNative = native.get(transport);
    const adapter = openNative === undefined ? new TransportAdapter(transport) : undefined;
    const dispatcher = new JsonRpcDispatcher(adapter ?? openNative!(), {
      onError: (error) => this.#official._onerror(error),
      limits: { handlerTimeout: Infinity },
    });
    const open: Open = { transport, dispatcher, adapter, agreed: false };
    this.#open = open;
    this.#listen(open);
    const { onmessage } = transport;
    connectedTo(transport, () => (transport.onmessage === onmessage || this.#offersAnything() ? this.#tenon : undefined));
    acceptorOf(this.#tenon)
      .accept(dispatcher)
      .then(
        () => adapter ?? transport.onclose?.(),
        (error: unknown) => this.#official._onerror(error instanceof Error ? error : new Error(String(error))),
      );
    await transport.start();
  }

  /** An owner who takes the messages of a server that offers nothing has another one behind it, and speaks its revision. */
  #offersAnything(): boolean {
    return Object.keys(this.#tenon.capabilities).length > 0;
  }

  #listen(open: Open): void {
    const { transport, adapter } = open;
    const { onclose, onerror, onmessage } = transport;
    transport.onclose = () => {
      adapter?.end();
      onclose?.();
      if (this.#open === open) this.#ended();
    };
    transport.onerror = (error) => {
      onerror?.(error);
      this.#official._onerror(error);
    };
    if (adapter === undefined) return;
    transport.onmessage = (message, extra) => {
      onmessage?.(message, extra);
      adapter.deliver(message, extra);
    };
  }

  #ended(): void {
    this.#open = undefined;
    this.#official._onclose();
    this.#official._transport = this.#bridge; // it has no connection now, and says so
  }

  async close(): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    await open.transport.close();
    await open.dispatcher.close();
  }
}

type Facts = Pick<OfficialParts, "_clientCapabilities" | "_clientVersion">;

/**
 * An official server remembers the client of its one connection. Below it may be many clients, and clients without a handshake: while a
 * handler runs for a request, `current()`, the client is that request's.
 */
function withClientOf(official: OfficialParts, current: () => RequestContext | undefined): void {
  const remembered: Facts = { _clientCapabilities: undefined, _clientVersion: undefined };
  const facts = {
    _clientCapabilities: ({ client }) => ClientCapabilitiesSchema.parse(client.capabilities), // it also completes older forms
    _clientVersion: ({ client }) => client.info as Facts["_clientVersion"], // the same, with lists that are read-only
  } satisfies { [name in keyof Facts]: (context: RequestContext) => Facts[name] };
  for (const name of ["_clientCapabilities", "_clientVersion"] as const)
    Object.defineProperty(official, name, {
      get: () => {
        const context = current();
        return context === undefined ? remembered[name] : facts[name](context);
      },
      set: (value: never) => {
        remembered[name] = value;
      },
    });
}
