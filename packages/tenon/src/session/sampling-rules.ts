/**
 * The rules for a sampling request before it is sent: the client has the capabilities that it needs, and each use of a tool in the
 * conversation is followed by its result.
 *
 * Loaded with the first request for sampling. Clients apply the same rules to requests that they receive.
 */
import { ErrorCode, McpError, ProtocolViolationError } from "../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities } from "../protocol/capabilities.ts";
import { contentAsList } from "../protocol/content.ts";
import type { CreateMessageRequestParams, SamplingMessage } from "../protocol/sampling.ts";

/** Whether the client's model accepts tools. `tools: {}` means yes. */
export function supportsSamplingTools(capabilities?: ClientCapabilities): boolean {
  return capabilities?.sampling?.tools !== undefined;
}

/**
 * Checks that the client has the capability for tools, if a request has tools or a tool choice. An empty list of tools counts as
 * tools.
 * @throws McpError -32602 (MCP 2025-11-25, Sampling, Sampling with Tools)
 */
export function assertSamplingTools(
  capabilities: ClientCapabilities | undefined,
  { tools, toolChoice }: Pick<CreateMessageRequestParams, "tools" | "toolChoice">,
): void {
  if ((tools !== undefined || toolChoice !== undefined) && !supportsSamplingTools(capabilities)) {
    throw new McpError(ErrorCode.InvalidParams, "Client does not support sampling tools capability");
  }
}

/**
 * Checks a whole conversation: a message with tool results has nothing else, and its results match exactly the uses of tools in the
 * message before it. Order and repetition do not matter. The uses in the last message have no results yet.
 * @throws RangeError if a result is missing or matches no use
 */
export function assertToolResultBalance(messages: readonly SamplingMessage[]): void {
  let uses: ReadonlySet<string> | undefined;
  for (const message of messages) {
    const results = toolResults(message);
    if (results.size > 0) assertAnswerable(uses);
    if (!isSameSet(results, uses ?? results)) {
      throw new RangeError("ids of tool_result blocks and tool_use blocks from previous message do not match");
    }
    uses = toolUses(message);
  }
}

/**
 * Checks the model's result against the request: without tools it is one block of text, picture or sound.
 * @throws ProtocolViolationError if it is of another kind
 */
export function toSampled<Result extends JsonObject>({ tools, toolChoice }: CreateMessageRequestParams, result: Result): Result {
  const { content } = result as { content?: unknown };
  const several = Array.isArray(content) || (isJsonObject(content) && String(content["type"]).startsWith("tool_"));
  if (several && tools === undefined && toolChoice === undefined) {
    throw new ProtocolViolationError('Invalid result of "sampling/createMessage": without tools, "content" is one block and no tool');
  }
  return result;
}

/** @param uses in the message before, if there is one */
function assertAnswerable(uses: ReadonlySet<string> | undefined): void {
  if (uses === undefined) throw new RangeError("tool_result requires a previous message containing tool_use");
  if (uses.size === 0) throw new RangeError("tool_result blocks do not match any tool_use in the previous message");
}

/** @throws RangeError if the message has other content too */
function toolResults(message: SamplingMessage): ReadonlySet<string> {
  const blocks = contentAsList(message);
  const ids = blocks.flatMap((block) => (block.type === "tool_result" ? [block.toolUseId] : []));
  if (ids.length > 0 && ids.length < blocks.length) {
    throw new RangeError("The last message must contain only tool_result content if any is present");
  }
  return new Set(ids);
}

function toolUses(message: SamplingMessage): ReadonlySet<string> {
  return new Set(contentAsList(message).flatMap((block) => (block.type === "tool_use" ? [block.id] : [])));
}

function isSameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((id) => b.has(id));
}
