/**
 * The requests of a server to its client, checked before anything is written: what `ctx.session` asks with, loaded with the
 * first of them. Results are checked by the codec.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import { NoBackChannelError } from "../jsonrpc/mcp-error.ts";
import type { ClientCapabilities } from "../protocol/capabilities.ts";
import { MissingClientCapabilityError, StatelessModeNotSupported, type StatelessMethod } from "../protocol/errors.ts";
import type { CreateMessageRequestParams, CreateMessageResultWithTools } from "../protocol/sampling.ts";
import type { Outbound, RequestOptions } from "../dispatch/dispatcher.ts";
import { assertSamplingTools, assertToolResultBalance, toSampled } from "./sampling-rules.ts";
import type { SessionContext } from "./server-session.ts";
import { hasBackChannel, isCapable } from "./supports.ts";

/** What the error for a missing way back calls these. */
const ASKING = new Map<string, StatelessMethod>([
  ["sampling/createMessage", "sampling"],
  ["elicitation/create", "elicitation"],
  ["roots/list", "list_roots"],
]);

/** See `ServerSession.createMessage`. */
export async function createMessage(
  context: SessionContext,
  outbound: Outbound,
  params: CreateMessageRequestParams,
  options: RequestOptions | undefined,
): Promise<CreateMessageResultWithTools> {
  const method = "sampling/createMessage";
  const { codec, client } = context;
  assertChannel(context, method);
  assertSamplingTools(client.capabilities, params);
  assertToolResultBalance(params.messages);
  const { includeContext = "none" } = params;
  // What the revision cannot tell is not asked for (SS-85).
  const needs = codec.encodeClientCapabilities({ sampling: includeContext === "none" ? {} : { context: {} } });
  return toSampled(params, await request(context, outbound, method, params, options, needs)) as CreateMessageResultWithTools; // checked by the codec
}

/** See `ServerSession.request`. */
export async function request(
  context: SessionContext,
  outbound: Outbound,
  method: string,
  params?: JsonObject,
  options?: RequestOptions,
  needs?: ClientCapabilities,
): Promise<JsonObject> {
  const { codec } = context;
  assertChannel(context, method);
  if (needs !== undefined && !isCapable(context, needs)) {
    throw new MissingClientCapabilityError(needs, `The client does not support what "${method}" needs`);
  }
  const result = await outbound.request(method, codec.encodeParams(method, params), options);
  return codec.decodeResult(method, result);
}

function assertChannel(context: SessionContext, method: string): void {
  const canSend = hasBackChannel(context);
  const asking = canSend ? undefined : ASKING.get(method);
  if (asking !== undefined) throw new StatelessModeNotSupported(asking);
  if (!canSend || !context.codec.hasRequest(method, "server")) throw new NoBackChannelError(method);
}
