/**
 * `Client`: the session most users use. `connect()` opens it. It adds iterators over whole lists, calls by tool name, and
 * streams of changes.
 */
import { McpUsageError } from "../jsonrpc/mcp-error.ts";
import type { PaginatedRequestParams, PaginatedResult } from "../protocol/base.ts";
import type { Resource } from "../protocol/content.ts";
import type { Prompt } from "../protocol/prompts.ts";
import type { ResourceTemplate } from "../protocol/resources.ts";
import type { Tool } from "../protocol/tools.ts";
import type { RemoteTask } from "../session/tasks.ts";
import type { NoTools, ToolCalls } from "../session/tools/typed-tools.ts";
import type { ListenFilter, ListenOptions } from "./listen/changes.ts";
import { listenOn, toListening, type Listen, type Listening } from "./listen/listen.ts";
import { ClientSession } from "./session.ts";
import type { CallOptions, ToolCallOptions } from "./call/outgoing-request.ts";
import { items } from "./call/pages.ts";
import { toolCalls } from "./call/tool-calls.ts";

/**
 * A client of one server: what `connect()` resolves with. A {@link ClientSession} with iterators over whole lists, calls by the
 * names of tools, and streams of changes.
 */
export class Client<Tools = NoTools> extends ClientSession {
  #listen: Listen | undefined;
  #call: ToolCalls<Tools, ToolCallOptions> | undefined;

  /**
   * The tools of a server whose type is known, as functions: `connect<typeof server>(url)`, then `await client.call.add({ a: 1,
   * b: 2 })`. Each function returns the data of the result, or its text if it has no data. Call a tool named `then` by
   * `callTool`.
   * @throws FailedToolError (rejects) if the tool failed, and what `callTool` throws
   */
  get call(): ToolCalls<Tools, ToolCallOptions> {
    return (this.#call ??= toolCalls<Tools>(this));
  }

  /** This object as a {@link ClientSession}. */
  get session(): ClientSession {
    return this;
  }

  /**
   * All tools, page by page as they are needed. @throws ProtocolViolationError (rejects) after 64 pages, LimitExceededError
   * `limits.maxListSize`
   */
  tools(options?: CallOptions): AsyncGenerator<Tool, void, undefined> {
    return this.#items(
      "tools/list",
      (params) => this.listTools(params, options),
      (page) => page.tools,
    );
  }

  /**
   * All resources, page by page as they are needed. @throws ProtocolViolationError (rejects) after 64 pages, LimitExceededError
   * `limits.maxListSize`
   */
  resources(options?: CallOptions): AsyncGenerator<Resource, void, undefined> {
    return this.#items(
      "resources/list",
      (params) => this.listResources(params, options),
      (page) => page.resources,
    );
  }

  /**
   * All resource templates, page by page as they are needed. @throws ProtocolViolationError (rejects) after 64 pages,
   * LimitExceededError `limits.maxListSize`
   */
  resourceTemplates(options?: CallOptions): AsyncGenerator<ResourceTemplate, void, undefined> {
    return this.#items(
      "resources/templates/list",
      (params) => this.listResourceTemplates(params, options),
      (page) => page.resourceTemplates,
    );
  }

  /**
   * All prompts, page by page as they are needed. @throws ProtocolViolationError (rejects) after 64 pages, LimitExceededError
   * `limits.maxListSize`
   */
  prompts(options?: CallOptions): AsyncGenerator<Prompt, void, undefined> {
    return this.#items(
      "prompts/list",
      (params) => this.listPrompts(params, options),
      (page) => page.prompts,
    );
  }

  #items<Page extends PaginatedResult, Item>(
    method: string,
    list: (params: PaginatedRequestParams) => Promise<Page>,
    itemsOf: (page: Page) => readonly Item[],
  ): AsyncGenerator<Item, void, undefined> {
    const read = (cursor?: string): Promise<Page> => list(cursor === undefined ? {} : { cursor });
    return items(read, itemsOf, this.maxListSize, { method, reading: this.connection.reading });
  }

  /** A task by its id, for example one that another connection began, or whose call was lost. Needs the tasks extension. */
  task(taskId: string): RemoteTask {
    const task = this.connection.extensions?.task(taskId);
    if (task === undefined) throw new McpUsageError("Tasks need tasks() of tenon/ext/tasks among the client's extensions");
    return task;
  }

  /**
   * Watches for changes: `for await (const change of client.listen({ tools: true }))`. Its promise resolves with the stream once the server
   * watches, so `await` it if no later change may be missed. This is the way to watch, on every revision. `subscribeResource` only sends the request
   * of stateful revisions, and the option `onMessage` sees every notification as it came.
   * @throws McpError (rejects) if the server does not watch; `options.signal.reason` if it aborts before
   * @example
   * ```ts
   * import { connect } from "tenon/client";
   * import { McpServer } from "tenon/server";
   *
   * const server = new McpServer({ name: "sums", version: "1.0.0" });
   * const tool = server.tool("a", {}, () => "");
   * await using client = await connect(server);
   * const changes = await client.listen({ tools: true });
   * tool.disable();
   * for await (const change of changes) {
   *   console.log(change.kind); // tools
   *   break;
   * }
   * ```
   */
  listen(filter: ListenFilter, options: ListenOptions = {}): Listening {
    this.#listen ??= listenOn(this);
    return toListening(this.#listen(filter, options), options.signal);
  }
}
