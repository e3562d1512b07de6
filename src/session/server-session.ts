/**
 * What a server can ask its client: requests on the channel of the request at hand.
 *
 * The channel decides what is possible: a stateless revision has no way back, and every request then fails with
 * `NoBackChannelError` before anything is written. Made from `ctx.session`.
 */
import { type JsonObject } from "../jsonrpc/message.ts";
import { MissingClientCapabilityError } from "../protocol/errors.ts";
import { NoBackChannelError } from "../jsonrpc/mcp-error.ts";
import type { ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult } from "../protocol/elicitation.ts";
import type { ClientCapabilities } from "../protocol/capabilities.ts";
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  CreateMessageResultWithTools,
  ListRootsResult,
} from "../protocol/sampling.ts";
import type { Outbound, RequestOptions } from "../dispatch/dispatcher.ts";
import type { ClientIdentity, Codec } from "../wire/codec.ts";
import { supports } from "./supports.ts";

export class ServerSession {
  readonly #outbound: Outbound;
  readonly #codec: Codec;
  readonly #client: ClientIdentity;

  constructor(outbound: Outbound, codec: Codec, client: ClientIdentity) {
    this.#outbound = outbound;
    this.#codec = codec;
    this.#client = client;
  }

  /** Whether the client declared all of that (checklist SS-40…50). */
  checkClientCapability(required: ClientCapabilities): boolean {
    return supports(this.#client.capabilities, required);
  }

  /** Asks whether the client is there. */
  async ping(options?: RequestOptions): Promise<void> {
    await this.request("ping", undefined, options);
  }

  /**
   * Lets the client's model answer. @throws MissingClientCapabilityError where the client did not declare `sampling`,
   * or `sampling.tools` for tools
   */
  createMessage(
    params: CreateMessageRequestParams & { tools?: undefined; toolChoice?: undefined },
    options?: RequestOptions,
  ): Promise<CreateMessageResult>;
  createMessage(params: CreateMessageRequestParams, options?: RequestOptions): Promise<CreateMessageResultWithTools>;
  createMessage(params: CreateMessageRequestParams, options?: RequestOptions): Promise<JsonObject> {
    const tools = params.tools !== undefined || params.toolChoice !== undefined;
    return this.request("sampling/createMessage", params, options, { sampling: tools ? { tools: {} } : {} });
  }

  /** Asks the user to fill in a form. */
  elicitForm(params: Omit<ElicitRequestFormParams, "mode">, options?: RequestOptions): Promise<ElicitResult> {
    return this.request("elicitation/create", { mode: "form", ...params }, options, { elicitation: { form: {} } }) as Promise<ElicitResult>; // checked by the codec
  }

  /** Asks the user to visit a page. `accept` is consent to open it, not completion. `elicitationId` is made up where absent. */
  elicitUrl(params: Omit<ElicitRequestURLParams, "mode">, options?: RequestOptions): Promise<ElicitResult> {
    return this.request("elicitation/create", { mode: "url", elicitationId: crypto.randomUUID(), ...params }, options, {
      elicitation: { url: {} },
    }) as Promise<ElicitResult>; // checked by the codec
  }

  /** Asks for the client's roots. */
  listRoots(options?: RequestOptions): Promise<ListRootsResult> {
    return this.request("roots/list", undefined, options, { roots: {} }) as Promise<ListRootsResult>; // checked by the codec
  }

  /**
   * Sends any request the revision has. `needs` is what the client must have declared for it.
   * @throws NoBackChannelError on a stateless revision, before anything is written
   * @throws MissingClientCapabilityError where the client did not declare what it takes
   */
  async request(method: string, params?: JsonObject, options?: RequestOptions, needs?: ClientCapabilities): Promise<JsonObject> {
    const codec = this.#codec;
    if (codec.stateless || !codec.hasRequest(method, "server")) throw new NoBackChannelError(method);
    if (needs !== undefined && !this.checkClientCapability(needs)) {
      throw new MissingClientCapabilityError(needs, `The client does not support what "${method}" needs`);
    }
    const result = await this.#outbound.request(method, codec.encodeParams(method, params), options);
    return codec.decodeResult(method, result);
  }
}
