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
const PAGE = { mode: "url", message: "m", url: "https://a.example", elicitationId: "1" };

const hello = (part: JsonObject): JsonObject => ({ protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO, ...part });
const welcome = (part: JsonObject): JsonObject => ({
  protocolVersion: "2025-11-25",
  capabilities: {},
  serverInfo: INFO,
  ...part,
});
const resource = (part: JsonObject): JsonObject => ({ resources: [{ uri: "a:b", name: "r", ...part }] });
const tool = (part: JsonObject): JsonObject => ({ tools: [{ name: "t", inputSchema: { type: "object" }, ...part }] });
const said = (...content: unknown[]): JsonObject => ({ content });
const ask = (part: JsonObject): JsonObject => ({ messages: [{ role: "user", content: TEXT }], maxTokens: 1, ...part });
const message = (content: unknown): JsonObject => ask({ messages: [{ role: "assistant", content }] });
const answer = (part: JsonObject): JsonObject => ({ role: "assistant", content: TEXT, model: "m", ...part });

type Row = readonly [title: string, method: string, accepted: readonly JsonObject[], refused: readonly JsonObject[]];

const PARAMS: readonly Row[] = [
  ["a request without members, either way [TY-07 TY-08 TY-30]", "ping", [{}, { _meta: {} }], [{ _meta: 1 }]],
  [
    "a progress token is a string or an integer [TY-09 TY-10]",
    "tools/list",
    [{ _meta: { progressToken: 0 } }, { _meta: { progressToken: "a", x: 1 } }],
    [{ _meta: { progressToken: true } }],
  ],
  ["InitializeRequest [TY-20]", "initialize", [hello({})], [hello({ clientInfo: undefined }), hello({ protocolVersion: 1 })]],
  ["InitializedNotification [TY-22]", "notifications/initialized", [{}], [{ _meta: [] }]],
  [
    "Implementation [TY-23]",
    "initialize",
    [hello({ clientInfo: { ...INFO, title: "N", description: "d", websiteUrl: "https://a.example", icons: [] } })],
    [hello({ clientInfo: { name: "n" } })],
  ],
  [
    "ClientCapabilities [TY-24 A6.6]",
    "initialize",
    [hello({ capabilities: { experimental: { x: {} }, sampling: {}, elicitation: {}, roots: {} } })],
    [hello({ capabilities: { experimental: { x: 1 } } })],
  ],
  [
    "RootsCapability [TY-26]",
    "initialize",
    [hello({ capabilities: { roots: { listChanged: false } } })],
    [hello({ capabilities: { roots: { listChanged: "yes" } } })],
  ],
  [
    "SamplingCapability [TY-27]",
    "initialize",
    [hello({ capabilities: { sampling: { context: {}, tools: {} } } })],
    [hello({ capabilities: { sampling: { tools: true } } })],
  ],
  [
    "ElicitationCapability [TY-29]",
    "initialize",
    [hello({ capabilities: { elicitation: { form: {}, url: {} } } }), hello({ capabilities: { elicitation: {} } })],
    [{ url: 1 }, { form: true }, [], "form"].map((elicitation) => hello({ capabilities: { elicitation } })),
  ],
  ["SetLevelRequest [TY-31]", "logging/setLevel", [{ level: "notice" }], [{}, { level: "loud" }]],
  [
    "LoggingMessageNotification [TY-33]",
    "notifications/message",
    [
      { level: "info", data: null },
      { level: "info", logger: "l", data: 0 },
    ],
    [{ level: "info", logger: 1, data: 0 }],
  ],
  [
    "ProgressNotification [TY-34]",
    "notifications/progress",
    [{ progressToken: 0, progress: 0.5, total: 1, message: "m" }],
    [
      { progress: 1 },
      { progressToken: 1 },
      { progressToken: true, progress: 1 },
      { progressToken: 1, progress: "1" },
      { progressToken: 1, progress: 1, total: "2" },
      { progressToken: 1, progress: 1, message: 1 },
    ],
  ],
  ["CancelledNotification [TY-35]", "notifications/cancelled", [{ requestId: 0, reason: "r" }], [{ requestId: true }]],
  ["ReadResourceRequest [TY-43]", "resources/read", [{ uri: "users/me" }], [{}, { uri: 1 }]],
  ["SubscribeRequest [TY-45]", "resources/subscribe", [{ uri: "a:b" }], [{}]],
  ["UnsubscribeRequest [TY-45]", "resources/unsubscribe", [{ uri: "a:b" }], [{}]],
  ["ResourceUpdatedNotification [TY-46]", "notifications/resources/updated", [{ uri: "a:b" }], [{}]],
  ["ResourceListChangedNotification [TY-47]", "notifications/resources/list_changed", [{}], [{ _meta: 1 }]],
  ["GetPromptRequest [TY-51]", "prompts/get", [{ name: "p", arguments: { a: "1" } }], [{ name: "p", arguments: { a: 1 } }, {}]],
  ["PromptListChangedNotification [TY-53]", "notifications/prompts/list_changed", [{}], [{ _meta: 1 }]],
  [
    "CallToolRequest [TY-56]",
    "tools/call",
    [{ name: "t" }, { name: "t", arguments: { a: null } }],
    [{ arguments: {} }, { name: "t", arguments: [] }],
  ],
  ["ToolListChangedNotification [TY-58]", "notifications/tools/list_changed", [{}], [{ _meta: 1 }]],
  [
    "CompleteRequest [TY-59]",
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
    "CreateMessageRequest [TY-70 L2.2]",
    "sampling/createMessage",
    [ask({ systemPrompt: "s", temperature: 0, stopSequences: [], metadata: { a: null } })],
    [ask({ maxTokens: undefined }), ask({ messages: "hi" })],
  ],
  [
    "SamplingMessage: one block or several [TY-74 TY-75 TY-76]",
    "sampling/createMessage",
    [message(IMAGE), message([TEXT, USE]), ask({ messages: [{ role: "user", content: [TEXT], _meta: { a: 1 } }] })],
    [
      ...[{ type: "video" }, "text", [TEXT, { type: "video" }], undefined].map(message),
      ...[{ role: "system", content: TEXT }, { content: TEXT }, { role: "user", content: TEXT, _meta: 1 }].map((one) =>
        ask({ messages: [one] }),
      ),
    ],
  ],
  [
    "ToolUseContent [TY-77]",
    "sampling/createMessage",
    [message(USE)],
    [message({ ...USE, input: 1 }), message({ ...USE, id: undefined }), message({ ...USE, name: undefined })],
  ],
  [
    "ToolChoice [TY-79]",
    "sampling/createMessage",
    [ask({ toolChoice: { mode: "required" } }), ask({ toolChoice: {} })],
    [ask({ toolChoice: { mode: "some" } })],
  ],
  [
    "IncludeContext [TY-81]",
    "sampling/createMessage",
    ["none", "thisServer", "allServers"].map((includeContext) => ask({ includeContext })),
    ["everything", "", true, ["none"]].map((includeContext) => ask({ includeContext })),
  ],
  [
    "ModelPreferences, ModelHint [TY-82]",
    "sampling/createMessage",
    [ask({ modelPreferences: { hints: [{ name: "m" }, {}], costPriority: 0, speedPriority: 1 } })],
    [
      ...["costPriority", "speedPriority", "intelligencePriority"].flatMap((name) =>
        [2, -1].map((value) => ask({ modelPreferences: { [name]: value } })),
      ),
      ask({ modelPreferences: { hints: [{ name: 1 }] } }),
    ],
  ],
  [
    "ElicitRequestFormParams: no mode is a form [TY-83 TY-85]",
    "elicitation/create",
    [FORM, { mode: "form", ...FORM }],
    [{ message: "m" }, { ...FORM, requestedSchema: { type: "object" } }],
  ],
  [
    "ElicitRequestURLParams [TY-84]",
    "elicitation/create",
    [PAGE],
    [{ url: undefined }, { url: 1 }, { message: undefined }, { mode: "page" }, { elicitationId: 1 }].map((wrong) => ({
      ...PAGE,
      ...wrong,
    })),
  ],
  ["ElicitCompleteNotification [TY-87]", "notifications/elicitation/complete", [{ elicitationId: "1" }], [{}]],
  ["RootsListChangedNotification [TY-89]", "notifications/roots/list_changed", [{}], [{ _meta: 1 }]],
];

