/** Type tests: a method's name decides its params and its result, and the MCP types are assignable to JSON objects. */
import { expectTypeOf } from "vitest";
import type { JsonObject } from "../../src/jsonrpc/message.ts";
import type * as mcp from "../../src/protocol/types.ts";

// TY-90 The unions are per direction.
expectTypeOf<mcp.ParamsOf<"tools/call">>().toEqualTypeOf<mcp.CallToolRequestParams>();
expectTypeOf<mcp.ParamsOf<"ping">>().toEqualTypeOf<mcp.RequestParams | undefined>();
expectTypeOf<mcp.ResultOf<"prompts/get">>().toEqualTypeOf<mcp.GetPromptResult | mcp.InputRequiredResult>();
expectTypeOf<mcp.CallToolRequest>().toExtend<mcp.ClientRequest>();
expectTypeOf<mcp.CallToolRequest>().not.toExtend<mcp.ServerRequest>();
expectTypeOf<mcp.ElicitRequest>().toExtend<mcp.ServerRequest>();
expectTypeOf<mcp.ElicitRequest>().not.toExtend<mcp.ClientRequest>();
expectTypeOf<mcp.PingRequest>().toExtend<mcp.ServerRequest & mcp.ClientRequest>();
expectTypeOf<mcp.LoggingMessageNotification>().toExtend<mcp.ServerNotification>();
expectTypeOf<mcp.LoggingMessageNotification>().not.toExtend<mcp.ClientNotification>();
expectTypeOf<mcp.CancelledNotification>().toExtend<mcp.ServerNotification & mcp.ClientNotification>();

// No cast is needed on the way to the wire.
expectTypeOf<mcp.CallToolResult>().toExtend<JsonObject>();
expectTypeOf<mcp.CreateMessageRequestParams>().toExtend<JsonObject>();
expectTypeOf<mcp.ServerCapabilities>().toExtend<JsonObject>();
expectTypeOf<mcp.Tool>().toExtend<JsonObject>();

// TY-70 TY-71 TY-72 Only a request with tools has an answer with several blocks.
expectTypeOf<mcp.CreateMessageResult["content"]>().toEqualTypeOf<mcp.SamplingContent>();
expectTypeOf<mcp.CreateMessageResult>().toExtend<mcp.CreateMessageResultWithTools>();
expectTypeOf<mcp.CreateMessageResultWithTools>().not.toExtend<mcp.CreateMessageResult>();

// TY-83 TY-84 `mode` distinguishes the two ways of asking; forms may omit it.
expectTypeOf<Extract<mcp.ElicitRequestParams, { mode: "url" }>>().toEqualTypeOf<mcp.ElicitRequestURLParams>();
expectTypeOf<{ message: string; requestedSchema: mcp.ElicitRequestedSchema }>().toExtend<mcp.ElicitRequestParams>();
// TY-80 Unknown stop reasons are strings too.
expectTypeOf<"other">().toExtend<mcp.StopReason>();
