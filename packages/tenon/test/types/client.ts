/** Type tests: what calls of a client take and give. */
import { expectTypeOf } from "vitest";
import {
  connect,
  McpServer,
  type CallToolResult,
  type Client,
  type CreateTaskResult,
  type ElicitRequestParams,
  type InputRequiredResult,
  type JsonObject,
  type ListToolsResult,
  type ServerChange,
  type Tool,
  type ToolResult,
} from "tenon";

declare const client: Client;

// Any request: params and result follow from the method; an unknown method takes and gives objects.
expectTypeOf(await client.request("tools/call", { name: "a" })).toEqualTypeOf<
  CallToolResult | InputRequiredResult | CreateTaskResult
>();
expectTypeOf(await client.request("tools/list")).toEqualTypeOf<ListToolsResult>();
expectTypeOf(await client.request("own/method", { a: 1 })).toEqualTypeOf<JsonObject>();
expectTypeOf(await client.request("own/method", {}, { timeout: 1 })).toEqualTypeOf<JsonObject>();
const sum = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] } as const;
expectTypeOf(await client.request("own/method", {}, { result: sum, timeout: 1 })).toEqualTypeOf<{ sum: number }>();
client.onNotification("notifications/own", (params) => expectTypeOf(params).toEqualTypeOf<JsonObject>());
const stop = client.onNotification("notifications/own", { params: sum }, (params) => {
  expectTypeOf(params).toEqualTypeOf<{ sum: number }>();
});
expectTypeOf(stop).toEqualTypeOf<() => void>();
expectTypeOf(await client.request("logging/setLevel", { level: "info" })).toExtend<object>();

// Tools.
expectTypeOf(await client.callTool("a")).toEqualTypeOf<ToolResult>();
expectTypeOf((await client.callTool<{ sum: number }>("a", { x: 1 }, { timeout: 1 })).data).toEqualTypeOf<
  { sum: number } | undefined
>();
// @ts-expect-error arguments are an object
await client.callTool("a", [1]);
// @ts-expect-error no such option
await client.callTool("a", {}, { timeuot: 1 });
for await (const tool of client.tools()) expectTypeOf(tool).toEqualTypeOf<Tool>();

// Prompts take strings only.
await client.getPrompt("a", { n: "1" });
// @ts-expect-error numbers are written as strings
await client.getPrompt("a", { n: 1 });

// Changes.
for await (const change of await client.listen({ tools: true, resources: ["a://b"] })) {
  expectTypeOf(change).toEqualTypeOf<ServerChange>();
  if (change.kind === "resource") expectTypeOf(change.uri).toEqualTypeOf<string>();
}
await client.listen({ resources: { list: true, uris: ["a://b"] } });
// @ts-expect-error no such member
await client.listen({ resources: { urls: ["a://b"] } });

// Connecting: servers of any lifespan; callbacks know what they are asked.
expectTypeOf(await connect(new McpServer({ name: "a", version: "1" }, { lifespan: () => 1 }))).toEqualTypeOf<Client>();
await connect(
  { command: "node", args: ["a.js"] },
  {
    onElicit: (params, { signal, requestId }) => {
      expectTypeOf(params).toEqualTypeOf<ElicitRequestParams>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      expectTypeOf(requestId).toEqualTypeOf<string | number>();
      return { action: "accept", content: { a: ["x"] } };
    },
    onSample: (params) => ({ role: "assistant", model: "m", content: { type: "text", text: String(params.maxTokens) } }),
    roots: () => ({ code: -1, message: "No" }),
    onMessage: ({ method, params }) => void [method, params],
  },
);
// @ts-expect-error no such revision
await connect(new McpServer({ name: "a", version: "1" }), { revision: "2025-01-01" });
// @ts-expect-error no such action
await connect(new McpServer({ name: "a", version: "1" }), { onElicit: () => ({ action: "maybe" }) });
// @ts-expect-error nothing to connect to
await connect({ args: ["a.js"] });
