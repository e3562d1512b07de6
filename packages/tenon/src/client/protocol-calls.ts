/**
 * The requests and notifications of the protocol, one method for each. `ClientSession` sends them: tools, and any other request, are there.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { EmptyResult, PaginatedRequestParams } from "../protocol/base.ts";
import type { ProgressNotificationParams } from "../protocol/lifecycle.ts";
import type { ParamsOf, RequestMethod, ResultOf } from "../protocol/messages.ts";
import type { CompleteRequestParams, CompleteResult, GetPromptResult, ListPromptsResult } from "../protocol/prompts.ts";
import type { ListResourcesResult, ListResourceTemplatesResult, ReadResourceResult } from "../protocol/resources.ts";
import type { CallOptions } from "./call/outgoing-request.ts";
import { complete } from "./call/pipeline.ts";

/** The requests of the protocol, all but the tools: {@link ClientSession} has these. */
export abstract class ProtocolCalls {
  /** Sends a request and resolves with its checked result. */
  abstract request<M extends RequestMethod>(method: M, params?: ParamsOf<M>, options?: CallOptions): Promise<ResultOf<M>>;

  /** Sends a notification if the revision has it. */
  abstract notify(method: string, params?: JsonObject): Promise<void>;

  // ---- resources ----

  /** Lists one page of the resources. */
  listResources(params: PaginatedRequestParams = {}, options?: CallOptions): Promise<ListResourcesResult> {
    return this.request("resources/list", params, options);
  }

  /** Lists one page of the resource templates. */
  listResourceTemplates(params: PaginatedRequestParams = {}, options?: CallOptions): Promise<ListResourceTemplatesResult> {
    return this.request("resources/templates/list", params, options);
  }

  /**
   * Reads a resource. The URI is sent unchanged, never normalised.
   * @example
   * ```ts
   * import { connect } from "tenon/client";
   * import { McpServer } from "tenon/server";
   *
   * const server = new McpServer({ name: "sums", version: "1.0.0" });
   * server.resource("note://today", {}, () => "Buy milk");
   * await using client = await connect(server);
   * for (const content of (await client.readResource("note://today")).contents) console.log(content.uri); // note://today
   * ```
   */
  async readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult> {
    return complete("resources/read", await this.request("resources/read", { uri }, options));
  }

  /** Asks the server to announce changes of a resource. Stateful revisions only. Use `Client.listen`, which works on all. */
  subscribeResource(uri: string, options?: CallOptions): Promise<EmptyResult> {
    return this.request("resources/subscribe", { uri }, options);
  }

  /** Ends {@link subscribeResource}. Stateful revisions only. */
  unsubscribeResource(uri: string, options?: CallOptions): Promise<EmptyResult> {
    return this.request("resources/unsubscribe", { uri }, options);
  }

  // ---- prompts ----

  /** Lists one page of the prompts. */
  listPrompts(params: PaginatedRequestParams = {}, options?: CallOptions): Promise<ListPromptsResult> {
    return this.request("prompts/list", params, options);
  }

  /**
   * Fills in a prompt. Arguments are strings.
   * @example
   * ```ts
   * import { connect } from "tenon/client";
   * import { McpServer } from "tenon/server";
   *
   * const server = new McpServer({ name: "sums", version: "1.0.0" });
   * server.prompt("review", {}, () => "Review this code.");
   * await using client = await connect(server);
   * const { messages } = await client.getPrompt("review");
   * console.log(messages[0]?.role); // user
   * ```
   */
  async getPrompt(name: string, args?: { [name: string]: string }, options?: CallOptions): Promise<GetPromptResult> {
    const params = args === undefined ? { name } : { name, arguments: args };
    return complete("prompts/get", await this.request<"prompts/get">("prompts/get", params, options));
  }

  /**
   * Gets suggestions for an argument of a prompt or a variable of a resource template. @throws TypeError if `argument` has no
   * name or no value
   */
  async complete(params: CompleteRequestParams, options?: CallOptions): Promise<CompleteResult> {
    const { name, value } = params.argument;
    if (typeof name !== "string" || typeof value !== "string") throw new TypeError('"argument" needs a "name" and a "value"');
    return this.request("completion/complete", params, options);
  }

  // ---- the connection ----

  /** Checks that the server responds. Stateful revisions only. */
  ping(options?: CallOptions): Promise<EmptyResult> {
    return this.request("ping", {}, options);
  }

  /** Sends the server progress of one of its requests. Stateful revisions only. */
  sendProgress(params: ProgressNotificationParams): Promise<void> {
    return this.notify("notifications/progress", params);
  }

  /**
   * Tells the server that the roots have changed. Stateful revisions only.
   * @deprecated in the protocol as of 2026-07-28, where there is no such message: give directories as arguments, or as configuration.
   */
  sendRootsListChanged(): Promise<void> {
    return this.notify("notifications/roots/list_changed");
  }
}
