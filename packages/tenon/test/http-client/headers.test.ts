// The headers of each request, and the arguments of tools that are repeated in them (requirements E1.2, F2, F3).
import { connect, type HttpServerParameters, type JsonObject } from "tenon";
import { describe, expect, test } from "vitest";
import { closing } from "../support/matrix.ts";
import { quiet, scriptedHttp, stateful, stateless, type Script } from "./scripted-http.ts";

const TEXT = { content: [], resultType: "complete" };
const tool = (name: string, inputSchema: JsonObject): JsonObject => ({ name, inputSchema: { type: "object", ...inputSchema } });
const list = (tools: readonly JsonObject[]): JsonObject => ({ tools, resultType: "complete", ttlMs: 0, cacheScope: "private" });

/** A stateless server with these tools. */
const withTools = (...tools: JsonObject[]): Script =>
  stateless((request, reply) => {
    const { method } = request.message;
    if (method === "tools/list") reply.result(list(tools));
    else if (method === "resources/read") reply.result({ contents: [], resultType: "complete", ttlMs: 0, cacheScope: "private" });
    else if (method === "prompts/get") reply.result({ messages: [], resultType: "complete" });
    else reply.result(TEXT);
  });

const open = (server: string | HttpServerParameters, onError?: (error: Error) => void) =>
  closing(connect(server, { validateOutput: false, ...(onError && { onError }) }));

describe("stateless", () => {
  test("what every request carries, and Mcp-Name for the three methods that have one [B2.1 F1.2 F2.1]", async () => {
    const server = await scriptedHttp(withTools());
    const client = await open(server.url);
    await client.listTools();
    await client.callTool("add");
    await client.readResource("file:///a b");
    await client.getPrompt("Größe");
    for (const { headers, message } of server.requests) {
      expect(headers).toMatchObject({
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": message["method"],
      });
      expect(headers).not.toHaveProperty("mcp-session-id");
    }
    const names = server.requests.map(({ headers }) => headers["mcp-name"]);
    expect(names).toEqual([undefined, undefined, "add", "file:///a b", `=?base64?${Buffer.from("Größe").toString("base64")}?=`]);
  });

  test("arguments are repeated from where they are; absent and null ones are not [F3.1 F3.4]", async () => {
    const server = await scriptedHttp(
      withTools(
        tool("t", {
          properties: {
            region: { type: "string", "x-mcp-header": "Region" },
            level: { type: "integer", "x-mcp-header": "Level" },
            dry: { type: "boolean", "x-mcp-header": "Dry-Run" },
            where: { type: "object", properties: { city: { type: "string", "x-mcp-header": "City" } } },
            empty: { type: "string", "x-mcp-header": "Empty" },
            nothing: { type: "string", "x-mcp-header": "Nothing" },
          },
        }),
      ),
    );
    const client = await open(server.url);
    await client.callTool("t", { region: "first" });
    expect(server.requests.at(-1)!.headers).not.toHaveProperty("mcp-param-region"); // F3.6: nothing is known of it yet
    await client.listTools();
    await client.callTool("t", { region: " padded", level: 42, dry: false, where: { city: "Zürich" }, empty: "", nothing: null });
    const { headers } = server.requests.at(-1)!;
    expect(headers).toMatchObject({
      "mcp-param-region": `=?base64?${Buffer.from(" padded").toString("base64")}?=`,
      "mcp-param-level": "42",
      "mcp-param-dry-run": "false",
      "mcp-param-city": `=?base64?${Buffer.from("Zürich").toString("base64")}?=`,
      "mcp-param-empty": "",
    });
    expect(headers).not.toHaveProperty("mcp-param-nothing");
    for (const where of [1, null, [], { city: { name: "Zürich" } }, {}]) {
      await client.callTool("t", { where });
      expect(Object.keys(server.requests.at(-1)!.headers).filter((name) => name.startsWith("mcp-param"))).toEqual([]);
    }
  });

  test("a tool whose annotations break the rules is left out and reported, the others are not [F3.3]", async () => {
    const bad = { properties: { a: { type: "number", "x-mcp-header": "A" } } };
    const server = await scriptedHttp(withTools(tool("bad", bad), tool("good", {})));
    const errors: string[] = [];
    const client = await open(server.url, ({ message }) => errors.push(message));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["good"]);
    expect(errors).toEqual([expect.stringContaining('"bad"')]);
  });

  test("on -32020 the list is read again and the call made once more, with a new id [F3.6]", async () => {
    let refusals = 0;
    const fresh = tool("t", { properties: { region: { type: "string", "x-mcp-header": "Region" } } });
    const server = await scriptedHttp(
      stateless((request, reply) => {
        if (request.message["method"] === "tools/list") return reply.result(list([fresh]));
        if (request.headers["mcp-param-region"] === "eu") return reply.result(TEXT);
        refusals++;
        return reply.error(-32020, 400);
      }),
    );
    const client = await open(server.url);
    await client.callTool("t", { region: "eu" });
    expect(server.methods).toEqual(["server/discover", "tools/call", "tools/list", "tools/call"]);
    const ids = server.requests.map(({ message }) => message["id"]);
    expect(new Set(ids).size).toBe(4);
    // Once, and not for ever.
    await expect(client.callTool("t", { region: "us" })).rejects.toMatchObject({ code: -32020 });
    expect(refusals).toBe(3);
  });

  test.each([
    ["up to the page with the tool", "t", ["first", "second"]],
    ["to its end if no page has the tool", "gone", ["first", "second", "third"]],
  ])("on -32020 a list of several pages is read %s [F3.6]", async (_how, called, read) => {
    const fresh = (name: string): JsonObject =>
      tool(name, { properties: { region: { type: "string", "x-mcp-header": "Region" } } });
    const pages: Record<string, JsonObject> = {
      first: { ...list([fresh("other"), "no tool" as never]), nextCursor: "second" },
      second: { ...list([fresh("t")]), nextCursor: "third" },
      third: list([]),
    };
    const seen: string[] = [];
    const server = await scriptedHttp(
      stateless((request, reply) => {
        const { method, params } = request.message;
        if (method !== "tools/list") return request.headers["mcp-param-region"] ? reply.result(TEXT) : reply.error(-32020, 400);
        const { cursor = "first" } = params as { cursor?: string };
        seen.push(cursor);
        return reply.result(pages[cursor]!);
      }),
    );
    const client = await open(server.url);
    const call = client.callTool(called, { region: "eu" });
    if (called === "t") expect(await call).toMatchObject({ content: [] });
    else await expect(call).rejects.toMatchObject({ code: -32020 });
    expect(seen).toEqual(read);
  });

  test("on -32020 a list that cannot be read is reported, and the call fails with its own error [F3.6]", async () => {
    const server = await scriptedHttp(
      stateless((request, reply) =>
        request.message["method"] === "tools/list" ? reply.text("no", 500) : reply.error(-32020, 400),
      ),
    );
    const errors: string[] = [];
    const client = await open(server.url, ({ message }) => errors.push(message));
    await expect(client.callTool("t")).rejects.toMatchObject({ code: -32020 });
    expect(errors).toEqual([expect.stringContaining("HTTP 500")]);
    expect(server.methods).toEqual(["server/discover", "tools/call", "tools/list"]);
  });

  test("headers that are more than a server takes are refused before anything is sent [F3.8]", async () => {
    const server = await scriptedHttp(withTools(tool("t", { properties: { a: { type: "string", "x-mcp-header": "A" } } })));
    const client = await open(server.url);
    await client.listTools();
    await expect(client.callTool("t", { a: "x".repeat(9000) })).rejects.toMatchObject({ limit: "mirroredHeaders" });
    expect(server.methods).not.toContain("tools/call");
  });
});

