/**
 * `ClientSessionGroup`: a client of many servers.
 *
 * Their components are in four maps, by names that are unique in the group. A call goes to the server that has the name.
 * Each server connects, fails and recovers by itself (`servers/group-server.ts`). A map is replaced as a whole, and one
 * that was read before never changes.
 */
import { finishesWithin } from "../base/clock.ts";
import { assertKnown } from "../base/known-options.ts";
import { McpUsageError } from "../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Implementation } from "../protocol/capabilities.ts";
import type { Resource } from "../protocol/content.ts";
import type { CompleteRequestParams, CompleteResult, GetPromptResult, Prompt } from "../protocol/prompts.ts";
import type { ReadResourceResult, ResourceTemplate } from "../protocol/resources.ts";
import type { Tool } from "../protocol/tools.ts";
import { assertDuration } from "../base/number-options.ts";
import { unlessAborted } from "../base/abort.ts";
import type { Client } from "../client/client.ts";
import type { CallOptions, ToolCallOptions } from "../client/call/outgoing-request.ts";
import type { ToolResult } from "../client/result.ts";
import type { Kind } from "../upstream/listing.ts";
import { Catalog } from "./catalog/catalog.ts";
import type { Components } from "./catalog/components.ts";
import { GroupEvents, type GroupChange } from "./group-events.ts";
import { createGroupContext } from "./create-group-context.ts";
import { GroupFeatures } from "./catalog/group-features.ts";
import type { Feature, FeatureChange, FeatureKind, FeatureSource } from "../server/features/feature-source.ts";
import { GroupCalls, type ResourceCallOptions } from "./catalog/group-calls.ts";
import type { GroupContext } from "./group-context.ts";
import { OF_GROUP, groupLimits, groupOptionKeys, type GroupOptions } from "./options.ts";
import type { GroupServer } from "./servers/group-server.ts";
import { GroupServers } from "./servers/group-servers.ts";
import { defaultNameHook } from "./catalog/naming.ts";
import { serverOptionKeys, type ServerOptions } from "../upstream/options.ts";
import { approveDefinition, approveTool, heldDefinitions, type HeldDefinition } from "./catalog/pins.ts";
import { ServerList } from "./servers/server-list.ts";
import { GroupRouter } from "./catalog/group-router.ts";
import type { ServerSession } from "../session/server-session.ts";
import type { GroupSession } from "../upstream/session.ts";
import { pinKeyOf } from "../upstream/pins.ts";
import { borrowSession, sourceOf, type ServerEntries, type ServerEntry } from "../upstream/entry.ts";
import type { ServerStatus } from "./servers/server-state.ts";

/** Milliseconds that pending calls get when their server is disconnected. */
const DRAIN = 5_000;
const NO_OPTIONS: CallOptions = {};

/**
 * A client of many servers: their tools, prompts and resources under unique names, kept up to date while servers come and go.
 * @example
 * ```ts
 * import { ClientSessionGroup } from "tenon/group";
 * import { McpServer } from "tenon/server";
 *
 * const clock = new McpServer({ name: "clock", version: "1.0.0" });
 * clock.tool("now", {}, () => "noon");
 * await using group = await ClientSessionGroup.connect({ clock });
 * console.log([...group.tools.keys()].join()); // clock__now
 * console.log((await group.callTool("clock__now")).text); // noon
 * ```
 */
export class ClientSessionGroup implements AsyncDisposable, FeatureSource {
  readonly #context: GroupContext<GroupServer>;
  readonly #events: GroupEvents;
  readonly #servers: GroupServers;
  readonly #serverList: ServerList;
  readonly #catalog = new Catalog<GroupServer>();
  readonly #calls: GroupCalls;
  readonly #features: GroupFeatures;
  #closing: Promise<void> | undefined;

  /**
   * Creates a group without servers. Does no I/O.
   * @throws RangeError if a limit or a time is out of range; TypeError if an option does not exist
   */
  constructor(options: GroupOptions = {}) {
    assertKnown("new ClientSessionGroup()", options, groupOptionKeys(), OF_GROUP);
    const { nameHook = defaultNameHook } = options;
    const limits = groupLimits(options.limits);
    this.#events = new GroupEvents(options);
    this.#servers = new GroupServers(limits.maxServers, nameHook === defaultNameHook);
    this.#context = createGroupContext(options, { limits, servers: this.#servers, catalog: this.#catalog, events: this.#events });
    this.#serverList = new ServerList(this.#context, this.#servers);
    this.#calls = new GroupCalls(new GroupRouter(this.#catalog, this.#servers, this.#context.clock), this.#context.pins);
    this.#features = new GroupFeatures(this.#catalog, this.#calls, this.#events);
  }

