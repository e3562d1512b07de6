/**
 * What servers in C#, Go, Java, PHP, R and Lua write into results, read by a client and a group: each kind on every revision that
 * has it.
 */
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, ProtocolViolationError, type Client, type ConnectOptions, type Deviation, type JsonObject } from "tenon";
import { tasks } from "tenon/ext/tasks";
import { ClientSessionGroup } from "tenon/group";
import { failureOf } from "../support/failure-of.ts";
import { oddServer, Whole, type OddOptions } from "./odd-server.ts";

const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;
const STATEFUL = REVISIONS.slice(0, 4);
const anything = { type: "object" };

interface Reader {
  readonly client: Client;
  readonly deviations: Deviation[];
  readonly errors: string[];
}

async function readerOf(
  results: { readonly [method: string]: JsonObject | Whole },
  odd: OddOptions = {},
  options: ConnectOptions = {},
): Promise<Reader> {
  const deviations: Deviation[] = [];
  const errors: string[] = [];
  const url = await oddServer((method) => results[method], odd);
  const client = await connect(url, {
    onDeviation: (deviation) => deviations.push(deviation),
    onError: ({ message }) => errors.push(message),
    ...options,
  });
  onTestFinished(() => client.close());
  return { client, deviations, errors };
}

async function toolsOfGroup(tools: unknown, odd: OddOptions = {}): Promise<{ names: string[]; errors: string[] }> {
  const errors: string[] = [];
  const url = await oddServer((method) => (method === "tools/list" ? { tools } : undefined), {
    ...odd,
    opening: { capabilities: { tools: {} }, ...odd.opening },
  });
  const group = await ClientSessionGroup.connect(
    { s: url },
    { readyTimeout: Infinity, reconnect: false, onServerError: (error) => errors.push(error.message) },
  );
  onTestFinished(() => group.close());
  return { names: [...group.tools.values()].map(({ name }) => name.replace("s__", "")), errors };
}

/** Every member of a value that is null, by its path. */
function nullsIn(value: unknown, path = ""): string[] {
  if (value === null) return [path];
  if (typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, member]) => nullsIn(member, `${path}.${key}`));
}

describe.each(REVISIONS)("optional members that are null on %s", (version) => {
  const described = { title: null, description: null, icons: null, _meta: null };
  const lists = {
    "tools/list": {
      tools: [
        {
          name: "t",
          ...described,
          inputSchema: { type: "object", properties: null, required: null },
          outputSchema: null,
          annotations: null,
        },
        {
          name: "u",
          inputSchema: { type: "object", $defs: null, additionalProperties: null, description: null },
          execution: null,
        },
        { name: "v", ...(version > "2024-11-05" && { annotations: { title: null, readOnlyHint: null } }), inputSchema: anything },
      ],
      nextCursor: null,
      _meta: null,
    },
    "resources/list": {
      resources: [{ uri: "a:b", name: "b", ...described, mimeType: null, size: null, annotations: { audience: null } }],
      nextCursor: null,
    },
    "resources/templates/list": {
      resourceTemplates: [{ uriTemplate: "a:{b}", name: "b", ...described, mimeType: null }],
      nextCursor: null,
    },
    "prompts/list": {
      prompts: [{ name: "p", ...described, arguments: [{ name: "x", description: null, required: null }] }],
      nextCursor: null,
    },
  };

  it("are absent in lists [FD-04]", async () => {
    const { client, deviations } = await readerOf(lists, { version });
    const read = [
      await client.listTools(),
      await client.listResources(),
      await client.listResourceTemplates(),
      await client.listPrompts(),
    ];
    expect(nullsIn(read)).toEqual([]);
    expect(read[0]).toMatchObject({ tools: [{ name: "t" }, { name: "u" }, { name: "v" }] });
    expect(deviations.map(({ kind }) => kind)).toEqual(["null"]);
  });

  it("are absent in results [FD-04]", async () => {
    const { client } = await readerOf(
      {
        "tools/call": {
          content: [
            { type: "text", text: "hi", annotations: null, _meta: null },
            { type: "image", data: "aGk=", mimeType: "image/png", annotations: { audience: null, priority: null } },
            { type: "resource", resource: { uri: "a:b", text: "x", blob: null, mimeType: null, _meta: null } },
          ],
          isError: null,
          _meta: null,
        },
        "resources/read": { contents: [{ uri: "a:b", mimeType: null, text: "x", blob: null }] },
        "prompts/get": {
          description: null,
          messages: [{ role: "user", content: { type: "text", text: "x", annotations: null } }],
        },
        "completion/complete": { completion: { values: ["a"], total: null, hasMore: null } },
      },
      { version },
      { validateOutput: false },
    );
    const called = await client.callTool("t");
    const read = [
      called,
      await client.readResource("a:b"),
      await client.getPrompt("p"),
      await client.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name: "x", value: "" } }),
    ];
    expect(nullsIn(read)).toEqual([]);
    expect(called.content).toHaveLength(3);
  });
});

