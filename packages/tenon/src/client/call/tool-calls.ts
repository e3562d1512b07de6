/** `client.call.name(args)`: the tools of a server as functions, which return the data of their results. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ToolCalls } from "../../session/tools/typed-tools.ts";
import type { Codec } from "../../wire/codec.ts";
import type { ServerConnection } from "../connection.ts";
import { FailedToolError } from "../errors.ts";
import type { ToolResult } from "../result.ts";
import type { ToolCallOptions } from "./outgoing-request.ts";

interface ToolCaller {
  readonly connection: ServerConnection;
  callTool(name: string, args?: JsonObject, options?: ToolCallOptions): Promise<ToolResult>;
}

/** Returns an object whose every member is a function. `then` is undefined, because `await` would call it. */
export function toolCalls<Tools>(session: ToolCaller): ToolCalls<Tools, ToolCallOptions> {
  return new Proxy({} as ToolCalls<Tools, ToolCallOptions>, {
    get: (_target, name) => (typeof name === "string" && name !== "then" ? toolFunction(session, name) : undefined),
  });
}

type ToolFunction = (args?: JsonObject, options?: ToolCallOptions) => Promise<unknown>;

/** The function that calls one tool. It rejects with a FailedToolError if the tool failed, and with the errors of `callTool`. */
function toolFunction(session: ToolCaller, name: string): ToolFunction {
  return async (args, options) => {
    const result = await session.callTool(name, args, options);
    if (result.isError) throw new FailedToolError(name, result);
    const { data, text } = result;
    return data === undefined ? dataIn(text, session.connection.codec) : data;
  };
}

/** Parses objects out of the text, on revisions that have no structured results. */
function dataIn(text: string, codec: Codec): unknown {
  const hasStructure = "structuredContent" in codec.encodeResult("tools/call", { content: [], structuredContent: {} });
  if (hasStructure || !/^[{[]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
