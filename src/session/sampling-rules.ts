/**
 * What must hold of a sampling request before it is sent: the client can do what is asked, and each use of a tool in the
 * conversation is followed by its results.
 *
 * Loaded with the first request for a model. Clients hold what they are asked to the same rules.
 */
import { ErrorCode, McpError, ProtocolViolationError } from "../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities } from "../protocol/capabilities.ts";
import { contentAsList } from "../protocol/content.ts";
import type { CreateMessageRequestParams, SamplingMessage } from "../protocol/sampling.ts";

/** Whether the client's model may be given tools. `tools: {}` is a yes (checklist SV-01). */
export function supportsSamplingTools(capabilities?: ClientCapabilities): boolean {
  return capabilities?.sampling?.tools !== undefined;
}

/**
 * Holds a request with tools or a tool choice to the capability it takes. An empty list of tools is tools (SS-84).
 * @throws McpError -32602 (SV-02; spec 2025-11-25 client/sampling, tools in sampling)
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
 * Holds a whole conversation to this: a message with results of tools has nothing else, and answers exactly the uses of
 * tools in the message before it. Order and repetition do not matter. The uses of the last message are not answered yet.
 * @throws RangeError (SV-03…SV-11, L2.4)
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
 * The answer of a model, of the kind that belongs to what it was offered: without tools one block of text, picture or sound.
 * @throws ProtocolViolationError (CF-13, TY-71)
 */
export function toSampled<Result extends JsonObject>({ tools, toolChoice }: CreateMessageRequestParams, result: Result): Result {
  const { content } = result as { content?: unknown };
  const several = Array.isArray(content) || (isJsonObject(content) && String(content["type"]).startsWith("tool_"));
  if (several && tools === undefined && toolChoice === undefined) {
    throw new ProtocolViolationError('Invalid result of "sampling/createMessage": without tools, "content" is one block and no tool');
  }
  return result;
}

/** @param uses of the message before, if there is one */
function assertAnswerable(uses: ReadonlySet<string> | undefined): void {
  if (uses === undefined) throw new RangeError("tool_result requires a previous message containing tool_use");
  if (uses.size === 0) throw new RangeError("tool_result blocks do not match any tool_use in the previous message");
}

/** @throws RangeError where there is something beside them */
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
