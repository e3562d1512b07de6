/** Spans of a call on both sides: names, attributes, parents, and what becomes of failures. Over transports and revisions. */
import { context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { expect, it } from "vitest";
import { McpError, type McpServer, ToolError, type Client, type ConnectOptions, type JsonObject } from "tenon";
import type { CallOptions } from "tenon/client";
import { otel, withSpan } from "tenon/otel";
import { describeMatrix } from "../support/matrix.ts";
import { lineage, recording } from "./recording.ts";
import { testServer } from "../support/test-server.ts";

const recorded = recording();

/** Calls of the tool that waits. */
let entered = 0;

/** Says, from inside its handler, which span is active and what came in `_meta`. */
function traced(): McpServer {
  const server = testServer({ onError: () => undefined });
  server.use(otel());
  server.tool("where", {}, async (_input, ctx) => {
    await Promise.resolve();
    const { traceId, spanId } = trace.getSpanContext(context.active()) ?? { traceId: "", spanId: "" };
    const baggage = propagation.getActiveBaggage()?.getEntry("user")?.value ?? "";
    return { traceId, spanId, baggage, meta: { ...ctx.meta } };
  });
  server.tool("part", {}, () => withSpan("part", { n: 1 }, () => Promise.resolve("done")));
  server.tool("fails", { input: { type: "object", properties: { how: { type: "string" } }, required: ["how"] } }, (input) => {
    const { how } = input as { how: string }; // its schema says so
    if (how === "tool") throw new ToolError("no such seat");
    if (how === "result") return { content: [{ type: "text", text: "no" }], isError: true };
    if (how === "protocol") throw new McpError(1001, "not today");
    throw new TypeError("a secret path");
  });
  server.tool("waits", {}, (_input, { signal }) => {
    entered++;
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  });
  server.resource("file:///a", { name: "a" }, () => "text");
  server.prompt("greet", {}, () => "hello");
  return server;
}

const quiet: ConnectOptions = { middleware: [otel()], validateOutput: false };
interface Where {
  readonly traceId: string;
  readonly spanId: string;
  readonly baggage: string;
  readonly meta: JsonObject;
}

async function where(client: Client, options?: CallOptions): Promise<Where> {
  return JSON.parse((await client.callTool("where", {}, options)).text) as Where; // what that tool returns
}

describeMatrix("Spans", ({ connect, stateless, revision, transport }) => {
  const attributes = (more: JsonObject): JsonObject => ({
    "mcp.protocol.version": revision,
    "jsonrpc.request.id": expect.stringMatching(/^\d+$/) as string,
    ...(transport === "fetch" || transport === "socket" ? { "network.transport": "tcp" } : {}),
    ...more,
  });
  /** A client also says which server it calls. */
  const outgoing = (more: JsonObject): JsonObject =>
    attributes({
      ...(transport === "fetch" && { "server.address": "localhost", "server.port": 80 }),
      ...(transport === "socket" && { "server.address": "127.0.0.1", "server.port": expect.any(Number) as number }),
      ...more,
    });

  it("a call is a client span, the server's its child, handlers within [OT-01 OT-02 OT-03 CF-18 OT-05 XT-23 BS-15]", async () => {
    const client = await connect(traced(), quiet);
    const { result, caller } = await recorded.calling(() => where(client));
    const [ours, theirs] = [recorded.one("MCP send tools/call where"), recorded.one("tools/call where")];
    expect(lineage(ours)).toEqual({ traceId: caller.traceId, parent: caller.spanId });
    expect(lineage(theirs)).toEqual({ traceId: caller.traceId, parent: ours.spanContext().spanId });
    expect(result).toMatchObject({ traceId: caller.traceId, spanId: theirs.spanContext().spanId });
    const tool = { "mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "where" };
    expect(ours.attributes).toEqual(outgoing(tool));
    expect(theirs.attributes).toEqual(attributes(tool));
    expect(ours.attributes["jsonrpc.request.id"]).toBe(theirs.attributes["jsonrpc.request.id"]);
    expect([ours.kind, theirs.kind]).toEqual([SpanKind.CLIENT, SpanKind.SERVER]);
    expect([ours.status.code, theirs.status.code]).toEqual([SpanStatusCode.UNSET, SpanStatusCode.UNSET]);
    expect(theirs.instrumentationScope.name).toBe("tenon");
  });

  it("a connection's first request is traced too, and lists, resources and prompts by their subject [OT-01 BS-15]", async () => {
    const client = await connect(traced(), quiet);
    const opening = stateless ? "server/discover" : "initialize";
    expect(lineage(recorded.one(opening)).parent).toBe(recorded.one(`MCP send ${opening}`).spanContext().spanId);
    await client.listTools();
    await client.readResource("file:///a");
    await client.getPrompt("greet");
    expect(recorded.one("MCP send tools/list").attributes).toEqual(outgoing({ "mcp.method.name": "tools/list" }));
    expect(recorded.one("resources/read").attributes).toMatchObject({ "mcp.resource.uri": "file:///a" });
    expect(recorded.one("prompts/get greet").attributes).toMatchObject({ "gen_ai.prompt.name": "greet" });
  });

  it("concurrent calls of different callers do not mix [OT-03]", async () => {
    const client = await connect(traced(), quiet);
    const calls = Array.from({ length: 20 }, () => recorded.calling(() => where(client)));
    const answered = await Promise.all(calls);
    for (const { result, caller } of answered) expect(result.traceId).toBe(caller.traceId);
    expect(new Set(answered.map(({ result }) => result.spanId)).size).toBe(20);
  });

  it("the trace joins what else is in _meta, and one that the caller gave stays his [CF-21 OT-04 CL-23 A3.11]", async () => {
    const client = await connect(traced(), quiet);
    const { result, caller } = await recorded.calling(() =>
      where(client, { meta: { "a.example/b": null }, onProgress: () => undefined }),
    );
    const { meta } = result;
    expect(meta).toMatchObject({
      "a.example/b": null,
      traceparent: expect.stringMatching(`^00-${caller.traceId}-[0-9a-f]{16}-01$`) as string,
    });
    expect(meta["progressToken"]).toEqual(expect.any(Number));
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const own = await where(client, { meta: { traceparent } });
    expect(own.meta).toMatchObject({ traceparent });
    expect(own.meta).not.toHaveProperty("tracestate");
    expect(own.traceId).toBe("0af7651916cd43dd8448eb211c80319c");
  });

  it("baggage travels [A3.11]", async () => {
    const client = await connect(traced(), quiet);
    const baggage = propagation.createBaggage({ user: { value: "Ada Lovelace" } });
    const result = await context.with(propagation.setBaggage(context.active(), baggage), () => where(client));
    expect(result.baggage).toBe("Ada Lovelace");
  });

  it("withSpan is a part of the handler's span", async () => {
    const client = await connect(traced(), quiet);
    expect((await client.callTool("part")).text).toBe("done");
    expect(lineage(recorded.one("part")).parent).toBe(recorded.one("tools/call part").spanContext().spanId);
    expect(recorded.one("part").attributes).toEqual({ n: 1 });
  });

  it.each([
    ["tool", { type: "tool_error", message: "no such seat" }],
    ["result", { type: "tool_error", message: undefined }],
    ["bug", { type: "tool_error", message: "a secret path", exception: "TypeError" }],
  ])("a tool that fails is marked on both sides, only the server's says how: %s [OT-02]", async (how, failure) => {
    const client = await connect(traced(), quiet);
    expect(await client.callTool("fails", { how })).toMatchObject({ isError: true });
    const [ours, theirs] = [recorded.one("MCP send tools/call fails"), recorded.one("tools/call fails")];
    expect(ours.attributes).toMatchObject({ "error.type": "tool_error" });
    expect(ours.attributes).not.toHaveProperty("rpc.response.status_code");
    expect(ours.status.code).toBe(SpanStatusCode.ERROR);
    expect(theirs.attributes).toMatchObject({ "error.type": failure.type });
    expect(theirs.status).toEqual({
      code: SpanStatusCode.ERROR,
      ...(failure.message !== undefined && { message: failure.message }),
    });
    expect(theirs.events.map((event) => event.attributes?.["exception.type"])).toEqual(
      "exception" in failure ? [failure.exception] : [],
    );
    expect(JSON.stringify([ours.status, ours.events])).not.toContain("secret");
  });

  it("errors of the protocol are marked with the code that the wire carries [OT-02 BS-19]", async () => {
    const client = await connect(traced(), quiet);
    const missing = await client.readResource("file:///none").catch((error: unknown) => error as McpError);
    await client.callTool("fails", { how: "protocol" }).catch(() => undefined);
    const code = String((missing as McpError).code);
    for (const name of ["MCP send resources/read", "resources/read"]) {
      expect(recorded.one(name).attributes).toMatchObject({ "error.type": code, "rpc.response.status_code": code });
    }
    for (const name of ["MCP send tools/call fails", "tools/call fails"]) {
      expect(recorded.one(name).attributes).toMatchObject({ "error.type": "1001", "rpc.response.status_code": "1001" });
      expect(recorded.one(name).status).toEqual({ code: SpanStatusCode.ERROR, message: "not today" });
    }
    await client.callTool("fails", {}).catch(() => undefined);
    const invalid = recorded.spans.filter((span) => span.name === "tools/call fails").at(-1)!;
    expect(invalid.attributes["error.type"]).toBe("tool_error");
  });

  it("a call that is given up ends its spans: it is an error of the caller's, and none of the server's [OT-02]", async () => {
    const client = await connect(traced(), quiet);
    const abort = new AbortController();
    const before = entered;
    const call = client.callTool("waits", {}, { signal: abort.signal });
    await expect.poll(() => entered).toBe(before + 1);
    abort.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await expect.poll(() => recorded.one("tools/call waits")).toBeDefined();
    expect(recorded.one("MCP send tools/call waits").attributes).toMatchObject({ "error.type": "cancelled" });
    const theirs = recorded.one("tools/call waits");
    expect(theirs.events.map((event) => event.name)).toEqual(["mcp.request.cancelled"]);
    expect(theirs.status.code).toBe(SpanStatusCode.UNSET);
  });

  it("a timeout is recorded as a timeout, with any code [OT-02 BS-18]", async () => {
    const client = await connect(traced(), quiet);
    await expect(client.callTool("waits", {}, { timeout: 0 })).rejects.toThrow("timed out");
    const span = recorded.one("MCP send tools/call waits");
    expect(span.attributes).toMatchObject({ "error.type": "timeout" });
    expect(span.attributes).not.toHaveProperty("rpc.response.status_code");
    expect(span.status.message).toContain("timed out after 0 ms");
  });

  it("a connection that ends is the error's type [OT-02 BS-23]", async () => {
    const client = await connect(traced(), quiet);
    const failure = expect(client.callTool("waits")).rejects.toThrow("Connection closed");
    await client.close();
    await failure;
    expect(recorded.one("MCP send tools/call waits").attributes).toMatchObject({ "error.type": "ConnectionClosedError" });
  });
});

describeMatrix("Spans of what a server asks", ({ connect, stateless }) => {
  const answer = { role: "assistant" as const, content: { type: "text" as const, text: "42" }, model: "m" };
  function asking(): McpServer {
    const server = testServer();
    server.use(otel());
    server.tool("ask", {}, async (_input, ctx) => {
      await ctx.progress(1);
      await ctx.log.info("asking");
      return (await ctx.sample("model", { messages: [], maxTokens: 9 })).model;
    });
    return server;
  }

  it("its question is the call's child, the answer the question's, and its logs name the call [OT-03 OT-05]", async () => {
    const seen: (JsonObject | undefined)[] = [];
    let inside = "";
    const client = await connect(asking(), {
      ...quiet,
      logLevel: "info",
      onSample: () => {
        inside = trace.getSpanContext(context.active())?.spanId ?? "";
        return answer;
      },
      onMessage: ({ method, params }) =>
        void seen.push({ method, traceparent: (params["_meta"] as JsonObject | undefined)?.["traceparent"] }),
    });
    const { result, caller } = await recorded.calling(() => client.callTool("ask", {}, { onProgress: () => undefined }));
    expect(result.text).toBe("m");
    const answered = recorded.one("sampling/createMessage");
    expect(answered.spanContext()).toMatchObject({ spanId: inside, traceId: caller.traceId });
    expect(answered.kind).toBe(SpanKind.SERVER);
    const calls = recorded.spans.filter((span) => span.name === "tools/call ask");
    const log = seen.find((message) => message?.["method"] === "notifications/message");
    expect(log?.["traceparent"]).toContain(calls[0]!.spanContext().spanId);
    expect(
      seen.filter((message) => message?.["method"] === "notifications/progress").map((message) => message?.["traceparent"]),
    ).not.toContainEqual(expect.any(String));
    if (stateless) {
      expect(calls).toHaveLength(2); // one a round
      expect(answered.attributes).not.toHaveProperty("jsonrpc.request.id");
      expect(lineage(answered).parent).toBe(caller.spanId);
      return;
    }
    const asked = recorded.one("MCP send sampling/createMessage");
    expect(lineage(asked).parent).toBe(calls[0]!.spanContext().spanId);
    expect(lineage(answered).parent).toBe(asked.spanContext().spanId);
    expect(answered.attributes["jsonrpc.request.id"]).toBe(asked.attributes["jsonrpc.request.id"]);
  });

  it("a client that fails or refuses to answer is marked on both sides [OT-02]", async () => {
    const client = await connect(asking(), {
      ...quiet,
      onSample: () => {
        throw new McpError(-1, "User rejected");
      },
    });
    await client.callTool("ask").catch(() => undefined);
    const answered = recorded.one("sampling/createMessage");
    expect(answered.attributes).toMatchObject({ "error.type": "-1", ...(stateless ? {} : { "rpc.response.status_code": "-1" }) });
    if (!stateless)
      expect(recorded.one("MCP send sampling/createMessage").attributes).toMatchObject({ "rpc.response.status_code": "-1" });
  });
});