describe("what a client remembers of tools [F3.6 F3.8]", () => {
  const mirrored = { properties: { a: { type: "string", "x-mcp-header": "A" } } };

  test("the headers of a call have 8192 characters at most, names included", async () => {
    const server = await scriptedHttp(withTools(tool("t", mirrored)));
    const client = await open(server.url);
    await client.listTools();
    const most = 8192 - "mcp-param-a".length;
    await client.callTool("t", { a: "x".repeat(most) });
    expect(server.requests.at(-1)!.headers["mcp-param-a"]).toHaveLength(most);
    await expect(client.callTool("t", { a: "x".repeat(most + 1) })).rejects.toMatchObject({
      limit: "mirroredHeaders",
      max: 8192,
      data: { actual: 8193 },
    });
  });

  test("10 000 tools: of those it learns again, and of no further one", async () => {
    const script = stateless(({ message }, reply) => {
      if (message["method"] !== "tools/list") return reply.result(TEXT);
      const page = Number((message["params"] as { cursor?: string }).cursor ?? 0);
      const tools =
        page < 10
          ? Array.from({ length: 1_000 }, (_, index) => tool(`t${page * 1_000 + index}`, mirrored))
          : [tool("t0", mirrored), tool("t10000", mirrored)];
      return reply.result({ ...list(tools), ...(page < 10 && { nextCursor: String(page + 1) }) });
    });
    const server = await scriptedHttp(script);
    const client = await open(server.url);
    for (let cursor: string | undefined, page = 0; page <= 10; page++) {
      ({ nextCursor: cursor } = await client.request("tools/list", cursor === undefined ? {} : { cursor }));
    }
    const headerOf = async (name: string): Promise<unknown> => {
      await client.callTool(name, { a: "x" });
      return server.requests.at(-1)!.headers["mcp-param-a"];
    };
    expect([await headerOf("t0"), await headerOf("t9999"), await headerOf("t10000")]).toEqual(["x", "x", undefined]);
  });

  test("a tool that is listed again without the annotation is called without the header", async () => {
    let schema: JsonObject = mirrored;
    const server = await scriptedHttp(
      stateless(({ message }, reply) =>
        reply.result(message["method"] === "tools/list" ? list([tool("t", schema), { name: 5 } as never]) : TEXT),
      ),
    );
    const client = await open(server.url);
    const headerOf = async (): Promise<unknown> => {
      await client.request("tools/list", {}).catch(() => undefined); // the tool without a name is the codec's error
      await client.callTool("t", { a: "x" });
      return server.requests.at(-1)!.headers["mcp-param-a"];
    };
    expect(await headerOf()).toBe("x");
    schema = {};
    expect(await headerOf()).toBeUndefined();
    schema = { properties: { a: { type: "number", "x-mcp-header": "A" } } };
    expect(await headerOf()).toBeUndefined();
  });

  test("a header without a value is not sent", async () => {
    const server = await scriptedHttp(withTools());
    const client = await open({ url: server.url, headers: { "x-none": undefined, "x-null": null, "x-empty": "" } as never });
    await client.callTool("t");
    expect(server.requests.at(-1)!.headers).toMatchObject({ "x-empty": "" });
    for (const name of ["x-none", "x-null"]) expect(server.requests.at(-1)!.headers).not.toHaveProperty(name);
  });
});

