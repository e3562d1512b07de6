/** The types of the seed documents, one row each: what a peer may send under that name, and what it may not. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../jsonrpc/message.ts";
import { codecFor } from "./revisions.ts";

const codec = codecFor("2025-11-25");
const INFO = { name: "n", version: "1" };
const TEXT = { type: "text", text: "t" };
const IMAGE = { type: "image", data: "AA==", mimeType: "image/png" };
const USE = { type: "tool_use", id: "1", name: "t", input: {} };
const FORM = { message: "m", requestedSchema: { type: "object", properties: {} } };

const hello = (part: JsonObject): JsonObject => ({ protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO, ...part });
const welcome = (part: JsonObject): JsonObject => ({ protocolVersion: "2025-11-25", capabilities: {}, serverInfo: INFO, ...part });
const resource = (part: JsonObject): JsonObject => ({ resources: [{ uri: "a:b", name: "r", ...part }] });
const tool = (part: JsonObject): JsonObject => ({ tools: [{ name: "t", inputSchema: { type: "object" }, ...part }] });
const said = (...content: unknown[]): JsonObject => ({ content });
const ask = (part: JsonObject): JsonObject => ({ messages: [{ role: "user", content: TEXT }], maxTokens: 1, ...part });
const message = (content: unknown): JsonObject => ask({ messages: [{ role: "assistant", content }] });
const answer = (part: JsonObject): JsonObject => ({ role: "assistant", content: TEXT, model: "m", ...part });

type Row = readonly [title: string, method: string, accepted: readonly JsonObject[], refused: readonly JsonObject[]];

const PARAMS: readonly Row[] = [
  ["TY-07 TY-08 TY-30 a request without members, either way", "ping", [{}, { _meta: {} }], [{ _meta: 1 }]],
  [
    "TY-09 TY-10 a progress token is a string or an integer",
    "tools/list",
    [{ _meta: { progressToken: 0 } }, { _meta: { progressToken: "a", x: 1 } }],
    [{ _meta: { progressToken: true } }],
  ],
  ["TY-20 InitializeRequest", "initialize", [hello({})], [hello({ clientInfo: undefined }), hello({ protocolVersion: 1 })]],
  ["TY-22 InitializedNotification", "notifications/initialized", [{}], [{ _meta: [] }]],
  [
    "TY-23 Implementation",
    "initialize",
    [hello({ clientInfo: { ...INFO, title: "N", description: "d", websiteUrl: "https://a.example", icons: [] } })],
    [hello({ clientInfo: { name: "n" } })],
  ],
  [
    "TY-24 A6.6 ClientCapabilities",
    "initialize",
    [hello({ capabilities: { experimental: { x: {} }, sampling: {}, elicitation: {}, roots: {} } })],
    [hello({ capabilities: { experimental: { x: 1 } } })],
  ],
  [
    "TY-26 RootsCapability",
    "initialize",
    [hello({ capabilities: { roots: { listChanged: false } } })],
    [hello({ capabilities: { roots: { listChanged: "yes" } } })],
  ],
  [
    "TY-27 SamplingCapability",
    "initialize",
    [hello({ capabilities: { sampling: { context: {}, tools: {} } } })],
    [hello({ capabilities: { sampling: { tools: true } } })],
  ],
  [
    "TY-29 ElicitationCapability",
    "initialize",
    [hello({ capabilities: { elicitation: { form: {}, url: {} } } })],
    [hello({ capabilities: { elicitation: { url: 1 } } })],
  ],
  ["TY-31 SetLevelRequest", "logging/setLevel", [{ level: "notice" }], [{}, { level: "loud" }]],
  [
    "TY-33 LoggingMessageNotification",
    "notifications/message",
    [
      { level: "info", data: null },
      { level: "info", logger: "l", data: 0 },
    ],
    [{ level: "info", logger: 1, data: 0 }],
  ],
  [
    "TY-34 ProgressNotification",
    "notifications/progress",
    [{ progressToken: 0, progress: 0.5, total: 1, message: "m" }],
    [{ progress: 1 }, { progressToken: 1, progress: "1" }],
  ],
  ["TY-35 CancelledNotification", "notifications/cancelled", [{ requestId: 0, reason: "r" }], [{ requestId: true }]],
  ["TY-43 ReadResourceRequest", "resources/read", [{ uri: "users/me" }], [{}, { uri: 1 }]],
  ["TY-45 SubscribeRequest", "resources/subscribe", [{ uri: "a:b" }], [{}]],
  ["TY-45 UnsubscribeRequest", "resources/unsubscribe", [{ uri: "a:b" }], [{}]],
  ["TY-46 ResourceUpdatedNotification", "notifications/resources/updated", [{ uri: "a:b" }], [{}]],
  ["TY-47 ResourceListChangedNotification", "notifications/resources/list_changed", [{}], [{ _meta: 1 }]],
  ["TY-51 GetPromptRequest", "prompts/get", [{ name: "p", arguments: { a: "1" } }], [{ name: "p", arguments: { a: 1 } }, {}]],
  ["TY-53 PromptListChangedNotification", "notifications/prompts/list_changed", [{}], [{ _meta: 1 }]],
  [
    "TY-56 CallToolRequest",
    "tools/call",
    [{ name: "t" }, { name: "t", arguments: { a: null } }],
    [{ arguments: {} }, { name: "t", arguments: [] }],
  ],
  ["TY-58 ToolListChangedNotification", "notifications/tools/list_changed", [{}], [{ _meta: 1 }]],
  [
    "TY-59 CompleteRequest",
    "completion/complete",
    [
      { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } },
      { ref: { type: "ref/resource", uri: "a:{b}" }, argument: { name: "b", value: "x" }, context: { arguments: { a: "1" } } },
    ],
    [
      { ref: { type: "ref/other" }, argument: { name: "a", value: "" } },
      { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a" } },
    ],
  ],
  [
    "TY-70 L2.2 CreateMessageRequest",
    "sampling/createMessage",
    [ask({ systemPrompt: "s", temperature: 0, stopSequences: [], metadata: { a: null } })],
    [ask({ maxTokens: undefined }), ask({ messages: "hi" })],
  ],
  [
    "TY-74 TY-75 TY-76 SamplingMessage: one block or several",
    "sampling/createMessage",
    [message(IMAGE), message([TEXT, USE])],
    [message({ type: "video" }), ask({ messages: [{ role: "system", content: TEXT }] })],
  ],
  ["TY-77 ToolUseContent", "sampling/createMessage", [message(USE)], [message({ ...USE, input: 1 }), message({ ...USE, id: undefined })]],
  [
    "TY-79 ToolChoice",
    "sampling/createMessage",
    [ask({ toolChoice: { mode: "required" } }), ask({ toolChoice: {} })],
    [ask({ toolChoice: { mode: "some" } })],
  ],
  ["TY-81 IncludeContext", "sampling/createMessage", [ask({ includeContext: "none" })], [ask({ includeContext: "everything" })]],
  [
    "TY-82 ModelPreferences, ModelHint",
    "sampling/createMessage",
    [ask({ modelPreferences: { hints: [{ name: "m" }, {}], costPriority: 0, speedPriority: 1 } })],
    [ask({ modelPreferences: { costPriority: 2 } }), ask({ modelPreferences: { hints: [{ name: 1 }] } })],
  ],
  [
    "TY-83 TY-85 ElicitRequestFormParams: no mode is a form",
    "elicitation/create",
    [FORM, { mode: "form", ...FORM }],
    [{ message: "m" }, { ...FORM, requestedSchema: { type: "object" } }],
  ],
  [
    "TY-84 ElicitRequestURLParams",
    "elicitation/create",
    [{ mode: "url", message: "m", url: "https://a.example", elicitationId: "1" }],
    [{ mode: "url", message: "m", elicitationId: "1" }],
  ],
  ["TY-87 ElicitCompleteNotification", "notifications/elicitation/complete", [{ elicitationId: "1" }], [{}]],
  ["TY-89 RootsListChangedNotification", "notifications/roots/list_changed", [{}], [{ _meta: 1 }]],
];

const RESULTS: readonly Row[] = [
  ["TY-21 InitializeResult", "initialize", [welcome({}), welcome({ instructions: "i" })], [welcome({ serverInfo: undefined })]],
  [
    "TY-25 TY-28 ServerCapabilities: empty objects are there",
    "initialize",
    [welcome({ capabilities: { logging: {}, completions: {}, prompts: {}, resources: {}, tools: {}, experimental: {} } })],
    [welcome({ capabilities: { logging: true } })],
  ],
  [
    "TY-26 PromptsCapability, ToolsCapability, ResourcesCapability",
    "initialize",
    [welcome({ capabilities: { resources: { subscribe: true, listChanged: false } } })],
    [welcome({ capabilities: { resources: { subscribe: 1 } } })],
  ],
  [
    "TY-40 Resource",
    "resources/list",
    [resource({ title: "R", description: "d", mimeType: "text/plain", size: 0, icons: [], _meta: {} })],
    [resource({ size: "big" }), { resources: [{ uri: "a:b" }] }],
  ],
  [
    "TY-08 TY-41 ListResourcesResult",
    "resources/list",
    [{ resources: [] }, { resources: [], nextCursor: "" }],
    [{}, { resources: [], nextCursor: 1 }],
  ],
  [
    "TY-42 ListResourceTemplatesResult",
    "resources/templates/list",
    [{ resourceTemplates: [{ uriTemplate: "a:{b}", name: "t" }] }],
    [{ resourceTemplates: [{ name: "t" }] }],
  ],
  [
    "TY-43 TY-44 ReadResourceResult: text, also empty, or bytes",
    "resources/read",
    [
      {
        contents: [
          { uri: "a:b", text: "" },
          { uri: "a:b", blob: "AA==" },
        ],
      },
    ],
    [{ contents: [{ uri: "a:b" }] }],
  ],
  [
    "TY-48 Annotations",
    "resources/list",
    [resource({ annotations: { audience: ["user"], priority: 1, lastModified: "2025-01-12T15:00:58Z" } })],
    [resource({ annotations: { priority: 2 } }), resource({ annotations: { audience: ["model"] } })],
  ],
  [
    "TY-50 ListPromptsResult",
    "prompts/list",
    [{ prompts: [{ name: "p", arguments: [{ name: "a", required: true }] }] }],
    [{ prompts: [{ arguments: [] }] }],
  ],
  [
    "TY-52 GetPromptResult",
    "prompts/get",
    [{ description: "d", messages: [{ role: "assistant", content: TEXT }] }],
    [{ messages: [{ role: "assistant", content: [TEXT] }] }],
  ],
  [
    "TY-54 Tool",
    "tools/list",
    [tool({ title: "T", outputSchema: { type: "object" }, annotations: { readOnlyHint: true }, execution: { taskSupport: "optional" } })],
    [tool({ inputSchema: undefined }), tool({ inputSchema: { type: "string" } })],
  ],
  ["TY-55 ListToolsResult", "tools/list", [{ tools: [] }], [{}]],
  [
    "TY-57 CallToolResult",
    "tools/call",
    [said(TEXT), { content: [], structuredContent: {}, isError: true }],
    [{ content: "t" }, { content: [], isError: "no" }],
  ],
  [
    "TY-60 CompleteResult",
    "completion/complete",
    [{ completion: { values: [], total: 0, hasMore: false } }],
    [{ completion: { values: [1] } }],
  ],
  ["TY-71 CreateMessageResult", "sampling/createMessage", [answer({ stopReason: "whatever" })], [answer({ model: undefined })]],
  [
    "TY-80 StopReason",
    "sampling/createMessage",
    ["endTurn", "stopSequence", "maxTokens", "toolUse", "of another provider"].map((stopReason) => answer({ stopReason })),
    [answer({ stopReason: 1 })],
  ],
  [
    "TY-72 CreateMessageResultWithTools",
    "sampling/createMessage",
    [answer({ content: [USE], stopReason: "toolUse" })],
    [answer({ content: [{ type: "tool_use" }] })],
  ],
  [
    "TY-86 ElicitResult",
    "elicitation/create",
    [{ action: "accept", content: { a: "1", b: 2, c: true, d: ["e"] } }, { action: "decline" }],
    [{ action: "maybe" }, { action: "accept", content: { a: {} } }],
  ],
  ["TY-88 ListRootsResult, Root", "roots/list", [{ roots: [{ uri: "file:///a", name: "a", _meta: {} }] }], [{ roots: [{ name: "a" }] }]],
  [
    "TY-91 content blocks",
    "tools/call",
    [
      said(
        TEXT,
        IMAGE,
        { ...IMAGE, type: "audio" },
        { type: "resource_link", uri: "a:b", name: "r" },
        { type: "resource", resource: { uri: "a:b", text: "" } },
      ),
    ],
    [said({ type: "image", data: "AA==" })],
  ],
  [
    "TY-92 Icon",
    "resources/list",
    [resource({ icons: [{ src: "data:,", mimeType: "image/png", sizes: ["any"], theme: "dark" }] })],
    [resource({ icons: [{ src: "data:,", theme: "blue" }] }), resource({ icons: [{}] })],
  ],
];

describe("what arrives with a request or a notification", () => {
  test.each(PARAMS)("%s (%s)", (_, method, accepted, refused) => {
    for (const params of accepted) expect(codec.decodeParams(method, params)).toEqual(params);
    for (const params of refused) expect(() => codec.decodeParams(method, params)).toThrow(expect.objectContaining({ code: -32602 }));
  });
});

describe("what arrives as a result", () => {
  test.each(RESULTS)("%s (%s)", (_, method, accepted, refused) => {
    for (const result of accepted) expect(codec.decodeResult(method, result)).toEqual(result);
    for (const result of refused) expect(() => codec.decodeResult(method, result)).toThrow(expect.objectContaining({ code: -32600 }));
  });
});

test.each([
  ["2025-11-25", 101, true], // its schema has no limit
  ["2026-07-28", 100, true],
  ["2026-07-28", 101, false],
] as const)("a CompleteResult of %s with %i values is accepted: %s [TY-60]", (version, count, isAccepted) => {
  const own = codecFor(version);
  const completion = { values: Array.from({ length: count }, String) };
  const result = { ...(own.stateless && { resultType: "complete" }), completion };
  const read = (): JsonObject => own.decodeResult("completion/complete", result);
  if (isAccepted) expect(read()).toMatchObject({ completion });
  else expect(read).toThrow(expect.objectContaining({ code: -32600 }));
});

test("TY-30 CV-01 CV-02 ping goes either way; a member spelled otherwise is not that member", () => {
  expect([codec.hasRequest("ping", "client"), codec.hasRequest("ping", "server")]).toEqual([true, true]);
  expect(() => codec.decodeParams("initialize", { protocol_version: "2025-11-25", capabilities: {}, client_info: INFO })).toThrow(
    "Invalid request parameters",
  );
});
