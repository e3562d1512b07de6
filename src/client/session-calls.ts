/**
 * The calls of a session by name, each no more than its method and its params. What a call goes through is `request`, which
 * `ClientSession` has; tools, which take more, are there too.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { EmptyResult, PaginatedRequestParams } from "../protocol/base.ts";
import type { ProgressNotificationParams } from "../protocol/lifecycle.ts";
import type { ParamsOf, RequestMethod, ResultOf } from "../protocol/messages.ts";
import type { CompleteRequestParams, CompleteResult, GetPromptResult, ListPromptsResult } from "../protocol/prompts.ts";
import type { ListResourcesResult, ListResourceTemplatesResult, ReadResourceResult } from "../protocol/resources.ts";
import { InputRequiredError } from "./errors.ts";
import type { CallOptions } from "./call/outgoing-request.ts";

/** The calls of a session by name. All reject with what {@link request} rejects with. */
export abstract class SessionCalls {
  /** Sends any request, through the middleware, and resolves with its checked result. */
  abstract request<M extends RequestMethod>(method: M, params?: ParamsOf<M>, options?: CallOptions): Promise<ResultOf<M>>;
  /** Sends a notification, if the revision has it. */
  abstract notify(method: string, params?: JsonObject): Promise<void>;

  /** One page of the resources. */
  listResources(params: PaginatedRequestParams = {}, options?: CallOptions): Promise<ListResourcesResult> {
    return this.request("resources/list", params, options);
  }

  /** One page of the resource templates. */
  listResourceTemplates(params: PaginatedRequestParams = {}, options?: CallOptions): Promise<ListResourceTemplatesResult> {
    return this.request("resources/templates/list", params, options);
  }

  /** Reads a resource. The URI is sent as it is, never normalised (CL-17). */
  async readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult> {
    const result = await this.request("resources/read", { uri }, options);
    if (result.resultType === "input_required") throw new InputRequiredError("resources/read", result);
    return result as ReadResourceResult; // the other kind of result has been ruled out
  }

  /** From now on the server tells when that resource changes. Stateful revisions only: `Client.listen` works on all. */
  subscribeResource(uri: string, options?: CallOptions): Promise<EmptyResult> {
    return this.request("resources/subscribe", { uri }, options);
  }

  /** The server tells no more of that resource. Stateful revisions only. */
  unsubscribeResource(uri: string, options?: CallOptions): Promise<EmptyResult> {
    return this.request("resources/unsubscribe", { uri }, options);
  }

  /** One page of the prompts. */
  listPrompts(params: PaginatedRequestParams = {}, options?: CallOptions): Promise<ListPromptsResult> {
    return this.request("prompts/list", params, options);
  }

  /** Fills in a prompt. Arguments are strings. */
  async getPrompt(name: string, args?: { [name: string]: string }, options?: CallOptions): Promise<GetPromptResult> {
    const result = await this.request("prompts/get", args === undefined ? { name } : { name, arguments: args }, options);
    if (result.resultType === "input_required") throw new InputRequiredError("prompts/get", result);
    return result as GetPromptResult; // the other kind of result has been ruled out
  }

  /** Suggestions for an argument of a prompt or a variable of a resource template. @throws TypeError for half an argument */
  async complete(params: CompleteRequestParams, options?: CallOptions): Promise<CompleteResult> {
    const { name, value } = params.argument;
    if (typeof name !== "string" || typeof value !== "string") throw new TypeError('"argument" needs a "name" and a "value"');
    return this.request("completion/complete", params, options);
  }

  /** Asks whether the server is there. Stateful revisions only. */
  ping(options?: CallOptions): Promise<EmptyResult> {
    return this.request("ping", {}, options);
  }

  /** Tells the server how far one of its requests has come. Stateful revisions only. */
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
