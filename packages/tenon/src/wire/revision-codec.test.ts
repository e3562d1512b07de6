import { describe, expect, test } from "vitest";
import { McpError, ProtocolViolationError, RequestTimeoutError } from "../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import {
  MissingClientCapabilityError,
  ResourceNotFoundError,
  UnsupportedVersionError,
  UrlElicitationRequiredError,
} from "../protocol/errors.ts";
import {
  CLIENT_CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  LOG_LEVEL_KEY,
  PROTOCOL_VERSION_KEY,
  SERVER_INFO_KEY,
} from "../protocol/meta-keys.ts";
import { methodsOf } from "../protocol/methods.ts";
import { STATEFUL_VERSIONS, SUPPORTED_PROTOCOL_VERSIONS, type ProtocolVersion } from "../protocol/versions.ts";
import { STRICT, type Deviation, type Reading } from "./deviations.ts";
import { entryOf } from "./revision.ts";
import { codecFor, REVISIONS } from "./revisions.ts";

const stateless = codecFor("2026-07-28");
const server = { name: "s", version: "1" };
const meta = { [PROTOCOL_VERSION_KEY]: "2026-07-28", [CLIENT_CAPABILITIES_KEY]: {} };

function caught(run: () => unknown): McpError {
  try {
    run();
  } catch (error) {
    if (error instanceof McpError) return error;
    throw error;
  }
  throw new Error("Nothing was thrown");
}

describe.each([...SUPPORTED_PROTOCOL_VERSIONS])("params on %s", (version) => {
  const codec = codecFor(version);

  test("the error names the member that is wrong, and no value of it [CF-08]", () => {
    const error = caught(() => codec.decodeParams("tools/call", { name: { secret: 1 } }));
    expect(error.toErrorData()).toEqual({
      code: -32602,
      message: "Invalid request parameters",
      data: "params.name is not a string",
    });
    expect(error.cause).toBeUndefined();
  });

  test("only wire names count [CV-02]", () => {
    expect(() => codec.decodeParams("notifications/progress", { progress_token: 1, progress: 1 })).toThrow(McpError);
    expect(codec.decodeParams("tools/list", { next_cursor: 5, cursor: "" })).toEqual({ next_cursor: 5, cursor: "" });
  });

  test("params that fit are returned as they are, none as an empty object [A1.12]", () => {
    const params = { name: "a", arguments: { x: null }, other: 1, _meta: { ...meta } };
    expect(codec.decodeParams("tools/call", params)).toBe(params);
    expect(codec.decodeParams("tools/list", undefined)).toEqual({});
  });

  test("methods the revision does not have pass unchecked", () => {
    for (const method of ["x/y", "constructor", "__proto__", "tasks/update"])
      expect(codec.decodeParams(method, { name: 1 })).toEqual({ name: 1 });
    expect(codec.encodeParams("x/y", { task: 1 })).toEqual({ task: 1 });
    expect(codec.encodeResult("x/y", { task: 1, list: [] })).toMatchObject({ task: 1, list: [] });
  });
});

test.each([...SUPPORTED_PROTOCOL_VERSIONS])("every method of %s has shapes for its params and its result", (version) => {
  for (const [method, { kind }] of methodsOf(version)) {
    expect(entryOf(REVISIONS[version], "params", method), method).toBeDefined();
    if (kind !== "notification") expect(entryOf(REVISIONS[version], "results", method), method).toBeDefined();
  }
});