const RESULTS: readonly Row[] = [
  [
    "InitializeResult [TY-21]",
    "initialize",
    [welcome({}), welcome({ instructions: "i" })],
    [welcome({ serverInfo: undefined }), welcome({ capabilities: undefined }), welcome({ protocolVersion: undefined })],
  ],
  [
    "ServerCapabilities: empty objects are there [TY-25 TY-28]",
    "initialize",
    [welcome({ capabilities: { logging: {}, completions: {}, prompts: {}, resources: {}, tools: {}, experimental: {} } })],
    [welcome({ capabilities: { logging: true } })],
  ],
  [
    "PromptsCapability, ToolsCapability, ResourcesCapability [TY-26]",
    "initialize",
    [welcome({ capabilities: { resources: { subscribe: true, listChanged: false } } })],
    [
      welcome({ capabilities: { resources: { subscribe: 1 } } }),
      ...["prompts", "tools", "resources"].map((name) => welcome({ capabilities: { [name]: { listChanged: 1 } } })),
    ],
  ],
  [
    "Resource [TY-40]",
    "resources/list",
    [resource({ title: "R", description: "d", mimeType: "text/plain", size: 0, icons: [], _meta: {} })],
    [resource({ size: "big" }), { resources: [{ uri: "a:b" }] }],
  ],
  [
    "ListResourcesResult [TY-08 TY-41]",
    "resources/list",
    [{ resources: [] }, { resources: [], nextCursor: "" }],
    [{}, { resources: [], nextCursor: 1 }],
  ],
  [
    "ListResourceTemplatesResult [TY-42]",
    "resources/templates/list",
    [{ resourceTemplates: [{ uriTemplate: "a:{b}", name: "t" }] }],
    [{ resourceTemplates: [{ name: "t" }] }, {}, { resourceTemplates: [{ uriTemplate: "a:{b}" }] }],
  ],
  [
    "ReadResourceResult: text, also empty, or bytes [TY-43 TY-44]",
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
    "Annotations [TY-48]",
    "resources/list",
    [resource({ annotations: { audience: ["user"], priority: 1, lastModified: "2025-01-12T15:00:58Z" } })],
    [resource({ annotations: { priority: 2 } }), resource({ annotations: { audience: ["model"] } })],
  ],
  [
    "ListPromptsResult [TY-50]",
    "prompts/list",
    [{ prompts: [{ name: "p", arguments: [{ name: "a", required: true }] }] }],
    [{ prompts: [{ arguments: [] }] }],
  ],
  [
    "GetPromptResult [TY-52]",
    "prompts/get",
    [{ description: "d", messages: [{ role: "assistant", content: TEXT }] }],
    [{ messages: [{ role: "assistant", content: [TEXT] }] }],
  ],
  [
    "Tool [TY-54]",
    "tools/list",
    [
      tool({
        title: "T",
        outputSchema: { type: "object" },
        annotations: { readOnlyHint: true },
        execution: { taskSupport: "optional" },
      }),
    ],
    [tool({ inputSchema: undefined }), tool({ inputSchema: { type: "string" } })],
  ],
  ["ListToolsResult [TY-55]", "tools/list", [{ tools: [] }], [{}]],
  [
    "CallToolResult [TY-57]",
    "tools/call",
    [said(TEXT), { content: [], structuredContent: {}, isError: true }],
    [{ content: "t" }, { content: [], isError: "no" }],
  ],
  [
    "CompleteResult [TY-60]",
    "completion/complete",
    [{ completion: { values: [], total: 0, hasMore: false } }],
    [{ completion: { values: [1] } }],
  ],
  ["CreateMessageResult [TY-71]", "sampling/createMessage", [answer({ stopReason: "whatever" })], [answer({ model: undefined })]],
  [
    "StopReason [TY-80]",
    "sampling/createMessage",
    ["endTurn", "stopSequence", "maxTokens", "toolUse", "of another provider"].map((stopReason) => answer({ stopReason })),
    [answer({ stopReason: 1 })],
  ],
  [
    "CreateMessageResultWithTools [TY-72]",
    "sampling/createMessage",
    [answer({ content: [USE], stopReason: "toolUse" })],
    [
      ...[[{ type: "tool_use" }], [{ ...USE, input: 1 }], [TEXT, { type: "video" }], "text", undefined].map((content) =>
        answer({ content }),
      ),
      ...[{ role: "system" }, { model: 1 }, { stopReason: 1 }].map((wrong) => answer({ content: [USE], ...wrong })),
    ],
  ],
  [
    "ElicitResult [TY-86]",
    "elicitation/create",
    [{ action: "accept", content: { a: "1", b: 2, c: true, d: ["e"] } }, { action: "decline" }],
    [{ action: "maybe" }, { action: "accept", content: { a: {} } }],
  ],
  [
    "ListRootsResult, Root [TY-88]",
    "roots/list",
    [{ roots: [{ uri: "file:///a", name: "a", _meta: {} }] }],
    [{ roots: [{ name: "a" }] }, { roots: [{ uri: "file:///a", name: 1 }] }, {}],
  ],
  [
    "content blocks [TY-91]",
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
    "Icon [TY-92]",
    "resources/list",
    [resource({ icons: [{ src: "data:,", mimeType: "image/png", sizes: ["any"], theme: "dark" }] })],
    [resource({ icons: [{ src: "data:,", theme: "blue" }] }), resource({ icons: [{}] })],
  ],
];

