/** Makes calls by names in the group: finds the server that has the name, and calls it by the server's own name. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { CompleteRequestParams, CompleteResult, GetPromptResult } from "../../protocol/prompts.ts";
import type { ReadResourceResult } from "../../protocol/resources.ts";
import type { CallOptions, ToolCallOptions } from "../../client/call/outgoing-request.ts";
import { ToolResult } from "../../client/result.ts";
import { MatchBudget, withUris } from "../../session/uris.ts";
import type { GroupServer } from "../servers/group-server.ts";
import type { Pins } from "./pins.ts";
import type { Destination, GroupRouter } from "./group-router.ts";

/** Options of a call about a resource, which may be named by a server's own URI. */
export interface ResourceCallOptions extends CallOptions {
  /** The name of the server to call, whatever it lists. Default: the server that has the resource. */
  server?: string;
}

export class GroupCalls {
  readonly #router: GroupRouter;

  readonly #pins: Pins | undefined;

  constructor(router: GroupRouter, pins: Pins | undefined) {
    this.#router = router;
    this.#pins = pins;
  }

  async tool<Data>(name: string, args: JsonObject | undefined, options: ToolCallOptions): Promise<ToolResult<Data>> {
    const { owner, component } = await this.#router.named("tool", name, options);
    const result = await owner.call((session) => session.callTool<Data>(component.name, args, options), options.relay);
    const { content, structuredContent, isError, _meta } = this.#withUris(owner, result);
    if (content === result.content && _meta === result._meta) return result;
    return new ToolResult<Data>({ content: [...content], structuredContent, isError, ...(_meta && { _meta }) });
  }

  async prompt(name: string, args: { [name: string]: string } | undefined, options: CallOptions): Promise<GetPromptResult> {
    const { owner, component } = await this.#router.named("prompt", name, options);
    return this.#withUris(owner, await owner.call((session) => session.getPrompt(component.name, args, options), options.relay));
  }

  async resource(name: string, options: ResourceCallOptions): Promise<ReadResourceResult> {
    const { server, ...rest } = options;
    const { owner, id } = await this.#router.resource(name, server, options);
    const result = await owner.call((session) => session.readResource(id, rest), rest.relay);
    await this.#pins?.assertPage(owner.name, id, result);
    return this.#withUris(owner, result);
  }

  /** A result with URIs that lead to its server. Returns the same object if none changes. */
  #withUris<Result extends object>(owner: GroupServer, result: Result): Result {
    const budget = new MatchBudget();
    return withUris(result as unknown as JsonObject, (uri) => this.#router.uriOf(owner, uri, budget)) as unknown as Result; // with other texts
  }

  async watch(name: string, server: string | undefined): Promise<void> {
    const { owner, id } = await this.#router.resource(name, server, {});
    await owner.watch(id);
  }

  async unwatch(name: string, server: string | undefined): Promise<void> {
    const { owner, id } = await this.#router.resource(name, server, {});
    await owner.unwatch(id);
  }

  async complete(params: CompleteRequestParams, options: ResourceCallOptions): Promise<CompleteResult> {
    const { ref } = params;
    const { server, ...rest } = options;
    const isPrompt = ref.type === "ref/prompt";
    const { owner, id } = isPrompt ? await this.#prompt(ref.name, options) : await this.#router.resource(ref.uri, server, options);
    const own = isPrompt ? { ...ref, name: id } : { ...ref, uri: id };
    return owner.call((session) => session.complete({ ...params, ref: own }, rest));
  }

  async #prompt(name: string, options: CallOptions): Promise<Destination> {
    const { owner, component } = await this.#router.named("prompt", name, options);
    return { owner, id: component.name };
  }
}