describe("who asks", () => {
  test("the identity is read from `_meta` [A3.4 A3.5 A3.6]", () => {
    const full = { ...meta, [CLIENT_INFO_KEY]: server, [LOG_LEVEL_KEY]: "error", progressToken: 1 };
    expect(stateless.decodeIdentity({ _meta: full })).toEqual({ info: server, capabilities: {}, logLevel: "error" });
    expect(stateless.decodeIdentity({ _meta: meta })).toEqual({ capabilities: {} });
    for (const version of STATEFUL_VERSIONS) expect(codecFor(version).decodeIdentity({ _meta: full })).toBeUndefined();
  });

  test.each([
    undefined,
    {},
    { _meta: {} },
    { _meta: { [PROTOCOL_VERSION_KEY]: "2026-07-28" } },
    { _meta: { ...meta, [CLIENT_CAPABILITIES_KEY]: [] } },
    { _meta: { ...meta, [LOG_LEVEL_KEY]: "loud" } },
    { _meta: { ...meta, [CLIENT_INFO_KEY]: { name: "x" } } },
    { _meta: { [CLIENT_CAPABILITIES_KEY]: {}, [PROTOCOL_VERSION_KEY]: 5 } },
    { _meta: { [CLIENT_CAPABILITIES_KEY]: 5, [PROTOCOL_VERSION_KEY]: "1999-01-01" } },
  ])("%j is -32602, before the version is looked at [A3.7 requirement Z4]", (params) => {
    expect(caught(() => stateless.decodeIdentity(params)).code).toBe(-32602);
  });

  test("every request carries it, under what the caller put there [A3.4 B2.1 K6.2]", () => {
    const client = { info: { name: "c", version: "1" }, capabilities: { tasks: {}, sampling: {} }, logLevel: "info" } as const;
    const first = stateless.encodeRequest("tools/call", { name: "a", _meta: { progressToken: 7, traceparent: "t" } }, client);
    expect(first).toEqual({
      name: "a",
      _meta: {
        [PROTOCOL_VERSION_KEY]: "2026-07-28",
        [CLIENT_CAPABILITIES_KEY]: { sampling: {} },
        [CLIENT_INFO_KEY]: client.info,
        [LOG_LEVEL_KEY]: "info",
        progressToken: 7,
        traceparent: "t",
      },
    });
    const second = stateless.encodeRequest("tools/list", undefined, client);
    expect(second?.["_meta"]).toBe(stateless.encodeRequest("tools/list", {}, client)?.["_meta"]);
    expect(stateless.encodeParams("notifications/cancelled", { requestId: 1 })).toEqual({ requestId: 1 });
    expect(codecFor("2025-11-25").encodeRequest("tools/list", undefined, client)).toBeUndefined();
  });
});

test("an identity has only the members of the revision [A7.4]", () => {
  const icons = [{ src: "data:,", mimeType: "image/png" }];
  const info = { name: "n", version: "1", title: "N", description: "d", websiteUrl: "https://a.example", icons };
  const { name, version, title } = info;
  expect(codecFor("2024-11-05").encodeImplementation(info)).toEqual({ name, version });
  expect(codecFor("2025-03-26").encodeImplementation(info)).toEqual({ name, version });
  expect(codecFor("2025-06-18").encodeImplementation(info)).toEqual({ name, version, title });
  for (const revision of ["2025-11-25", "2026-07-28"] as const)
    expect(codecFor(revision).encodeImplementation(info)).toEqual(info);
});

