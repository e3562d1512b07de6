/** `client.call.name(args)`: a tool as a function, which gives back its data or fails. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ClientSession } from "../session.ts";
import { FailedToolError } from "../errors.ts";
import type { ToolCallOptions } from "./outgoing-request.ts";

/** @throws FailedToolError where the tool failed; and what `callTool` throws */
export async function callForData(
  session: ClientSession,
  name: string,
  args: JsonObject | undefined,
  options?: ToolCallOptions,
): Promise<unknown> {
  const result = await session.callTool(name, args, options);
  if (result.isError) throw new FailedToolError(name, result);
  const { data, text } = result;
  return data === undefined ? dataIn(text, session) : data;
}

/** Revisions without structured results carry objects as text. */
function dataIn(text: string, { link: { codec } }: ClientSession): unknown {
  const hasStructure = "structuredContent" in codec.encodeResult("tools/call", { content: [], structuredContent: {} });
  if (hasStructure || !/^[{[]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
