/**
 * `createGateway()`: many servers behind one endpoint.
 *
 * A gateway is an acceptor, as a server is. This file is its life: it serves connections, takes middleware and new settings, and closes.
 * `methods/` handles the requests; the gateway answers `initialize` itself, and speaks with each server in the newest revision that both have.
 */
import { finishesWithin } from "../base/clock.ts";
import type { OutgoingRequest } from "../client/call/outgoing-request.ts";
import type { HttpRules, SharedServing } from "../dispatch/acceptor.ts";
import { ClosedServerError, type ClosedBy } from "../dispatch/closed-server.ts";
import type { Dispatcher, LeakedHandlers } from "../dispatch/dispatcher.ts";
import { McpUsageError, type McpError } from "../jsonrpc/mcp-error.ts";
import type { Implementation } from "../protocol/capabilities.ts";
import { TASK_HEADERS } from "../protocol/methods.ts";
import { toMcpError } from "../server/serving/failures.ts";
import { serveConnection } from "../session/handle-request.ts";
import { compose, onlyFor, type Handler, type Middleware } from "../session/handler.ts";
import { OpenListens } from "../session/open-listens.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { REFUSED_GRACE } from "./asking/held-questions.ts";
import { RefusedQuestionError } from "./asking/server-rounds.ts";
import type { RequestContext } from "../session/request-context.ts";
import { nextTurn } from "../base/turns.ts";
import { isWorkerStore } from "../base/worker-host.ts";
import type { SharedStores } from "../storage/shared-stores.ts";
import type { Codec } from "../wire/codec.ts";
import type { GatewayEntries } from "./credentials/entry.ts";
import { Methods } from "./methods/methods.ts";
import type { GatewayOptions, Policy } from "./options.ts";
import { createParts, type GatewayParts } from "./parts.ts";
import type { Quota } from "./quotas.ts";
import { replaceServers, type ServerChanges } from "./server-changes.ts";
import type { PinnedForCallers, PinnedTools } from "./catalog/pin-table.ts";
import type { UpstreamStatus } from "./servers/upstream.ts";

/**
 * Makes a gateway: many servers behind one endpoint, each under a prefix, for clients and servers of every revision. Serve it as a server: with `serveHttp`,
 * `serveStdio` or `createFetchHandler`, or `connect()` to it. It connects to a server when a caller first needs it.
 * @throws TypeError if an option does not exist or an entry is not one of a server; RangeError if a limit or a time is out of range;
 * McpError -32602 if two servers would have one prefix
 * @example
 * ```ts
 * import { connect } from "tenon/client";
 * import { createGateway } from "tenon/gateway";
 * import { McpServer } from "tenon/server";
 *
 * const clock = new McpServer({ name: "clock", version: "1.0.0" });
 * clock.tool("now", {}, () => "noon");
 * await using gateway = createGateway({ servers: { clock } });
 * await using client = await connect(gateway);
 * console.log((await client.callTool("clock__now")).text); // noon
 * ```
 */
export function createGateway(options: GatewayOptions): Gateway {
  return new Gateway(options);
}

