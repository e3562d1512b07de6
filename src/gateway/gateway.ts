/**
 * `createGateway()`: many servers behind one endpoint.
 *
 * A gateway is an acceptor, as a server is. The legs negotiate alone: it answers `initialize` itself, and speaks with each server in the
 * newest revision that both have. `router.ts` finds the server of a call, and `forward.ts` passes it on.
 */
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import type { OutgoingRequest } from "../client/call/outgoing-request.ts";
import type { Pages } from "../dispatch/acceptor.ts";
import type { Dispatcher, LeakedHandlers } from "../dispatch/dispatcher.ts";
import { LimitExceededError, McpUsageError, McpError } from "../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities, Implementation, ServerCapabilities } from "../protocol/capabilities.ts";
import { TASK_HEADERS, type HeaderNames } from "../protocol/methods.ts";
import type { LoggingLevel } from "../protocol/types.ts";
import { toMcpError } from "../server/failures.ts";
import { discover, initialize, setLevel, type ServerDescription } from "../server/lifecycle.ts";
import { Connection } from "../session/connection.ts";
import { serveConnection } from "../session/handle-request.ts";
import { compose, onlyFor, type Handler, type Middleware } from "../session/handler.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { Codec } from "../wire/codec.ts";
import { Audit } from "./audit.ts";
import { callerOf, type Caller } from "./caller.ts";
import type { GatewayEntries } from "./credentials/entry.ts";
import { assertExactMembers } from "./exact-members.ts";
import { isExtensionMethod, routeExtension } from "./extension-methods.ts";
import { Forwarder } from "./forward.ts";
import { Front } from "./front.ts";
import type { Lane } from "./lane.ts";
import { listen, type ListenHost, type OpenStream } from "./listen.ts";
import { KIND_ROWS, type Kind } from "./listing.ts";
import { GatewayLogins } from "./login/gateway-logins.ts";
import { loginResult } from "./login/login-tool.ts";
import { settingsOf, type GatewayOptions, type Policy, type Settings } from "./options.ts";
import { Profiles } from "./profile.ts";
import type { Quota } from "./quotas.ts";
import { Router, type Route } from "./router.ts";
import { ToolSearch } from "./search/tool-search.ts";
import { States } from "./states.ts";
import { SuspendedCalls } from "./suspended-calls.ts";
import { TaskBridge } from "./task-bridge.ts";
import { TaskHandles } from "./task-handles.ts";
import { GatewayTasks, namesTask, TASK_METHODS } from "./tasks.ts";
import { CONNECTING_KEY } from "./meta.ts";
import type { PinnedTools } from "./tool-pins.ts";
import { MatchBudget, withUris } from "./uris.ts";
import { Upstream, type ServerStatus } from "./upstream.ts";
import type { Entry, View } from "./view.ts";

/** Servers may join later, and each of these has calls that work, so all are declared always. */
const CAPABILITIES: ServerCapabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
  // Each tool says whether it can be a task.
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
};
/** Most characters of the instructions of one server, and of all. */
const MAX_INSTRUCTIONS = 8_192;
const MAX_ALL_INSTRUCTIONS = 32_768;
/** Turns of the microtask queue for the end of a `listen` stream to pass through middleware. */
const GRACE_TURNS = 100;

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

const LISTS = ["tools", "prompts", "resources"] as const;

/** What {@link Gateway.setServers} has done, by names of servers. */
export interface ServerChanges {
  /** Servers that are new. */
  readonly added: readonly string[];
  /** Servers that are gone. */
  readonly removed: readonly string[];
  /** Servers whose entry differs. */
  readonly changed: readonly string[];
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
  readonly #settings: Settings;
  readonly #router: Router;
  readonly #forwarder: Forwarder;
  readonly #suspended: SuspendedCalls;
  readonly #bridge: TaskBridge;
  readonly #search: ToolSearch<Upstream> | undefined;
  readonly #tasks: GatewayTasks;
  /** @internal Requests whose headers name a task. */
  readonly headerNames: HeaderNames = TASK_HEADERS;
  readonly #logins: GatewayLogins;
  readonly #audit: Audit | undefined;
  readonly #profiles = new Profiles();
  readonly #middleware: Middleware<RequestContext>[] = [];
  readonly #methods: ReadonlyMap<string, Handler<RequestContext>>;
  readonly #fronts = new Map<Connection, Front>();
  readonly #streams = new Set<OpenStream>();
  /** Whether there is a server at which users log in. Without one, calls take the shorter way. */
  #hasLogins = false;
  #closed = false;

