/**
 * `ClientSessionGroup`: many servers as one.
 *
 * What they offer is in four maps, by names that are unique in the group; calls go to whoever has the name. Each server
 * connects, fails and recovers by itself (`servers/group-server.ts`). A map is never half changed: it is replaced as a whole, and one
 * that was read before stays as it was.
 */
import { finishesWithin } from "../base/clock.ts";
import { McpUsageError } from "../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Implementation } from "../protocol/capabilities.ts";
import type { Resource } from "../protocol/content.ts";
import type { CompleteRequestParams, CompleteResult, GetPromptResult, Prompt } from "../protocol/prompts.ts";
import type { ReadResourceResult, ResourceTemplate } from "../protocol/resources.ts";
import type { Tool } from "../protocol/tools.ts";
import { assertDuration } from "../dispatch/limits.ts";
import { unlessAborted } from "../base/abort.ts";
import type { Client } from "../client/client.ts";
import type { CallOptions, ToolCallOptions } from "../client/call/outgoing-request.ts";
import type { ToolResult } from "../client/result.ts";
import { Catalog } from "./catalog/catalog.ts";
import { GroupEvents, type GroupChange } from "./group-events.ts";
import { createGroupContext } from "./create-group-context.ts";
import { GroupCalls, type ResourceCallOptions } from "./catalog/group-calls.ts";
import type { GroupContext } from "./group-context.ts";
import { groupLimits } from "./limits.ts";
import type { GroupServer } from "./servers/group-server.ts";
import { GroupServers } from "./servers/group-servers.ts";
import { defaultNameHook } from "./catalog/naming.ts";
import type { GroupOptions, ServerOptions } from "./options.ts";
import { approve } from "./catalog/tool-pins.ts";
import { ServerList } from "./servers/server-list.ts";
import { Router } from "./catalog/router.ts";
import type { GroupSession } from "./group-session.ts";
import { borrowed, sourceOf, type ServerEntries, type ServerEntry } from "./servers/server-source.ts";
import type { ServerStatus } from "./servers/server-state.ts";

/** Milliseconds calls under way have to end when their server is disconnected. */
const DRAIN = 5_000;
const NO_OPTIONS: CallOptions = {};

/** Many servers as one: their tools, prompts and resources under names that are unique, kept up to date while servers come and go. */
export class ClientSessionGroup implements AsyncDisposable {
  readonly #context: GroupContext<GroupServer>;
  readonly #events: GroupEvents;
  readonly #servers: GroupServers;
  readonly #serverList: ServerList;
  readonly #catalog = new Catalog<GroupServer>();
  readonly #calls: GroupCalls;
  #closing: Promise<void> | undefined;

  /**
   * A group of no servers yet. Does no I/O.
   * @throws RangeError for a limit or a time that is none
   */
  constructor(options: GroupOptions = {}) {
    const { nameHook = defaultNameHook } = options;
    const limits = groupLimits(options.limits);
    this.#events = new GroupEvents(options);
    this.#servers = new GroupServers(limits.maxServers, nameHook === defaultNameHook);
    this.#context = createGroupContext(options, { limits, servers: this.#servers, catalog: this.#catalog, events: this.#events });
    this.#serverList = new ServerList(this.#context, this.#servers);
    this.#calls = new GroupCalls(new Router(this.#catalog, this.#servers, this.#context.clock));
  }

