/** The requests of a server to its client, checked before anything is written. Results are checked by the codec. */
import type { Outbound, RequestOptions } from "../dispatch/dispatcher.ts";
import {
  ConnectionClosedError,
  LimitExceededError,
  McpError,
  NoBackChannelError,
  ProtocolViolationError,
  RequestTimeoutError,
} from "../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities } from "../protocol/capabilities.ts";
import { describeCapability, MissingClientCapabilityError, StatelessModeNotSupported, type StatelessMethod } from "../protocol/errors.ts";
import type { CreateMessageRequestParams, CreateMessageResultWithTools } from "../protocol/sampling.ts";
import { canSendRequests, hasDeclared, type KnownClient } from "./client-capabilities.ts";
import { QuestionFailedError } from "./question-failed-error.ts";

export interface ReachableClient extends KnownClient {
  readonly outbound: Outbound;
}

export interface RequestToClient {
  readonly method: string;
  readonly params?: JsonObject | undefined;
  /** What the client must have declared. */
  readonly needs?: ClientCapabilities | undefined;
}

/** See `ServerSession.request`. */
export async function requestClient(
  channel: ReachableClient,
  { method, params, needs }: RequestToClient,
  options?: RequestOptions,
): Promise<JsonObject> {
  const { codec, outbound, connection } = channel;
  assertChannel(channel, method);
  if (needs !== undefined && !hasDeclared(channel, needs)) {
    throw new MissingClientCapabilityError(needs, `The client does not support what "${method}" needs: ${describeCapability(needs)}`);
  }
  const result = await outbound.request(method, codec.encodeParams(method, params), options).catch((error: unknown) => {
    throw isAnswer(error) ? new QuestionFailedError(method, error) : error;
  });
  return codec.decodeResult(method, result, undefined, connection.reading);
}

/**
 * Whether the client sent the error. The others say that no answer came; one that names a limit, such as the depth of calls in calls, ends
 * every call above.
 */
function isAnswer(error: unknown): error is McpError {
  if (!McpError.isMcpError(error) || OWN_ERRORS.some((Own) => error instanceof Own)) return false;
  return !isJsonObject(error.data) || error.data["limit"] === undefined;
}

const OWN_ERRORS = [ConnectionClosedError, LimitExceededError, NoBackChannelError, ProtocolViolationError, RequestTimeoutError];

/** See `ServerSession.createMessage`. */
export async function createMessage(
  channel: ReachableClient,
  params: CreateMessageRequestParams,
  options: RequestOptions | undefined,
): Promise<CreateMessageResultWithTools> {
  const method = "sampling/createMessage";
  const { codec, client } = channel;
  assertChannel(channel, method);
  const { assertSamplingTools, assertToolResultBalance, toSampled } = await import("./sampling-rules.ts");
  assertSamplingTools(client.capabilities, params);
  assertToolResultBalance(params.messages);
  const { includeContext = "none" } = params;
  // A capability that the revision cannot declare is not needed.
  const needs = codec.encodeClientCapabilities({ sampling: includeContext === "none" ? {} : { context: {} } });
  return toSampled(params, await requestClient(channel, { method, params, needs }, options)) as CreateMessageResultWithTools; // checked by the codec
}

/** The names of these methods in the error for a missing back-channel. */
const STATELESS_NAMES: ReadonlyMap<string, StatelessMethod> = new Map([
  ["sampling/createMessage", "sampling"],
  ["elicitation/create", "elicitation"],
  ["roots/list", "list_roots"],
]);

function assertChannel(channel: ReachableClient, method: string): void {
  const canSend = canSendRequests(channel);
  const name = canSend ? undefined : STATELESS_NAMES.get(method);
  if (name !== undefined) throw new StatelessModeNotSupported(name);
  if (!canSend || !channel.codec.hasRequest(method, "server")) throw new NoBackChannelError(method);
}