it("null members of a handshake are absent, and of its response too [FD-04 FD-31]", async () => {
  const opening = {
    instructions: null,
    _meta: null,
    capabilities: {
      tools: { listChanged: null },
      resources: { subscribe: null },
      logging: null,
      experimental: null,
      extensions: null,
    },
    serverInfo: { name: "s", version: "1", title: null, websiteUrl: null },
  };
  const { client, deviations } = await readerOf({ ping: new Whole({ result: {}, error: null, method: null }) }, { opening });
  expect(client.initializeResult).toEqual({
    protocolVersion: "2025-06-18",
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: "s", version: "1" },
  });
  await client.ping();
  expect(deviations).toHaveLength(1);
});

describe.each(STATEFUL)("empty lists and objects on %s", (version) => {
  const tools = [
    { name: "a", inputSchema: { type: "object", properties: [], required: {} } },
    { name: "b", inputSchema: anything, annotations: [], _meta: [] },
    { name: "c", inputSchema: { type: "object", properties: { o: { type: "object", properties: [], required: {} } } } },
  ];

  it("are what belongs there, in lists and in the handshake [FD-38]", async () => {
    const opening = { capabilities: { tools: [], prompts: [], experimental: [] } };
    const { client } = await readerOf(
      { "tools/list": { tools, _meta: [] }, ping: new Whole({ result: [] }) },
      { version, opening },
    );
    await client.ping();
    expect((await client.listTools()).tools[0]).toEqual({
      name: "a",
      inputSchema: { type: "object", properties: {}, required: [] },
    });
    expect(client.serverCapabilities).toEqual({ tools: {}, prompts: {}, experimental: {} });
  });

  it("cost a group no tool, at any depth [FD-38]", async () => {
    expect(await toolsOfGroup(tools, { version, opening: { capabilities: { tools: [] } } })).toEqual({
      names: ["a", "b", "c"],
      errors: [],
    });
  });

  it("with entries are wrong [FD-38]", async () => {
    const wrong = { name: "a", inputSchema: { type: "object", properties: [1] } };
    const { client, errors } = await readerOf(
      { "tools/list": { tools: [wrong, { name: "b", inputSchema: anything }] } },
      { version },
    );
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["b"]);
    expect(errors).toEqual([expect.stringMatching(/^"a" is left out: .*inputSchema\.properties is not an object$/)]);
  });
});

it.each(REVISIONS)("true and false are schemas on %s [FD-20]", async (version) => {
  const tools = [
    { name: "any", inputSchema: { type: "object", properties: { value: true, none: false } }, outputSchema: anything },
  ];
  const { client } = await readerOf({ "tools/list": { tools } }, { version });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["any"]);
  expect(await toolsOfGroup(tools, { version })).toEqual({ names: ["any"], errors: [] });
});

it.each(REVISIONS)("a schema of arguments without a type is one of objects on %s [FD-20]", async (version) => {
  const draft = "http://json-schema.org/draft-07/schema#";
  const schemas = [{ $schema: draft }, {}, [], { type: null }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] }];
  const tools = schemas.map((inputSchema, index) => ({ name: `t${index}`, inputSchema }));
  const { client, deviations } = await readerOf({ "tools/list": { tools } }, { version });
  const read = (await client.listTools()).tools.map(({ inputSchema }) => inputSchema);
  expect(read).toEqual([
    { $schema: draft, type: "object" },
    ...[1, 2, 3].map(() => ({ type: "object" })),
    { ...schemas[4], type: "object" },
  ]);
  expect(deviations.map(({ kind }) => kind)).toEqual(["untyped-schema", "empty-list", "null"]);
  expect((await toolsOfGroup(tools, { version })).names).toEqual(tools.map(({ name }) => name));
});