describe("what arrives with a request or a notification", () => {
  test.each(PARAMS)("%s (%s)", (_, method, accepted, refused) => {
    for (const params of accepted) expect(codec.decodeParams(method, params)).toEqual(params);
    for (const params of refused)
      expect(() => codec.decodeParams(method, params)).toThrow(expect.objectContaining({ code: -32602 }));
  });
});

/** Paths of what a user or a program names itself, which may hold anything. */
const OPEN = /\/x$|\/_meta\/|^\/data$|^\/(?:arguments|metadata|content)\/[a-d]$/;

/** The value with one member, wherever it is, that has another type: once for each member. */
function* spoiled(value: unknown, at = ""): Generator<[path: string, value: unknown]> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (OPEN.test(`${at}/${key}`)) continue;
    const put = (other: unknown): unknown =>
      Array.isArray(value)
        ? value.map((one: unknown, index) => (String(index) === key ? other : one))
        : { ...value, [key]: other };
    yield [`${at}/${key}`, put(typeof inner === "boolean" ? "yes" : true)];
    for (const [path, other] of spoiled(inner, `${at}/${key}`)) yield [path, put(other)];
  }
}

describe("each member of another type", () => {
  test.each(PARAMS)("%s (%s)", (_, method, accepted) => {
    const passed = accepted
      .flatMap((params) => [...spoiled(params)])
      .filter(([, params]) => passes(() => codec.decodeParams(method, params as JsonObject)));
    expect(passed.map(([path]) => path)).toEqual([]);
  });
  test.each(RESULTS)("%s (%s)", (_, method, accepted) => {
    const passed = accepted
      .flatMap((result) => [...spoiled(result)])
      .filter(([, result]) => passes(() => codec.decodeResult(method, result as JsonObject)));
    expect(passed.map(([path]) => path)).toEqual([]);
  });
});

function passes(decode: () => unknown): boolean {
  try {
    decode();
    return true;
  } catch {
    return false;
  }
}

describe("what arrives as a result", () => {
  test.each(RESULTS)("%s (%s)", (_, method, accepted, refused) => {
    for (const result of accepted) expect(codec.decodeResult(method, result)).toEqual(result);
    for (const result of refused)
      expect(() => codec.decodeResult(method, result)).toThrow(expect.objectContaining({ code: -32600 }));
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

test("ping goes either way; a member spelled otherwise is not that member [TY-30 CV-01 CV-02]", () => {
  expect([codec.hasRequest("ping", "client"), codec.hasRequest("ping", "server")]).toEqual([true, true]);
  expect(() => codec.decodeParams("initialize", { protocol_version: "2025-11-25", capabilities: {}, client_info: INFO })).toThrow(
    "Invalid request parameters",
  );
});