  /**
   * Creates a group of these servers and connects to all of them at the same time. Resolves once each has connected or failed,
   * after `readyTimeout` at the latest; slow servers join later. A failure is reported to `onServerError`, is shown in {@link
   * ClientSessionGroup.servers}, and is tried again.
   * @throws McpError -32602 if names of servers collide; TypeError or RangeError if an option has a wrong value; `signal.reason`
   * if the caller abandons it. Then all servers are closed
   */
  static async connect(servers: ServerEntries, options: GroupOptions & { signal?: AbortSignal } = {}): Promise<ClientSessionGroup> {
    const { signal, ...rest } = options;
    const group = new ClientSessionGroup(rest);
    try {
      const added = group.add(servers);
      await (signal === undefined ? added : unlessAborted(added, signal));
      return group;
    } catch (error) {
      await group.close();
      throw error;
    }
  }

  // ---- state ----

  /** The sessions, in the order in which their servers joined. A snapshot. */
  get sessions(): readonly GroupSession[] {
    return [...this.#servers.byName.values()].flatMap(({ session }) => session ?? []);
  }

  /** The status of each server, by its name in the group. A snapshot. */
  get servers(): ReadonlyMap<string, ServerStatus> {
    return new Map([...this.#servers.byName].map(([name, server]) => [name, server.status]));
  }

  /**
   * All tools by their names in the group; each keeps its own `name`. A snapshot, the same object until something changes. Lists of servers
   * that do not announce their changes are read again when they are older than 3 s: a later snapshot has what is new.
   */
  get tools(): ReadonlyMap<string, Tool> {
    return this.#listed("tool");
  }

  /**
   * The current definitions of tools that have changed since they were approved (option `pinTools`). They cannot be called before
   * {@link ClientSessionGroup.approveTool}. A snapshot.
   */
  get heldTools(): ReadonlyMap<string, Tool> {
    return this.#catalog.held();
  }

  /**
   * All that has changed since it was approved (option `pinTools`), by what it is pinned under. A snapshot. Keys are the name of a tool,
   * `prompt:` and the name of a prompt, `resource:` and the name of the listed entry of a page, `page:` and the URI of a page that was read,
   * `instructions:` and the name of a server.
   */
  get heldDefinitions(): ReadonlyMap<string, HeldDefinition> {
    return heldDefinitions(this.#context);
  }

  /**
   * What each connected server says of itself for models, by the name of the server. With the option `pinTools` without what has changed since
   * it was approved; the sessions have it in any case. A snapshot.
   */
  get instructions(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#servers.byName].flatMap(([name, { instructions }]) => (instructions === undefined ? [] : [[name, instructions]])),
    );
  }

  /** Digests of the approved definitions, by what they are pinned under: the names of tools, and as in {@link ClientSessionGroup.heldDefinitions}. Store them and pass them to a later group as `pinTools`. */
  get toolPins(): ReadonlyMap<string, string> {
    return this.#context.pins?.known ?? new Map();
  }

  /** All prompts by their names in the group. A snapshot, as {@link ClientSessionGroup.tools}. */
  get prompts(): ReadonlyMap<string, Prompt> {
    return this.#listed("prompt");
  }

  /** All listed resources by their names in the group, which contain their URIs. A snapshot. */
  get resources(): ReadonlyMap<string, Resource> {
    return this.#listed("resource");
  }

  /** All resource templates by their names in the group, which contain the templates. A snapshot. */
  get resourceTemplates(): ReadonlyMap<string, ResourceTemplate> {
    return this.#listed("template");
  }

  /** What reads a map sees a change without notice the next time: the lists are read again meanwhile. */
  #listed<One extends Kind>(kind: One): ReadonlyMap<string, Components[One]> {
    void this.refresh("list");
    return this.#catalog.view(kind);
  }

  /**
   * Approves the current definition of a tool that is held back.
   * @param tool its definition, as read from {@link ClientSessionGroup.heldTools} and reviewed
   * @throws McpError -32602 if no such tool is held back, or if its definition has changed again
   */
  async approveTool(name: string, tool: Tool): Promise<void> {
    await approveTool(this.#context, name, tool);
  }

  /**
   * Approves what is held back: a tool, a prompt, a page or instructions.
   * @param key what it is pinned under, as in {@link ClientSessionGroup.heldDefinitions}
   * @param definition what is pinned of it, as read there and reviewed
   * @throws McpError -32602 if nothing is held back under that key, or if its definition has changed again
   */
  async approve(key: string, definition: JsonObject): Promise<void> {
    await approveDefinition(this.#context, key, definition);
    const owner = [...this.#servers.byName.values()].find(({ name }) => key === pinKeyOf("instructions", name));
    await owner?.judgeInstructions();
  }

  /** Calls `listener` with each change. Returns a function that unsubscribes it. */
  onChange(listener: (change: GroupChange) => void): () => void {
    return this.#events.subscribe(listener);
  }

  // ---- as a source of features: for `server.mount` ----

  /** The components of a kind as features; resources and templates by their servers' own URIs. */
  entries(kind: FeatureKind): Iterable<Feature> {
    return this.#features.entries(kind);
  }

  /** The feature with that name in the group, URI or URI template. */
  find(kind: FeatureKind, id: string): Feature | undefined {
    return this.#features.find(kind, id);
  }

  /** Calls `listener` with each change of the components, and of resources that the group watches. Returns a function that stops it. */
  onFeatureChange(listener: (change: FeatureChange) => void): () => void {
    return this.#features.onFeatureChange(listener);
  }

  /** Lets servers be listed again that do not announce their changes, every few seconds at most. For servers that mount the group. */
  refresh(before: "list" | "refusal"): Promise<unknown> | undefined {
    const connections = [...this.#servers.byName.values()].flatMap(({ connection }) => connection ?? []);
    const reads = connections.flatMap((one) => (before === "list" ? one.reads.beforeList() : one.reads.beforeRefusal()) ?? []);
    return reads.length === 0 ? undefined : Promise.all(reads);
  }

  // ---- roots ----

  /**
   * Tells all servers that the roots of the option `roots` have changed. Servers of stateful revisions only.
   * @deprecated in the protocol as of 2026-07-28, where there is no such message: give directories as arguments, or as configuration.
   */
  async sendRootsListChanged(): Promise<void> {
    await this.#tellRoots(undefined);
  }

  /**
   * Tells all servers that the roots of a client have changed, for servers that mount the group. Until other roots change, servers that ask for
   * roots get the client's roots; when it is gone, the roots of the option `roots`.
   */
  async rootsChanged(session: ServerSession): Promise<void> {
    await this.#tellRoots(session);
  }

  async #tellRoots(from: ServerSession | undefined): Promise<void> {
    this.#context.toldRoots.session = from;
    await Promise.all(this.sessions.map((one) => one.notify("notifications/roots/list_changed")));
  }

  // ---- servers ----

  /**
   * Adds servers by name, and waits for them as {@link ClientSessionGroup.connect} does.
   * @throws McpError -32602 if a name is taken; then no server is started. LimitExceededError `limits.maxServers`
   */
  async add(servers: ServerEntries): Promise<void> {
    this.#assertOpen();
    // A program without types may pass one server, or nothing.
    if (typeof servers !== "object" || servers === null)
      throw new TypeError('A group takes its servers by their names: { files: { command: "npx", args: ["…"] } }');
    this.#serverList.start(Object.entries(servers).map(([name, entry]) => [name, sourceOf(entry, name)] as const));
    await finishesWithin(this.#context.clock, this.#context.times.readyTimeout, this.settled());
  }

  /** Resolves once all servers have connected or failed for the first time. */
  async settled(): Promise<void> {
    await this.#serverList.settled();
  }

  /**
   * Connects to one server and adds it to the group, which keeps it connected from then on.
   * @param options the server's own options, which replace those in `server`; `name` is its name in the group, by default the
   * name that it declares; `signal` abandons connecting
   * @returns its session. A later connection of the server replaces it
   * @throws the reason if it does not connect, or McpError -32602 with the names that another server has already. Then the group
   * is unchanged, and the session and its process are closed
   */
  async connectToServer(server: ServerEntry, options: ServerOptions & { name?: string; signal?: AbortSignal } = {}): Promise<Client> {
    this.#assertOpen();
    const { name, signal, ...own } = options;
    assertKnown("connectToServer()", own, serverOptionKeys());
    const source = sourceOf(server, name);
    const session = await this.#serverList.join({ ...source, options: { ...source.options, ...own } }, name, signal);
    return session as Client; // `connect()` opens every session of the group's own
  }

  /**
   * Adds a server over a session that is connected already. The caller keeps the session: the group never closes it.
   * @param serverInfo the server's name and version; a `name` in `options` is its name in the group
   * @throws McpError -32602 with the names that another server has already; McpUsageError if the session is in the group
   */
  async connectWithSession<Session extends GroupSession>(
    serverInfo: Implementation,
    session: Session,
    options: { name?: string } = {},
  ): Promise<Session> {
    this.#assertOpen();
    if (this.sessions.includes(session)) throw new McpUsageError("This session is in the group already");
    await this.#serverList.join(borrowSession(serverInfo, session), options.name);
    return session;
  }

  /**
   * Connects to a server again at once, also if it is connected or is not tried again by itself.
   * @throws the reason if it does not connect; it is tried again as after any other failure. McpUsageError if it cannot be opened again
   */
  async reconnect(server: string): Promise<GroupSession> {
    return this.#servers.of(server).reconnect();
  }

  /**
   * Removes a server from the group and frees its names at once. Its session is closed when its pending calls have ended, after
   * `drain` ms at the latest (default 5 000). A session of {@link ClientSessionGroup.connectWithSession} stays open.
   * @param server a session the server has or had, or its name
   * @throws McpError -32602 if it is not in the group, or not any more
   */
  async disconnect(server: GroupSession | string, { drain = DRAIN }: { drain?: number } = {}): Promise<void> {
    assertDuration("drain", drain);
    const leaving = this.#servers.of(server);
    this.#servers.release(leaving);
    await leaving.close(drain);
  }

  // ---- calls ----

  /**
   * Calls a tool by its name in the group. Progress, cancellation, time limits and questions work as on its server's session.
   * @throws McpError -32602 "Unknown tool: …"; ServerUnavailableError if its server is down; DefinitionChangedError if it is held
   * back (nothing was sent in these cases); what {@link Client.callTool} throws
   */
  async callTool<Data = unknown>(name: string, args?: JsonObject, options: ToolCallOptions = NO_OPTIONS): Promise<ToolResult<Data>> {
    return this.#calls.tool<Data>(name, args, options);
  }

  /** Fills in a prompt by its name in the group. @throws as {@link ClientSessionGroup.callTool} */
  async getPrompt(name: string, args?: { [name: string]: string }, options: CallOptions = NO_OPTIONS): Promise<GetPromptResult> {
    return this.#calls.prompt(name, args, options);
  }

  /**
   * Reads a resource by its name in the group, or by a server's own URI if exactly one server lists it or has a matching template.
   * @throws McpError -32602 if no server or several servers have the URI; otherwise as {@link ClientSessionGroup.callTool}
   */
  async readResource(name: string, options: ResourceCallOptions = NO_OPTIONS): Promise<ReadResourceResult> {
    return this.#calls.resource(name, options);
  }

  /**
   * Announces changes of that resource as changes of kind `resource`, on every revision, also after the server reconnects.
   * Resolves once the server watches it. @throws as {@link ClientSessionGroup.readResource}
   */
  async subscribeResource(name: string, options: { server?: string } = {}): Promise<void> {
    await this.#calls.watch(name, options.server);
  }

  /** Ends {@link ClientSessionGroup.subscribeResource}. */
  async unsubscribeResource(name: string, options: { server?: string } = {}): Promise<void> {
    await this.#calls.unwatch(name, options.server);
  }

  /**
   * Gets suggestions for an argument of a prompt or a resource template, which is named by its name in the group. A template may
   * also be written as its server writes it.
   */
  async complete(params: CompleteRequestParams, options: ResourceCallOptions = NO_OPTIONS): Promise<CompleteResult> {
    return this.#calls.complete(params, options);
  }

  // ---- closing ----

  /**
   * Disconnects all servers at the same time, and closes every session that the group has opened. Pending calls fail. Idempotent,
   * and bounded in time as closing a session is. @throws AggregateError of what could not be closed
   */
  close(): Promise<void> {
    this.#events.close();
    return (this.#closing ??= this.#serverList.close());
  }

  /** The same as {@link close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new McpUsageError("The group is closed");
  }
}