  /**
   * A group of these servers, which connect at the same time. Resolves once each has connected or failed, but does not wait
   * longer than `readyTimeout` for those that are slow: they join when they have connected. What fails is told to
   * `onServerError`, is in {@link ClientSessionGroup.servers}, and is tried again.
   * @throws McpError -32602 for names of servers that come to the same, TypeError or RangeError for options that are none;
   * `signal.reason` when abandoned: then all servers are closed
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

  // ---- what there is ----

  /** The connections, in the order their servers joined. A snapshot. */
  get sessions(): readonly GroupSession[] {
    return [...this.#servers.byName.values()].flatMap(({ session }) => session ?? []);
  }

  /** How each server is, by its name in the group. A snapshot. */
  get servers(): ReadonlyMap<string, ServerStatus> {
    return new Map([...this.#servers.byName].map(([name, server]) => [name, server.status]));
  }

  /** All tools by their names in the group; each still has its own `name`. A snapshot, the same until something changes. */
  get tools(): ReadonlyMap<string, Tool> {
    return this.#catalog.view("tool");
  }

  /**
   * Tools whose definition has changed since they were approved, as they are now: see `pinTools`. They are not called until
   * {@link ClientSessionGroup.approveTool}. A snapshot.
   */
  get heldTools(): ReadonlyMap<string, Tool> {
    return this.#catalog.held();
  }

  /** Digests of the definitions that were approved, by names of tools: to be kept, and given to a later group as `pinTools`. */
  get toolPins(): ReadonlyMap<string, string> {
    return this.#context.pins?.known ?? new Map();
  }

  /** All prompts by their names in the group. A snapshot, as {@link ClientSessionGroup.tools}. */
  get prompts(): ReadonlyMap<string, Prompt> {
    return this.#catalog.view("prompt");
  }

  /** All listed resources by their names in the group, which are made of their URIs. A snapshot. */
  get resources(): ReadonlyMap<string, Resource> {
    return this.#catalog.view("resource");
  }

  /** All resource templates by their names in the group, which are made of the templates. A snapshot. */
  get resourceTemplates(): ReadonlyMap<string, ResourceTemplate> {
    return this.#catalog.view("resourceTemplate");
  }

  /**
   * Takes a tool that is held back as it is now.
   * @param tool its definition, as it was read from {@link ClientSessionGroup.heldTools} and looked at
   * @throws McpError -32602 where there is no such tool held back, or it is another one by now
   */
  async approveTool(name: string, tool: Tool): Promise<void> {
    await approve(this.#context, name, tool);
  }

  /** Calls `listener` with each change from now on. Returns how to stop. */
  onChange(listener: (change: GroupChange) => void): () => void {
    return this.#events.subscribe(listener);
  }

  // ---- servers ----

  /**
   * Adds servers by name; as {@link ClientSessionGroup.connect}.
   * @throws McpError -32602 and starts none of them, where a name is taken; LimitExceededError `limits.maxServers`
   */
  async add(servers: ServerEntries): Promise<void> {
    this.#assertOpen();
    this.#serverList.start(Object.entries(servers).map(([name, entry]) => [name, sourceOf(entry)] as const));
    await finishesWithin(this.#context.clock, this.#context.times.readyTimeout, this.settled());
  }

  /** Resolves once no server is connecting for the first time any more: all have connected or failed. */
  async settled(): Promise<void> {
    await this.#serverList.settled();
  }

  /**
   * Connects to one server and takes it in; from then on it is kept connected as all others are.
   * @param options the server's own, over those in `server`; `name` is what the group calls it, by default what it says it is;
   * `signal` abandons connecting
   * @returns its session, which a later connection of the server replaces
   * @throws why it did not connect, or McpError -32602 naming what another server has already: then the group is as it
   * was, and the session and its process are closed (SG-14, SG-16, SG-21)
   */
  async connectToServer(server: ServerEntry, options: ServerOptions & { name?: string; signal?: AbortSignal } = {}): Promise<Client> {
    this.#assertOpen();
    const { name, signal, ...own } = options;
    const source = sourceOf(server);
    const session = await this.#serverList.join({ ...source, options: { ...source.options, ...own } }, name, signal);
    return session as Client; // `connect()` opens every session of the group's own
  }

  /**
   * Takes in a server over a session that is connected already, and stays its owner's: the group never closes it (SG-10).
   * @param serverInfo who the server is, for names; a `name` in `options` is what the group calls it
   * @throws McpError -32602 naming what another server has already; McpUsageError for a session that is in the group
   */
  async connectWithSession<Session extends GroupSession>(
    serverInfo: Implementation,
    session: Session,
    options: { name?: string } = {},
  ): Promise<Session> {
    this.#assertOpen();
    if (this.sessions.includes(session)) throw new McpUsageError("This session is in the group already");
    await this.#serverList.join(borrowed(serverInfo, session), options.name);
    return session;
  }

  /**
   * Connects a server anew, at once: also one that is connected, or is not tried again by itself.
   * @throws why it did not connect; it is tried again as after any other failure. McpUsageError where it cannot be
   */
  async reconnect(server: string): Promise<GroupSession> {
    return this.#servers.of(server).reconnect();
  }

  /**
   * Takes a server out of the group: its names are free at once. Its session is closed, unless it is borrowed, when calls
   * under way have ended, after `drain` ms at most (default 5 000).
   * @param server a session the server has or had, or its name
   * @throws McpError -32602 where it is not in the group, or not any more (SG-23)
   */
  async disconnect(server: GroupSession | string, { drain = DRAIN }: { drain?: number } = {}): Promise<void> {
    assertDuration("drain", drain);
    const leaving = this.#servers.of(server);
    this.#servers.release(leaving);
    await leaving.close(drain);
  }

  // ---- calls ----

  /**
   * Calls a tool by its name in the group. Progress, cancellation, time limits and questions are those of its server's session.
   * @throws McpError -32602 "Unknown tool: …", ServerUnavailableError where its server is down, DefinitionChangedError where it
   * is held back (nothing was sent in these cases), and what {@link Client.callTool} throws
   */
  async callTool<Data = unknown>(name: string, args?: JsonObject, options: ToolCallOptions = NO_OPTIONS): Promise<ToolResult<Data>> {
    return this.#calls.tool<Data>(name, args, options);
  }

  /** Fills in a prompt by its name in the group. @throws as {@link ClientSessionGroup.callTool} */
  async getPrompt(name: string, args?: { [name: string]: string }, options: CallOptions = NO_OPTIONS): Promise<GetPromptResult> {
    return this.#calls.prompt(name, args, options);
  }

  /**
   * Reads a resource by its name in the group, or by the URI that a server itself uses, where one server only lists it or
   * has a template it fits.
   * @throws McpError -32602 for a URI nobody has or several have, else as {@link ClientSessionGroup.callTool}
   */
  async readResource(name: string, options: ResourceCallOptions = NO_OPTIONS): Promise<ReadResourceResult> {
    return this.#calls.resource(name, options);
  }

  /**
   * From now on changes of that resource are told as changes of kind `resource`, on any revision, and over all connections
   * its server has. Resolves once the server watches it. @throws as {@link ClientSessionGroup.readResource}
   */
  async subscribeResource(name: string, options: { server?: string } = {}): Promise<void> {
    await this.#calls.watch(name, options.server);
  }

  /** Ends {@link ClientSessionGroup.subscribeResource}. */
  async unsubscribeResource(name: string, options: { server?: string } = {}): Promise<void> {
    await this.#calls.unwatch(name, options.server);
  }

  /** Suggestions for an argument: the prompt, or the resource template, by its name in the group or as its server writes it. */
  async complete(params: CompleteRequestParams, options: ResourceCallOptions = NO_OPTIONS): Promise<CompleteResult> {
    return this.#calls.complete(params, options);
  }

  // ---- the end ----

  /**
   * Disconnects all servers, at the same time, and closes every session the group has opened. Calls under way fail.
   * Idempotent, and bounded in time as closing a session is. @throws AggregateError of what could not be closed
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