describe("results", () => {
  test("a stateless result has its kind and the server's identity [A2.1 A3.8]", () => {
    expect(stateless.encodeResult("tools/call", { content: [], _meta: { a: 1 } }, { server })).toEqual({
      resultType: "complete",
      content: [],
      _meta: { a: 1, [SERVER_INFO_KEY]: server },
    });
    expect(stateless.encodeResult("prompts/get", { messages: [] })).toEqual({ resultType: "complete", messages: [] });
    expect(stateless.encodeResult("tools/call", { resultType: "task", taskId: "1", ttlMs: 5 })).toEqual({
      resultType: "task",
      taskId: "1",
      ttlMs: 5,
    });
  });

  test.each(STATEFUL_VERSIONS)("%s has no questions in results, nor tasks: they are not sent [A2.1]", (version) => {
    const codec = codecFor(version);
    expect(codec.encodeResult("tools/call", { resultType: "complete", content: [] })).toEqual({ content: [] });
    const asking = { resultType: "input_required", requestState: "s" };
    expect(() => codec.encodeResult("tools/call", asking)).toThrow(`${version} has no results of type "input_required"`);
  });

  test("only complete results that can be kept say how long [J1]", () => {
    expect(stateless.encodeResult("tools/list", { tools: [] })).toMatchObject({ ttlMs: 0, cacheScope: "private" });
    expect(stateless.encodeResult("resources/read", { contents: [], ttlMs: 9, cacheScope: "public" })).toMatchObject({
      ttlMs: 9,
      cacheScope: "public",
    });
    const asking = { resultType: "input_required", requestState: "s" };
    expect(stateless.encodeResult("resources/read", asking)).toEqual(asking);
  });

  test("answers and questions are bare [A2.5 requirement H3]", () => {
    const answer = { action: "decline" };
    expect(stateless.encodeResult("elicitation/create", answer, { server })).toBe(answer);
    const question = {
      method: "elicitation/create",
      params: { mode: "url", message: "m", url: "https://a", elicitationId: "1", _meta: {} },
    };
    expect(stateless.encodeResult("tools/call", { resultType: "input_required", inputRequests: { q: question } })).toEqual({
      resultType: "input_required",
      inputRequests: { q: { method: "elicitation/create", params: { mode: "url", message: "m", url: "https://a" } } },
    });
  });

  test("a result a revision can say as it is, is not copied [ST-20 A2.4]", () => {
    const result = { content: [{ type: "text", text: "3" }], structuredContent: { sum: 3 } };
    expect(codecFor("2025-11-25").encodeResult("tools/call", result, { server })).toBe(result);
    expect(codecFor("2025-06-18").encodeResult("tools/call", result, { server })).toBe(result);
    expect(stateless.encodeResult("tools/call", result)["content"]).toBe(result.content);
  });

  test.each([...STATEFUL_VERSIONS])(
    "on %s results without content have none, and a kind means nothing [K1.8 A2.4]",
    (version) => {
      const codec = codecFor(version);
      expect(codec.decodeResult("tools/call", {})).toEqual({ content: [] });
      expect(codec.decodeResult("tools/call", { content: [], resultType: "odd" })).toEqual({ content: [], resultType: "odd" });
    },
  );

  test("tool results in sampling without content have none [TY-78]", () => {
    const block = { type: "tool_result", toolUseId: "1" };
    const params = {
      maxTokens: 1,
      messages: [
        { role: "user", content: block },
        { role: "user", content: [block] },
      ],
    };
    const filled = {
      maxTokens: 1,
      messages: [
        { role: "user", content: { ...block, content: [] } },
        { role: "user", content: [{ ...block, content: [] }] },
      ],
    };
    expect(codecFor("2025-11-25").decodeParams("sampling/createMessage", params)).toEqual(filled);
    const asking = { resultType: "input_required", inputRequests: { q: { method: "sampling/createMessage", params } } };
    expect(stateless.decodeResult("tools/call", asking)).toEqual({
      ...asking,
      inputRequests: { q: { method: "sampling/createMessage", params: filled } },
    });
  });

  test("an absent kind is complete [A2.2]", () => {
    expect(stateless.decodeResult("tools/list", { tools: [] })).toEqual({ tools: [] });
  });

  test.each<[string, JsonObject]>([
    ["tools/call", { content: [], resultType: "task" }],
    ["tools/call", { content: [], resultType: null }],
    ["tools/call", { content: [], resultType: 5 }],
    ["tools/call", { resultType: "input_required" }],
    ["tools/call", { resultType: "input_required", inputRequests: { q: { method: "ping", params: {} } } }],
    ["tools/list", { tools: [], resultType: "input_required", requestState: "s" }],
    ["x/y", { resultType: "input_required", requestState: "s" }],
    ["tools/list", { tools: [{}] }],
  ])("%s cannot have the result %j [A2.3 requirement H1 requirement H2]", (method, result) => {
    const error = caught(() => stateless.decodeResult(method, result));
    expect(error).toBeInstanceOf(ProtocolViolationError);
    expect(error.message).toContain(`"${method}"`);
    expect(error.cause).toBeInstanceOf(Error);
  });

  test("a null of the other kind of contents is left out; so is an entry of a list, unless the reading is strict", () => {
    const found: string[] = [];
    const reading = { strict: false, deviated: ({ kind, path }: Deviation) => void found.push(`${kind} ${path}`) };
    const read = (method: string, result: JsonObject, how: Reading): JsonObject =>
      stateless.decodeResult(method, result, undefined, how);
    const contents = { contents: [{ uri: "a://b", text: "x", blob: null }] };
    const tool = { name: "a", inputSchema: { type: "object" } };
    expect(read("resources/read", contents, reading)).toEqual({ contents: [{ uri: "a://b", text: "x" }] });
    expect(read("tools/list", { tools: [{}, tool] }, reading)).toEqual({ tools: [tool] });
    expect(found).toEqual(["left-out result.tools[0]"]);
    expect(caught(() => read("tools/list", { tools: [{}, tool] }, STRICT))).toBeInstanceOf(ProtocolViolationError);
  });

  test("kinds of extensions in use are theirs to check [A2.1]", () => {
    const result = { resultType: "task", taskId: "1" };
    expect(stateless.decodeResult("tools/call", result, new Set(["task"]))).toBe(result);
  });

  test("an explanation is bounded, whatever the peer sent [CF-08]", () => {
    const error = caught(() =>
      codecFor("2025-06-18").decodeResult("prompts/list", {
        prompts: [],
        _meta: { ["x".repeat(10_000)]: 1 },
        nextCursor: { a: 1 },
      }),
    );
    expect(error.message).toBe('Malformed result of "prompts/list": result.nextCursor is not a string');
    const long = caught(() => stateless.decodeResult("tools/call", { resultType: "x".repeat(10_000) }));
    expect(long.message.length).toBeLessThan(600);
  });
});