/** Many servers behind one endpoint. Made by {@link createGateway}. */
export class Gateway implements AsyncDisposable {
  /** The name and version that clients get. */
  readonly info: Implementation;
  /** @internal */
  handler: Handler<RequestContext>;
  /** @internal */
  readonly lifespan = undefined;
  /** Counts calls that did not end in time after they were cancelled: those that still run, and the total. */
  readonly leakedHandlers: LeakedHandlers = { running: 0, total: 0 };
  /** @internal Results pass unchecked: what a gateway does not know passes. */
  readonly checksResults = false;
  /** @internal */
  readonly listens: OpenListens = new OpenListens();
  /** @internal Requests whose headers name a task, and the pages at which users log in. */
  readonly http: HttpRules;
  /** @internal See `Acceptor`. */
  readonly shared: SharedServing = { useStores: (stores) => this.#useStores(stores) };
  readonly #parts: GatewayParts;
  readonly #methods: Methods;
  readonly #middleware: Middleware<RequestContext>[] = [];
  /** Set once it is closed: the refusal of later connections. */
  #refusal: ClosedServerError | undefined;
  #hasReportedRefusal = false;

  /** @internal */
  constructor(options: GatewayOptions) {
    this.#parts = createParts(options);
    this.info = this.#parts.settings.info;
    this.http = { headerNames: TASK_HEADERS, pages: this.#parts.logins.pages, strict: this.#parts.settings.strict };
    this.#methods = new Methods(this.#parts, options.instructions);
    this.handler = this.#composed();
  }

  // ---- middleware ----

  /**
   * Adds middleware around every request, or around the requests of one method. The first is outermost. It takes effect at once. Middleware for both ways, such
   * as `otel()`, is also around the requests that the gateway forwards to servers.
   */
  use(middleware: Middleware<RequestContext>): this;
  /** Adds middleware around the requests of one method. */
  use(method: string, middleware: Middleware<RequestContext>): this;
  use(first: string | Middleware<RequestContext>, second?: Middleware<RequestContext>): this {
    const { forwarder } = this.#parts;
    this.#middleware.push(typeof first === "string" ? onlyFor(new Set([first]), second!) : first);
    // A layer for both ways takes requests of either direction; its type names one direction only.
    if ("bothWays" in Object(first)) forwarder.addOutbound(first as unknown as Middleware<OutgoingRequest>);
    this.handler = this.#composed();
    return this;
  }

  #composed(): Handler<RequestContext> {
    const { search, spill, audit } = this.#parts;
    const own = [search?.unwrap, spill?.layer, audit?.layer].filter((layer) => layer !== undefined);
    return compose([...own, ...this.#middleware], this.#methods.run);
  }

  // ---- settings ----

  /**
   * Replaces the servers by the servers of a changed configuration: adds the new ones, closes those that are gone, and connects anew to those whose
   * entry differs. All others keep their connections. Clients are notified. Calls that run at a server that is gone or differs get `drainTimeout` to end;
   * new ones go to what is configured now.
   * @returns the names of the servers that were added, removed and changed
   * @throws McpError -32602 if two servers would have one prefix; TypeError if an entry is not one of a server. Then nothing changes
   */
  setServers(servers: GatewayEntries): Promise<ServerChanges> {
    return replaceServers(this.#parts, servers);
  }

  /**
   * Replaces the approved definitions. Clients are notified that the lists have changed.
   * @param callers what is approved for one caller; without it, what was pinned for callers stays
   * @throws McpUsageError without the option `pins`
   */
  setPins(approved: PinnedTools, callers?: PinnedForCallers): void {
    const { settings, fronts } = this.#parts;
    if (settings.pins === undefined) throw new McpUsageError('setPins() needs the option "pins" of createGateway()');
    settings.pins.replace(approved, callers);
    fronts.listsChanged();
  }

  /** Replaces the option `policy`; undefined allows everything. Requests that run go on; watches of resources that it denies receive no more updates. Clients are notified that their lists have changed. */
  setPolicy(policy: Policy | undefined): void {
    this.#parts.settings.policy = policy;
    this.#parts.fronts.listsChanged();
  }

  /**
   * Replaces the option `quotas`. Servers whose quota stays the same keep what their callers have used.
   * @throws TypeError if an option does not exist; RangeError if a limit is below 1. Then nothing changes
   */
  setQuotas(quotas: { readonly [server: string]: Quota }): void {
    this.#parts.settings.quotas.replace(quotas);
  }

  /**
   * Connects to the servers now, and not with the first list, so that it is whole. For a gateway that serves many clients. Servers whose
   * credentials differ by caller are left out. Resolves when each has connected or failed; failures are reported to `onError`.
   */
  async start(): Promise<void> {
    const { router, fronts } = this.#parts;
    const caller = fronts.localCaller();
    const servers = router.servers.filter(({ lists }) => lists.isOne);
    await Promise.all(servers.map((server) => server.lanes.forList(caller).catch(() => undefined))); // the server has reported it
  }

  /** The servers as they are now, for `gatewayMetrics()` of `tenon/otel`. */
  status(): UpstreamStatus[] {
    return this.#parts.router.servers.map((server) => server.status);
  }

  // ---- serving ----

  /** @internal */
  has(method: string, codec: Codec): boolean {
    return this.#methods.has(method, codec);
  }

  /** @throws McpUsageError without keys */
  #useStores(stores: SharedStores): void {
    const { settings, suspended, spill } = this.#parts;
    if (!settings.hasKeys && !isWorkerStore(stores.keyed))
      throw new McpUsageError(
        'With the option "stores" a gateway needs "requestState: { keys }", the same keys on all nodes: the next request of a call may come to another node',
      );
    suspended.share(stores);
    if (spill !== undefined) spill.store = stores.keyed;
  }

  /** @internal */
  recover(error: unknown, { method }: RequestContext): JsonObject | undefined {
    return method === "tools/call" && error instanceof RefusedQuestionError ? error.toResult() : undefined;
  }

  /** @internal */
  toMcpError(error: unknown, method: string, cancelled = false): McpError {
    const { settings } = this.#parts;
    return toMcpError(error, { method, ...(cancelled && { cancelled }) }, (failure) => settings.report(failure, { method }));
  }

  /**
   * Serves one connection until it ends. Transports call it; `serveStdio` and `connect(gateway)` do so for you.
   * @throws McpUsageError (rejects) after `close()`; it says what closed the gateway, and `onError` is called with it once
   */
  async accept(dispatcher: Dispatcher): Promise<void> {
    if (this.#refusal) throw this.#refused(this.#refusal);
    const { fronts } = this.#parts;
    const front = fronts.add(dispatcher);
    try {
      await serveConnection(this, front.connection, (method) => front.received(method));
    } finally {
      fronts.remove(front);
    }
  }

  /** Reports the first refusal, because an endpoint that still listens need not have an `onError` of its own. */
  #refused(refusal: ClosedServerError): ClosedServerError {
    if (!this.#hasReportedRefusal) this.#parts.settings.report(refusal, { method: "initialize" });
    this.#hasReportedRefusal = true;
    return refusal;
  }

  /** Closes all connections on both sides, and ends open `listen` streams in order. Idempotent. */
  close(): Promise<void> {
    return this.#close("close()");
  }

  async #close(by: ClosedBy): Promise<void> {
    const { settings, fronts, suspended, bridge, router, draining } = this.#parts;
    this.#refusal ??= new ClosedServerError("gateway", by);
    const { clock } = settings;
    for (const stream of [...fronts.streams]) stream.end();
    const refusals = Promise.all([suspended.close(), bridge.close()]);
    await Promise.all([this.listens.ended(clock), finishesWithin(clock, REFUSED_GRACE, refusals)]);
    await nextTurn(); // what those calls ended with goes to their clients
    await fronts.close();
    await Promise.all([draining.close(), ...router.servers.map((server) => server.close())]);
    await suspended.leave();
  }

  /** The same as {@link close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#close("await using");
  }
}
