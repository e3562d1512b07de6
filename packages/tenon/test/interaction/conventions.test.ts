/** What holds everywhere in the API: names of the wire, signals, overloads, interfaces that users can implement. */
import { getEventListeners } from "node:events";
import { describe, expect, expectTypeOf, it, onTestFinished } from "vitest";
import {
  acceptorOf,
  connect,
  createMemoryPair,
  ErrorCode,
  JsonRpcDispatcher,
  LOGGING_LEVELS,
  McpError,
  McpServer,
  type Client,
  type Clock,
  type ConnectOptions,
  type CreateMessageResult,
  type CreateMessageResultWithTools,
  type JsonObject,
  type RequestContext,
  type Transport,
} from "tenon";
import type { CallOptions } from "tenon/client";
import { failureOf } from "../support/failure-of.ts";
import { closing, describeMatrix, REVISIONS } from "../support/matrix.ts";
import { Recorder } from "tenon/testing";
import { deferred } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

const answer: CreateMessageResult = { role: "assistant", content: { type: "text", text: "yes" }, model: "m" };

/** A server of everything that can be asked for; `onContext` sees what handlers are given. */
function everything(onContext: (context: RequestContext) => void = () => undefined): McpServer {
  const server = new McpServer({ name: "s", version: "1", title: "S" });
  server.use((next) => (context) => {
    onContext(context);
    return next(context);
  });
  server.tool("t", { title: "T", input: { type: "object" }, annotations: { readOnlyHint: true } }, () => ({
    content: [{ type: "text", text: "x", annotations: { priority: 1 } }],
  }));
  server.resource("file:///a", { name: "a", mimeType: "text/plain" }, () => "text");
  server.resourceTemplate("file:///b/{name}", { name: "b" }, () => "text");
  server.prompt(
    "p",
    { input: { type: "object", properties: { city: { type: "string" } } }, complete: { city: () => ["Ulm"] } },
    () => "hello",
  );
  return server;
}

/** Every call of a client that waits for the server. */
const CALLS: Readonly<Record<string, (client: Client, options: CallOptions) => Promise<unknown>>> = {
  request: (client, options) => client.request("tools/list", {}, options),
  callTool: (client, options) => client.callTool("t", {}, options),
  listTools: (client, options) => client.listTools({}, options),
  tools: (client, options) => client.tools(options).next(),
  listResources: (client, options) => client.listResources({}, options),
  resources: (client, options) => client.resources(options).next(),
  listResourceTemplates: (client, options) => client.listResourceTemplates({}, options),
  resourceTemplates: (client, options) => client.resourceTemplates(options).next(),
  readResource: (client, options) => client.readResource("file:///a", options),
  listPrompts: (client, options) => client.listPrompts({}, options),
  prompts: (client, options) => client.prompts(options).next(),
  getPrompt: (client, options) => client.getPrompt("p", {}, options),
  complete: (client, options) =>
    client.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name: "city", value: "U" } }, options),
  listen: (client, options) => client.listen({ tools: true }, options),
};
const STATEFUL_CALLS: typeof CALLS = {
  ping: (client, options) => client.ping(options),
  setLoggingLevel: (client, options) => client.setLoggingLevel("error", options),
  subscribeResource: (client, options) => client.subscribeResource("file:///a", options),
  unsubscribeResource: (client, options) => client.unsubscribeResource("file:///a", options),
};

describe.each(REVISIONS)("on %s the names of properties are those of the wire [CV-01]", (revision) => {
  /** What crossed the wire, and a client at one end of it. */
  async function recorded(server: McpServer, options: ConnectOptions): Promise<{ client: Client; messages: () => JsonObject[] }> {
    const [near, far] = createMemoryPair();
    const recorder = new Recorder(near);
    const dispatcher = new JsonRpcDispatcher(far);
    acceptorOf(server)
      .accept(dispatcher)
      .catch((error: unknown) => dispatcher.close(error));
    const client = await closing(connect(recorder, { revision, cacheResponses: false, validateOutput: false, ...options }));
    return { client, messages: () => recorder.lines.map((line) => (JSON.parse(line) as { message: JsonObject }).message) };
  }

  it("a result is what arrived, params are what was sent", async () => {
    const contexts: RequestContext[] = [];
    const { client, messages } = await recorded(
      everything((context) => void contexts.push(context)),
      { clientInfo: { name: "c", version: "1" } },
    );
    const results = [
      await client.listTools(),
      await client.listResources(),
      await client.listResourceTemplates(),
      await client.listPrompts(),
      await client.readResource("file:///a"),
      await client.getPrompt("p", { city: "Ulm" }),
      await client.request("tools/call", { name: "t" }),
    ];
    for (const result of results) expect(messages().map((message) => message["result"])).toContainEqual(result);
    const asked = messages().filter((message) => typeof message["method"] === "string" && message["id"] !== undefined);
    expect(contexts.map(({ method, params }) => [method, params])).toEqual(
      asked.map(({ method, params = {} }) => [method, params]),
    );
  });

  it("so are the params and results of callbacks", async () => {
    const server = everything();
    server.tool("ask", {}, async (_input, ctx) =>
      JSON.stringify(await ctx.sample("q", { messages: [], maxTokens: 7, systemPrompt: "s" })),
    );
    const asked: unknown[] = [];
    const { client, messages } = await recorded(server, {
      onSample: (params) => {
        asked.push(params);
        return answer;
      },
    });
    expect(JSON.parse((await client.callTool("ask")).text)).toEqual(answer);
    const wire = JSON.stringify(messages());
    expect(asked).toEqual([expect.objectContaining({ messages: [], maxTokens: 7, systemPrompt: "s" })]);
    expect(wire).toContain(JSON.stringify(asked[0]));
    expect(wire).not.toMatch(/"[a-z]+_(?!required|meta)[a-z_]+":/); // no name in snake case
  });
});