describe("the user's headers", () => {
  test("are sent with every request and never replace ours [F3.8]", async () => {
    const server = await scriptedHttp(withTools());
    const headers = {
      Authorization: "Bearer x",
      "MCP-Protocol-Version": "1",
      "mcp-method": "x",
      "Mcp-Param-A": "x",
      Accept: "text/html",
    };
    const client = await open({ url: server.url, headers });
    await client.callTool("add");
    for (const { headers: sent, message } of server.requests) {
      expect(sent).toMatchObject({
        authorization: "Bearer x",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": message["method"],
      });
      expect(sent.accept).toBe("application/json, text/event-stream");
      expect(sent).not.toHaveProperty("mcp-param-a");
    }
  });

  test("are made for each request where they are a function", async () => {
    let made = 0;
    const server = await scriptedHttp(quiet(stateful((_, reply) => reply.result({ tools: [] }))));
    const client = await open({ url: server.url, headers: () => Promise.resolve({ "x-count": String(++made) }) });
    await client.listTools();
    await server.received("GET");
    expect(new Set(server.requests.map((request) => request.headers["x-count"]))).toEqual(new Set(["1", "2", "3", "4", "5"]));
  });
});

describe("stateful", () => {
  test("no argument is repeated, and no annotation of one leaves a tool out: they are of a newer revision", async () => {
    const properties = { a: { type: "string", "x-mcp-header": "A" }, b: { type: "number", "x-mcp-header": "B" } };
    const answer: Script = stateful(({ message }, reply) =>
      reply.result(message["method"] === "tools/list" ? list([tool("t", { properties })]) : TEXT),
    );
    const server = await scriptedHttp(quiet(answer));
    const client = await open(server.url);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["t"]);
    await client.callTool("t", { a: "x", b: 1 });
    const call = server.requests.find(({ message }) => message["method"] === "tools/call")!;
    expect(Object.keys(call.headers).filter((name) => name.startsWith("mcp-param"))).toEqual([]);
  });

  test.each([
    ["2025-03-26", undefined],
    ["2025-06-18", "2025-06-18"],
    ["2025-11-25", "2025-11-25"],
  ])("%s [E1.2 E5.1 E5.3 E4.2]", async (version, header) => {
    const server = await scriptedHttp(stateful((_, reply) => reply.result({ tools: [] }), { version, sessionId: "s-1" }));
    const client = await open(server.url);
    await client.listTools();
    await client.close();
    await server.received("DELETE");
    for (const { headers, method, message } of server.requests.slice(2)) {
      expect([method, headers["mcp-protocol-version"], headers["mcp-session-id"]]).toEqual([method, header, "s-1"]);
      expect(headers).not.toHaveProperty("mcp-method");
      if (method === "POST") expect(headers.accept).toBe("application/json, text/event-stream");
      if (method === "GET") expect([headers.accept, message]).toEqual(["text/event-stream", {}]);
    }
  });
});

test("a URL with a user name, another scheme or none at all is refused before anything is sent [R21]", async () => {
  for (const url of ["https://user:pw@example.com/mcp", "ftp://example.com/", "javascript:alert(1)", "example.com", ""]) {
    await expect(connect(url)).rejects.toThrow(TypeError);
  }
});