  /** @internal */
  constructor(options: GatewayOptions) {
    this.#settings = settingsOf(options);
    this.info = this.#settings.info;
    this.#router = new Router(this.#settings);
    for (const [name, entry] of Object.entries(options.servers)) this.#router.add(new Upstream(name, entry, this.#settings));
    this.#noteLogins();
    const { clock, stateTtl: ttl, search } = this.#settings;
    this.#search = search && new ToolSearch(search);
    this.#audit = options.audit && new Audit(options.audit, clock, (error) => this.#settings.report(error, {}));
    const states = new States({ keys: options.requestState?.keys, audience: this.info.name, ttl, clock });
    this.#suspended = new SuspendedCalls(this.#settings, states);
    this.#bridge = new TaskBridge(this.#settings);
    this.#forwarder = new Forwarder(this.#settings, states, { suspended: this.#suspended, bridge: this.#bridge });
    this.#tasks = new GatewayTasks({
      handles: new TaskHandles(options.requestState?.keys, this.info.name),
      servers: () => this.#router.servers,
      bridge: this.#bridge,
      request: (call, method) => this.#forwarder.request(call, method),
      forward: async (context, caller, route, params) => this.#forward(context, caller, route, params),
    });
    this.#logins = new GatewayLogins(options, {
      settings: this.#settings,
      states,
      server: (name) => this.#router.servers.find((server) => server.name === name),
      caller: (context) => this.#caller(context),
      changed: (principal) => this.#listsChangedFor(principal),
    });
    this.#methods = this.#createMethods(options.instructions);
    this.handler = this.#composed();
  }

  // ---- middleware ----

  /**
   * Adds middleware around every request, or around those of one method. The first is outermost. It takes effect at once. Middleware for both ways, such
   * as `otel()`, is also around the requests that the gateway forwards to servers.
   */
  use(middleware: Middleware<RequestContext>): this;
  /** Adds middleware around the requests of one method. */
  use(method: string, middleware: Middleware<RequestContext>): this;
  use(first: string | Middleware<RequestContext>, second?: Middleware<RequestContext>): this {
    this.#middleware.push(typeof first === "string" ? onlyFor(first, second!) : first);
    // A layer for both ways takes requests of either direction; its type names one direction only.
    if ("bothWays" in Object(first))
      this.#forwarder.outbound = [...this.#forwarder.outbound, first as unknown as Middleware<OutgoingRequest>];
    this.handler = this.#composed();
    return this;
  }

  #composed(): Handler<RequestContext> {
    const own = [this.#search?.unwrap, this.#audit?.layer].filter((layer) => layer !== undefined);
    return compose([...own, ...this.#middleware], this.#runMethod);
  }

  readonly #runMethod: Handler<RequestContext> = (context) => {
    assertExactMembers(context.params);
    const known = this.#methods.get(context.method);
    return known === undefined ? this.#extended(context) : known(context);
  };

  // ---- methods ----

  #createMethods(instructions: string | undefined): ReadonlyMap<string, Handler<RequestContext>> {
    const describe = ({ codec }: RequestContext): ServerDescription => ({
      info: this.info,
      facts: () => ({ capabilities: this.#capabilities(codec), ...this.#instructions(instructions) }),
    });
    const lists = (Object.keys(KIND_ROWS) as Kind[]).map((kind) => [KIND_ROWS[kind].method, this.#lister(kind)] as const); // its keys
    return new Map<string, Handler<RequestContext>>([
      ["initialize", (context) => andThen(this.#learnExtensions(context), () => initialize(describe(context), context))],
      ["server/discover", (context) => andThen(this.#learnExtensions(context), () => discover(describe(context)))],
      ["ping", () => ({})],
      ["logging/setLevel", (context) => this.#setLevel(context)],
      ...lists,
      ["tools/call", this.#withLogin((context) => this.#callNamed("tool", context))],
      ["prompts/get", this.#withLogin((context) => this.#callNamed("prompt", context))],
      ["resources/read", this.#withLogin((context) => this.#read(context))],
      ["completion/complete", (context) => this.#complete(context)],
      ["resources/subscribe", (context) => this.#subscribe(context)],
      ["resources/unsubscribe", (context) => this.#unsubscribe(context)],
      ["subscriptions/listen", (context) => listen(this.#listenHost, context)],
      ["tasks/list", (context) => this.#tasks.list(context, this.#caller(context))],
      ...[...TASK_METHODS].map((method) => [method, (context: RequestContext) => this.#tasks.run(context, this.#caller(context))] as const),
    ]);
  }

  // ---- extensions ----

  /** What the gateway declares: the extensions of all servers, as far as they are known. */
  #capabilities({ stateless }: Codec): ServerCapabilities {
    const extensions = this.#router.extensions(stateless);
    return Object.keys(extensions).length === 0 ? CAPABILITIES : { ...CAPABILITIES, extensions };
  }

  /** A client with extensions asks once for those of the servers, so it waits for them as a list does. */
  #learnExtensions(context: RequestContext): MaybePromise<unknown> {
    const params = context.params as { readonly capabilities?: ClientCapabilities }; // checked by the codec
    const declared = params.capabilities ?? context.client.capabilities;
    if (Object.keys(declared.extensions ?? {}).length === 0) return undefined;
    return this.#router.view({ ...this.#caller(context), profile: this.#profiles.of(declared, context.codec.stateless) });
  }

  async #extended(context: RequestContext): Promise<JsonObject> {
    const caller = this.#caller(context);
    const { params, ...route } = await routeExtension(this.#router, context, caller);
    return this.#forward(context, caller, route, params);
  }

  #noteLogins(): void {
    this.#hasLogins = this.#router.servers.some(({ login }) => login !== undefined);
  }

  /** A call of a caller who has to log in at a server asks for that. */
  #withLogin(handler: Handler<RequestContext>): Handler<RequestContext> {
    const asking = this.#logins.desk.around(handler);
    return (context) => (this.#hasLogins ? asking : handler)(context);
  }

  #caller(context: RequestContext): Caller {
    const front = this.#frontOf(context);
    front.principal = context.principal;
    return callerOf(context, front, this.#profiles);
  }

  #frontOf({ connection }: RequestContext): Front {
    return this.#fronts.get(connection)!; // a request comes on a connection that is open
  }

  /** Makes a session hear of the lanes that it sees. */
  #joiner(context: RequestContext): (lane: Lane, late: boolean) => void {
    if (context.codec.stateless) return () => undefined;
    const front = this.#frontOf(context);
    return (lane, late) => {
      front.join(lane);
      if (late) for (const list of LISTS) front.listChanged(list);
    };
  }

  #lister(kind: Kind): Handler<RequestContext> {
    return (context) => {
      const view = this.#router.view(this.#caller(context), this.#joiner(context));
      return andThen(view, (seen) => this.#page(kind, context, seen));
    };
  }

  #page(kind: Kind, context: RequestContext, view: View<Upstream>): JsonObject {
    const { policy, limits } = this.#settings;
    const allowed = (entry: Entry<Upstream>): boolean => this.#router.isAllowed(context, entry);
    const cursor = context.params["cursor"] as string | undefined; // checked by the codec
    const visible = policy && view.entries[kind].filter(allowed);
    const chosen = kind === "tool" && this.#search ? this.#search.listed(visible ?? view.entries.tool) : visible;
    const { connecting } = this.#router;
    if (policy !== undefined || connecting.length === 0) return view.page(kind, cursor, limits.pageSize, chosen);
    return { ...view.page(kind, cursor, limits.pageSize, chosen ?? view.entries[kind]), _meta: { [CONNECTING_KEY]: connecting } };
  }

  async #callNamed(kind: "tool" | "prompt", context: RequestContext): Promise<JsonObject> {
    const caller = this.#caller(context);
    const name = context.params["name"] as string; // checked by the codec
    const search = kind === "tool" ? this.#search : undefined;
    if (search?.isOwn(name) === true) return this.#searchTools(search, context, caller);
    const route = await this.#router.named(kind, name, caller);
    this.#assertAllowed(context, kind, name, route);
    // The headers of a call of `call_tool` repeat nothing.
    if (kind === "tool" && search?.isUnwrapped(context) !== true) this.#router.assertSameArguments(context, route);
    const loggedIn = kind === "tool" && route.server.login && loginResult(route.server.name, route.id, route.lane.listing);
    return loggedIn || this.#forward(context, caller, route, { ...context.params, name: route.id });
  }

  /** @throws as {@link Router.assertAllowed} */
  #assertAllowed(context: RequestContext, kind: Kind, name: string, route: Route): void {
    this.#audit?.routed(context, route.server.name);
    try {
      this.#router.assertAllowed(context, kind, name, route);
    } catch (error) {
      this.#audit?.denied(context);
      throw error;
    }
  }

  async #searchTools(search: ToolSearch<Upstream>, context: RequestContext, caller: Caller): Promise<JsonObject> {
    const view = await this.#router.view(caller, this.#joiner(context));
    return search.run(context.params, view, (entry) => this.#router.isAllowed(context, entry));
  }

  async #read(context: RequestContext): Promise<JsonObject> {
    const caller = this.#caller(context);
    const uri = context.params["uri"] as string; // checked by the codec
    const route = await this.#router.resource(uri, caller);
    this.#assertAllowed(context, "resource", uri, route);
    return this.#forward(context, caller, route, { ...context.params, uri: route.id });
  }

  async #complete(context: RequestContext): Promise<JsonObject> {
    const caller = this.#caller(context);
    const ref = context.params["ref"] as { type: string; name?: string; uri?: string }; // checked by the codec
    const isPrompt = ref.type === "ref/prompt";
    const route = isPrompt ? await this.#router.named("prompt", ref.name!, caller) : await this.#router.resource(ref.uri!, caller);
    this.#assertAllowed(context, isPrompt ? "prompt" : "template", ref.name ?? ref.uri!, route);
    const inside = isPrompt ? { ...ref, name: route.id } : { ...ref, uri: route.id };
    return this.#forward(context, caller, route, { ...context.params, ref: inside });
  }

  #forward(context: RequestContext, caller: Caller, { server, lane }: Route, params: JsonObject): MaybePromise<JsonObject> {
    if (!context.codec.stateless) this.#frontOf(context).join(lane);
    const call = { context, caller, server: server.name, lane, params };
    const { quotas } = this.#settings;
    const forwarded = quotas.isEmpty ? this.#forwarder.run(call) : quotas.run(context, server.name, () => this.#forwarder.run(call));
    return andThen(forwarded, (result) => {
      if (namesTask(result) && context.method === "tools/call") return this.#tasks.renamed(result, server.name, context);
      if (!namesUris(result)) return result;
      return andThen(this.#router.view(caller), (view) => {
        const budget = new MatchBudget();
        return withUris(result, (uri) => view.uriOf(server, uri, budget));
      });
    });
  }

  async #setLevel(context: RequestContext): Promise<JsonObject> {
    const result = setLevel(context);
    await this.#frontOf(context).setLevel(context.params["level"] as LoggingLevel); // checked by the codec
    return result;
  }

  // ---- changes ----

  async #subscribe(context: RequestContext): Promise<JsonObject> {
    const uri = context.params["uri"] as string; // checked by the codec
    const front = this.#frontOf(context);
    if (front.isFull) throw new LimitExceededError("maxSubscriptions", Front.maxSubscriptions);
    await front.subscribe(uri, (updated) => this.#watch(context, uri, updated));
    return {};
  }

  async #unsubscribe(context: RequestContext): Promise<JsonObject> {
    await this.#frontOf(context).unsubscribe(context.params["uri"] as string); // checked by the codec
    return {};
  }

  async #watch(context: RequestContext, uri: string, updated: () => void): Promise<() => void> {
    const route = await this.#router.resource(uri, this.#caller(context));
    this.#assertAllowed(context, "resource", uri, route);
    return route.lane.watch(route.id, updated);
  }

  get #listenHost(): ListenHost {
    return {
      clock: this.#settings.clock,
      streams: this.#streams,
      readyTimeout: this.#settings.readyTimeout,
      follow: (context, joined) => this.#router.follow(this.#caller(context), joined),
      watch: (context, uri, updated) => this.#watch(context, uri, updated),
    };
  }

  /** Tells the connections of one principal that their lists have changed, because it has logged in or out at a server. */
  #listsChangedFor(principal: string | undefined): void {
    const isOwn = (one: { readonly principal: string | undefined }): boolean => one.principal === principal;
    for (const front of this.#fronts.values()) if (isOwn(front)) for (const list of LISTS) front.listChanged(list);
    for (const stream of this.#streams) if (isOwn(stream)) stream.refresh();
  }

  #instructions(own: string | undefined): { instructions?: string } {
    const parts = this.#router.servers.flatMap(({ name, instructions }) =>
      instructions === undefined ? [] : [`# ${name}\n${instructions.slice(0, MAX_INSTRUCTIONS)}`],
    );
    const text = [...(own === undefined ? [] : [own]), ...parts].join("\n\n").slice(0, MAX_ALL_INSTRUCTIONS);
    return text === "" ? {} : { instructions: text };
  }

  // ---- configuration ----

  /**
   * Replaces the servers by those of a changed configuration: adds the new ones, closes those that are gone, and connects anew to those whose
   * entry differs. All others keep their connections. Clients are notified. Calls to a server that is closed fail.
   * @returns the names of the servers that were added, removed and changed
   * @throws McpError -32602 if two servers would have one prefix; TypeError if an entry is not one of a server. Then nothing changes
   */
  async setServers(servers: GatewayEntries): Promise<ServerChanges> {
    const known = new Map(this.#router.servers.map((server) => [server.name, server]));
    const next = Object.entries(servers).map(([name, entry]) => {
      const server = known.get(name);
      return server?.isOf(entry) === true ? server : new Upstream(name, entry, this.#settings);
    });
    this.#router.replace(next);
    this.#noteLogins();
    const kept = new Set(next);
    const closing = [...known.values()].filter((server) => !kept.has(server));
    const isNew = (server: Upstream): boolean => known.get(server.name) !== server;
    const names = new Set(next.map(({ name }) => name));
    for (const front of this.#fronts.values()) for (const list of LISTS) front.listChanged(list);
    for (const stream of this.#streams) stream.refresh();
    await Promise.all(closing.map((server) => server.close()));
    return {
      added: next.filter((server) => isNew(server) && !known.has(server.name)).map(({ name }) => name),
      removed: closing.filter(({ name }) => !names.has(name)).map(({ name }) => name),
      changed: next.filter((server) => isNew(server) && known.has(server.name)).map(({ name }) => name),
    };
  }

  /**
   * Replaces the approved definitions of tools. Clients are notified that the lists of tools have changed.
   * @throws McpUsageError without the option `pins`
   */
  setPins(approved: PinnedTools): void {
    const { pins } = this.#settings;
    if (pins === undefined) throw new McpUsageError('setPins() needs the option "pins" of createGateway()');
    pins.replace(approved);
    for (const front of this.#fronts.values()) front.listChanged("tools");
    for (const stream of this.#streams) stream.refresh();
  }

  /** Replaces the option `policy`; undefined allows everything. Requests that run go on. Clients are notified that their lists have changed. */
  setPolicy(policy: Policy | undefined): void {
    this.#settings.policy = policy;
    for (const front of this.#fronts.values()) for (const list of LISTS) front.listChanged(list);
    for (const stream of this.#streams) stream.refresh();
  }

  /**
   * Replaces the option `quotas`. Servers whose quota stays the same keep what their callers have used.
   * @throws TypeError if an option does not exist; RangeError if a limit is below 1. Then nothing changes
   */
  setQuotas(quotas: { readonly [server: string]: Quota }): void {
    this.#settings.quotas.replace(quotas);
  }

  /** The servers as they are now, for `gatewayMetrics()` of `tenon/otel`. */
  status(): ServerStatus[] {
    return this.#router.servers.map((server) => server.status);
  }

  // ---- serving ----

  /** @internal The pages at which users log in. */
  get pages(): Pages | undefined {
    return this.#logins.pages;
  }

  /** @internal */
  has(method: string, codec: Codec): boolean {
    if (codec.hasRequest(method, "client")) return this.#methods.has(method);
    // Requests of the extension for tasks, and of any other one.
    return isExtensionMethod(method) || (codec.stateless && TASK_HEADERS.has(method));
  }

  /** @internal */
  recover(): undefined {
    return undefined;
  }

  /** @internal */
  toMcpError(error: unknown, method: string, cancelled = false): McpError {
    return toMcpError(error, { method, ...(cancelled && { cancelled }) }, (failure) => this.#settings.report(failure, { method }));
  }

  /**
   * Serves one connection until it ends. Transports call it; `serveStdio` and `connect(gateway)` do so for you.
   * @throws McpUsageError (rejects) after `close()`
   */
  async accept(dispatcher: Dispatcher): Promise<void> {
    if (this.#closed) throw new McpUsageError("This gateway is closed");
    const connection = new Connection(dispatcher);
    const front = new Front(connection, this.#settings.clock);
    this.#fronts.set(connection, front);
    try {
      await serveConnection(this, connection, (method) => front.received(method));
    } finally {
      this.#fronts.delete(connection);
      front.close();
      connection.end();
    }
  }

  /** Closes all connections on both sides, and ends open `listen` streams in order. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const stream of [...this.#streams]) stream.end();
    this.#suspended.close();
    this.#bridge.close();
    for (let turn = 0; turn < GRACE_TURNS; turn++) await Promise.resolve();
    await Promise.all([...this.#fronts.keys()].map(({ dispatcher }) => dispatcher.close()));
    await Promise.all(this.#router.servers.map((server) => server.close()));
  }

  /** The same as {@link close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Whether a result has members that may be URIs. A single text, the most frequent result, has none. */
function namesUris({ content, contents, messages }: JsonObject): boolean {
  if (!Array.isArray(content)) return contents !== undefined || messages !== undefined;
  return content.some((block: unknown) => isJsonObject(block) && block["type"] !== "text");
}