describeMatrix("signals [CV-07]", ({ connect, stateless }) => {
  const calls = Object.entries({ ...CALLS, ...(stateless ? {} : STATEFUL_CALLS) });

  it.each(calls)("%s takes one that was aborted before, and asks nothing", async (_name, call) => {
    const methods: string[] = [];
    const client = await connect(everything(({ method }) => void methods.push(method)));
    methods.length = 0;
    const reason = new Error("not wanted");
    await expect(call(client, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(methods).toEqual([]);
  });

  it("connecting takes one", async () => {
    const reason = new Error("not wanted");
    await expect(connect(everything(), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it("a stream of changes ends without an error, whether it is read or not", async () => {
    const client = await connect(everything());
    const abort = new AbortController();
    const stream = await client.listen({ tools: true, resources: ["file:///a"] }, { signal: abort.signal });
    const next = stream.next();
    abort.abort(new Error("enough"));
    await expect(next).resolves.toEqual({ done: true, value: undefined });
    await expect(stream.next()).resolves.toEqual({ done: true, value: undefined });
  });

  it.each(["tool", "resource", "template", "prompt"] as const)(
    "the signal of the handler of a %s aborts when no caller waits any more",
    async (kind) => {
      const begun = deferred<AbortSignal>();
      const told = deferred<void>();
      const server = testServer();
      const wait = ({ signal }: RequestContext): Promise<never> => {
        signal.addEventListener("abort", () => told.resolve());
        begun.resolve(signal);
        return told.promise.then(() => Promise.reject(signal.reason as Error));
      };
      server.tool("t", {}, (_input, context) => wait(context));
      server.resource("file:///a", {}, (_uri, context) => wait(context));
      server.resourceTemplate("file:///b/{name}", {}, (_variables, context) => wait(context));
      server.prompt("p", {}, (_input, context) => wait(context));
      const client = await connect(server);
      const abort = new AbortController();
      const options = { signal: abort.signal };
      const call = {
        tool: () => client.callTool("t", {}, options),
        resource: () => client.readResource("file:///a", options),
        template: () => client.readResource("file:///b/x", options),
        prompt: () => client.getPrompt("p", {}, options),
      }[kind]();
      expect((await begun.promise).aborted).toBe(false);
      abort.abort(new Error("enough"));
      await expect(call).rejects.toThrow("enough");
      await told.promise;
    },
  );

  it("a callback's signal aborts when the server no longer wants its answer; a server's question takes a signal", async () => {
    const begun = deferred<void>();
    const told = deferred<void>();
    const server = testServer();
    server.tool("ask", {}, async (_input, { session, signal }) => {
      const abort = new AbortController();
      const asked = session.createMessage({ messages: [], maxTokens: 1 }, { signal: AbortSignal.any([abort.signal, signal]) });
      if (!stateless) await begun.promise;
      abort.abort(new Error("changed my mind"));
      return asked.then(
        () => "answered",
        (error: unknown) => (error as Error).message,
      );
    });
    const client = await connect(server, {
      onSample: (_params, { signal }) => {
        signal.addEventListener("abort", () => told.resolve());
        begun.resolve();
        return told.promise.then(() => Promise.reject(signal.reason as Error));
      },
    });
    const { text } = await client.callTool("ask");
    if (stateless) return expect(text).toContain("Cannot use sampling in stateless mode");
    expect(text).toBe("changed my mind");
    await told.promise;
  });
});

describeMatrix("A signal that is used again and again", ({ connect, transport }) => {
  it("keeps no listener of a call that has ended, however it ended [fault Z3]", async () => {
    const server = everything();
    server.tool("slow", {}, () => new Promise<never>(() => undefined));
    server.tool("fails", {}, () => {
      throw new McpError(1, "no");
    });
    const client = await connect(server, { validateOutput: false });
    const abort = new AbortController();
    const { signal } = abort;
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    const calls = transport === "direct" ? 10_000 : 300;
    for (let call = 0; call < calls; call++) await client.callTool("t", {}, { signal });
    for (let call = 0; call < 50; call++) {
      await client.callTool("fails", {}, { signal }).catch(() => undefined);
      await client.callTool("slow", {}, { signal, timeout: 0 }).catch(() => undefined);
    }
    await expect.poll(() => getEventListeners(signal, "abort")).toEqual([]);
    expect(warnings).toEqual([]);
  });
});

describe("what an argument decides, the compiler knows [CV-09]", () => {
  it("whether tools were offered", async () => {
    const server = testServer();
    const kinds: string[] = [];
    server.tool("ask", {}, async (_input, ctx) => {
      const plain = await ctx.sample("plain", { messages: [], maxTokens: 1 });
      const several = await ctx.sample("tools", { messages: [], maxTokens: 1, tools: [] });
      expectTypeOf(plain).toEqualTypeOf<CreateMessageResult>();
      expectTypeOf(several).toEqualTypeOf<CreateMessageResultWithTools>();
      expectTypeOf(() =>
        ctx.session.createMessage({ messages: [], maxTokens: 1 }),
      ).returns.resolves.toEqualTypeOf<CreateMessageResult>();
      kinds.push(plain.content.type, Array.isArray(several.content) ? "several" : "one");
      return "done";
    });
    const blocks = [answer.content, answer.content];
    const client = await closing(
      connect(server, {
        samplingCapabilities: { tools: {} },
        onSample: ({ tools }) => (tools === undefined ? answer : { ...answer, content: blocks }),
      }),
    );
    expect((await client.callTool("ask")).text).toBe("done");
    expect(kinds.slice(-2)).toEqual(["text", "several"]);
  });

  it("which method is called: its result has that method's type", async () => {
    const client = await closing(connect(everything()));
    const { tools } = await client.request("tools/list");
    expectTypeOf(tools[0]!.inputSchema).toExtend<object>();
    expect(tools.map((tool) => tool.name)).toEqual(["t"]);
    const failure = await failureOf(client.request("resources/read", {}));
    expect(failure.code).toBe(ErrorCode.InvalidParams);
  });
});

describe("an interface is implemented by every object that has its members [CV-10]", () => {
  it("a transport and a clock as object literals", async () => {
    const [near, far] = createMemoryPair();
    const literal = (inner: Transport): Transport => ({
      kind: "literal",
      send: (message, options) => inner.send(message, options),
      receive: () => inner.receive(),
      close: (reason) => inner.close(reason),
    });
    const clock: Clock = { now: () => 0, setTimer: () => undefined, clearTimer: () => undefined };
    const dispatcher = new JsonRpcDispatcher(literal(far), { clock });
    void acceptorOf(everything()).accept(dispatcher);
    const client = await closing(connect(literal(near), { clock }));
    expect((await client.callTool("t")).text).toBe("x");
  });
});

describe("sets of names are objects and unions [CV-11]", () => {
  it("whose values are the wire's", () => {
    expect(Object.entries(ErrorCode).every(([name, code]) => /^[A-Z]/.test(name) && Number.isInteger(code))).toBe(true);
    expectTypeOf(ErrorCode.InvalidParams).toEqualTypeOf<-32602>();
    expectTypeOf<(typeof LOGGING_LEVELS)[number]>().toEqualTypeOf<
      "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency"
    >();
    expect(LOGGING_LEVELS).toHaveLength(8);
  });
});

describeMatrix("a session of the server is that of one request [CF-10]", ({ connect }) => {
  it("each call has its own, always the same one; what the connection knows is the connection's", async () => {
    const sessions = new Set<unknown>();
    const server = testServer();
    server.tool("t", {}, (_input, ctx) => {
      sessions.add(ctx.session);
      sessions.add(ctx.session);
      return String(ctx.session.checkClientCapability({ sampling: {} }));
    });
    const client = await connect(server, { onSample: () => answer, validateOutput: false });
    const texts = await Promise.all([client.callTool("t"), client.callTool("t")]);
    expect(texts.map(({ text }) => text)).toEqual(["true", "true"]);
    expect(sessions.size).toBe(2);
  });
});