describe("a tool result without content", () => {
  it.each(REVISIONS.slice(2))("has an empty one beside structured content on %s [FD-15]", async (version) => {
    const { client } = await readerOf({ "tools/call": { structuredContent: { a: 1 } } }, { version }, { validateOutput: false });
    expect(await client.callTool("t")).toMatchObject({ content: [], structuredContent: { a: 1 } });
  });

  it("is refused without structured content [FD-15]", async () => {
    const { client } = await readerOf(
      { "tools/call": { resultType: "complete" } },
      { version: "2026-07-28" },
      { validateOutput: false },
    );
    expect((await failureOf(client.callTool("t"))).message).toContain("result.content is missing");
  });
});

describe.each(REVISIONS)("one bad entry of many on %s", (version) => {
  const good = { name: "good", inputSchema: anything };
  const bad = [
    [{ name: "bad", inputSchema: { type: "string" } }, /^"bad" is left out: .*inputSchema\.type is not "object"$/],
    [{ name: "bad" }, /^"bad" is left out: .*inputSchema is missing$/],
    [{ name: "bad", description: 7, inputSchema: anything }, /^"bad" is left out: .*description is not a string$/],
    ["bad", /^an entry is left out: .*is not an object$/],
  ] as const;

  it.each(bad)("is left out of a list and reported by its name: %j [FD-35]", async (tool, report) => {
    const { client, errors, deviations } = await readerOf({ "tools/list": { tools: [good, tool] } }, { version });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["good"]);
    expect(errors).toEqual([expect.stringMatching(report)]);
    expect(deviations).toMatchObject([{ kind: "left-out", method: "tools/list", path: "result.tools[1]" }]);
    expect((await toolsOfGroup([good, tool], { version })).names).toEqual(["good"]);
  });

  it("is left out of a result, and its type says what is missing [FD-35]", async () => {
    const content = [
      { type: "text", text: "hi" },
      { type: "image", data: "aGk=" },
    ];
    const { client, errors } = await readerOf({ "tools/call": { content } }, { version }, { validateOutput: false });
    expect((await client.callTool("t")).content).toEqual([{ type: "text", text: "hi" }]);
    expect(errors).toEqual([expect.stringMatching(/is left out: .*result\.content\[1\]\.mimeType is missing$/)]);
  });

  it("fails the call if nothing else is there, with what its type asks for [FD-35]", async () => {
    const { client } = await readerOf(
      { "tools/call": { content: [{ type: "image", data: "aGk=" }] } },
      { version },
      { validateOutput: false },
    );
    const error = await failureOf(client.callTool("t"));
    expect(error).toBeInstanceOf(ProtocolViolationError);
    expect(error.message).toBe('Malformed result of "tools/call": result.content[0].mimeType is missing');
  });
});

describe("what a list says beside its entries", () => {
  const list = { tools: [{ name: "good", inputSchema: anything }], ttlMs: "soon", cacheScope: "session" };
  const info = { _meta: { "io.modelcontextprotocol/serverInfo": { name: "no version" } } };

  it("and cannot be read is left out, and the list is read [FD-100]", async () => {
    const { client, deviations } = await readerOf({ "tools/list": { ...list, ...info } }, { version: "2026-07-28" });
    const read = await client.listTools();
    expect(read.tools.map(({ name }) => name)).toEqual(["good"]);
    expect([read.ttlMs, read.cacheScope, read._meta]).toEqual([undefined, undefined, {}]);
    expect(new Set(deviations.map(({ kind }) => kind))).toEqual(new Set(["left-out"]));
    const strict = await readerOf({ "tools/list": list }, { version: "2026-07-28" }, { strict: true });
    expect((await failureOf(strict.client.listTools())).message).toContain("result.ttlMs");
  });

  it.each(STATEFUL)("as only newer revisions have it is no matter on %s [FD-100]", async (version) => {
    const newer = { resultType: "complete", ttlMs: 0, cacheScope: "private", tools: list.tools };
    const { client, deviations } = await readerOf({ "tools/list": newer }, { version, opening: { resultType: "complete" } });
    expect((await client.listTools()).tools).toHaveLength(1);
    expect(deviations).toEqual([]);
  });
});