describe("errors", () => {
  const table: [McpError, Partial<Record<ProtocolVersion, number>>, number][] = [
    [new ResourceNotFoundError("a:b"), { "2026-07-28": -32602 }, -32002],
    [new UrlElicitationRequiredError([]), { "2025-11-25": -32042 }, -32603],
    [new MissingClientCapabilityError({ sampling: {} }), { "2026-07-28": -32021 }, -32600],
    [new UnsupportedVersionError(["2026-07-28"], "x"), { "2026-07-28": -32022 }, -32602],
    [new McpError(-32020, "Header mismatch"), { "2026-07-28": -32020 }, -32600],
    [new RequestTimeoutError("a/b", 5), {}, -32603],
    [new McpError(-32023, "not defined"), { "2026-07-28": -32603 }, -32023],
    [new McpError(-1, "User rejected"), {}, -1],
    [new McpError(-32602, "Bad", { a: 1 }), {}, -32602],
  ];

  test.each(table)("%s [A5.3 A5.4 A5.5]", (error, own, otherwise) => {
    for (const version of SUPPORTED_PROTOCOL_VERSIONS) {
      const { code, message, data } = error.toErrorData();
      const expected = { code: own[version] ?? otherwise, message, ...(data === undefined ? {} : { data }) };
      expect(codecFor(version).encodeError(error), `${code} on ${version}`).toEqual(expected);
    }
  });
});

describe("traits", () => {
  test("batches are legal on one revision [A1.9]", () => {
    expect(SUPPORTED_PROTOCOL_VERSIONS.filter((version) => codecFor(version).acceptsBatches)).toEqual(["2025-03-26"]);
  });

  test("a stateless server asks nothing [A1.10]", () => {
    for (const method of ["ping", "sampling/createMessage", "roots/list", "elicitation/create", "tasks/get"]) {
      expect(stateless.hasRequest(method, "server")).toBe(false);
    }
    expect(codecFor("2025-06-18").hasRequest("elicitation/create", "server")).toBe(true);
    expect(codecFor("2025-06-18").hasRequest("elicitation/create", "client")).toBe(false);
    expect(codecFor("2025-03-26").hasRequest("elicitation/create", "server")).toBe(false);
  });

  test("progress goes both ways only on stateful revisions [requirement G7]", () => {
    expect(stateless.hasNotification("notifications/progress", "client")).toBe(false);
    expect(stateless.hasNotification("notifications/progress", "server")).toBe(true);
    expect(codecFor("2024-11-05").hasNotification("notifications/progress", "client")).toBe(true);
    expect(stateless.hasRequest("notifications/progress", "server")).toBe(false);
  });
});
