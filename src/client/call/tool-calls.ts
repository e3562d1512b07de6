/** `client.call.name(args)`: the tools of a server as functions, which return their data or fail. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ToolCalls } from "../../session/typed-tools.ts";
import type { Codec } from "../../wire/codec.ts";
import type { ServerConnection } from "../connection.ts";
import { FailedToolError } from "../errors.ts";
import type { ToolResult } from "../result.ts";
import type { ToolCallOptions } from "./outgoing-request.ts";

/** The session that the tools are called on. */
interface ToolCaller {
  readonly connection: ServerConnection;
  callTool(name: string, args?: JsonObject, options?: ToolCallOptions): Promise<ToolResult>;
}

/** Every name is a function. There is none called `then`: a promise that resolved with this object would call it. */
export function toolCalls<Tools>(session: ToolCaller): ToolCalls<Tools, ToolCallOptions> {
  return new Proxy({} as ToolCalls<Tools, ToolCallOptions>, {
    get: (_target, name) => (typeof name === "string" && name !== "then" ? toolFunction(session, name) : undefined),
  });
}

type ToolFunction = (args?: JsonObject, options?: ToolCallOptions) => Promise<unknown>;

/** The function rejects with a FailedToolError if the tool failed; and with what `callTool` rejects with. */
function toolFunction(session: ToolCaller, name: string): ToolFunction {
  return async (args, options) => {
    const result = await session.callTool(name, args, options);
    if (result.isError) throw new FailedToolError(name, result);
    const { data, text } = result;
    return data === undefined ? dataIn(text, session.connection.codec) : data;
  };
}

/** Revisions without structured results carry objects as text. */
function dataIn(text: string, codec: Codec): unknown {
  const hasStructure = "structuredContent" in codec.encodeResult("tools/call", { content: [], structuredContent: {} });
  if (hasStructure || !/^[{[]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