describe("the end of a list", () => {
  const tools = [{ name: "a", inputSchema: anything }];
  const walk = async (client: Client): Promise<string[]> => {
    const names: string[] = [];
    for await (const { name } of client.tools()) names.push(name);
    return names;
  };

  it.each(STATEFUL)("is an empty cursor on %s [FD-05]", async (version) => {
    const { client, deviations } = await readerOf({ "tools/list": { tools, nextCursor: "" } }, { version });
    expect(await walk(client)).toEqual(["a"]);
    expect(await client.listTools()).not.toHaveProperty("nextCursor");
    expect(deviations.map(({ kind }) => kind)).toEqual(["empty-cursor"]);
  });

  it.each(REVISIONS)("is a page that comes again on %s [FD-05]", async (version) => {
    const { client, deviations } = await readerOf(
      { "tools/list": { tools, nextCursor: "x" } },
      { version },
      { cacheResponses: false },
    );
    expect(await walk(client)).toEqual(["a"]);
    expect(deviations.map(({ kind }) => kind)).toEqual(["repeated-page"]);
  });
});

describe("with strict", () => {
  const deviating = [
    ["tools/list", { tools: [{ name: "t", title: null, inputSchema: anything }] }, "result.tools[0].title is null"],
    [
      "tools/list",
      { tools: [{ name: "t", inputSchema: { type: "object", properties: [] } }] },
      "is an empty list, not an object",
    ],
    [
      "tools/list",
      { tools: [{ name: "t", inputSchema: { type: "object", properties: { a: true } } }] },
      'properties["a"] is the schema true',
    ],
    ["tools/list", { tools: [{ name: "t" }, { name: "u", inputSchema: anything }] }, "result.tools[0].inputSchema is missing"],
    ["tools/list", { tools: [], nextCursor: "" }, "result.nextCursor is empty"],
    ["ping", new Whole({ result: {}, error: null }), '"error" of the message is null'],
  ] as const;

  it.each(deviating)("%s is refused if it deviates: %j [FD-04 FD-38 FD-20 FD-35]", async (method, result, problem) => {
    const { client } = await readerOf({ [method]: result }, {}, { strict: true });
    const error = await failureOf(client.request(method, {}));
    expect(error).toBeInstanceOf(ProtocolViolationError);
    expect(error.message).toContain(problem);
  });

  it.each(REVISIONS)("what %s allows is read, with members of other revisions [FD-04]", async (version) => {
    const tools = [
      { name: "t", inputSchema: anything, other: null, ...(version < "2025-03-26" && { annotations: null, title: null }) },
    ];
    const { client } = await readerOf({ "tools/list": { tools } }, { version }, { strict: true });
    expect((await client.listTools()).tools).toHaveLength(1);
  });
});

describe("the result of a task", () => {
  const times = { createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z", ttlMs: null };
  const result = { content: [{ type: "text", text: "hi", annotations: null }], _meta: null };
  const answer = { resultType: "task", taskId: "t", status: "completed", ...times, result };
  const odd = {
    version: "2026-07-28",
    opening: { capabilities: { tools: {}, extensions: { "io.modelcontextprotocol/tasks": {} } } },
  };

  it("is read as that of a call is [FD-04]", async () => {
    const { client, deviations } = await readerOf({ "tools/call": answer }, odd, {
      extensions: [tasks()],
      validateOutput: false,
    });
    expect((await client.callTool("t")).content).toEqual([{ type: "text", text: "hi" }]);
    expect(deviations).toMatchObject([{ kind: "null", method: "tools/call" }]);
  });

  it("is refused by a strict client [FD-04]", async () => {
    const strict = { extensions: [tasks()], validateOutput: false, strict: true };
    const { client } = await readerOf({ "tools/call": answer }, odd, strict);
    expect(await failureOf(client.callTool("t"))).toBeInstanceOf(ProtocolViolationError);
  });
});
