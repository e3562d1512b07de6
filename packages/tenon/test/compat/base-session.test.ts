/** `BaseSession`: one end of a connection whose program responds itself, over everything a session can be opened over. */
import { describe, expect, it, onTestFinished } from "vitest";
import { ConnectionClosedError, McpError, McpUsageError, type Dispatcher, type JsonObject } from "tenon";
import { BaseSession, RequestResponder, type BaseSessionOptions, type SessionIncoming } from "tenon/compat/python";
import { failureOf } from "../support/failure-of.ts";
import { answerWith, scripted, type Responder } from "../support/base-sessions.ts";
import { createSource, createStreamsPair, SOURCE_KINDS, type SourceKind } from "../support/sources.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";

/** A connected session whose other end is a plain dispatcher that echoes. */
async function connected(
  kind: SourceKind,
  options: BaseSessionOptions = {},
): Promise<{ session: BaseSession; far: Dispatcher; heard: unknown[] }> {
  const { near, far } = createSource(kind);
  const heard: unknown[] = [];
  void far.run(
    (request) => request.encode({ method: request.method, params: request.params ?? null }),
    (method, params) => void heard.push(params === undefined ? { method } : { method, params }),
  );
  const session = await new BaseSession(near, options).connect();
  onTestFinished(() => session.close());
  return { session, far, heard };
}

describe.each(SOURCE_KINDS)("A session over %s", (kind) => {
  it("opens nothing before it is connected, then calls and is called [BS-02 BS-03 BS-04]", async () => {
    const { near, far } = createSource(kind);
    const session = new BaseSession(near, { onRequest: (request) => answerWith(request, { echo: request.request.params }) });
    await expect(session.request("a")).rejects.toThrow(McpUsageError);
    void far.run(
      () => ({ ok: true }),
      () => undefined,
    );
    expect(await session.connect()).toBe(session);
    await expect(session.connect()).rejects.toThrow(McpUsageError);
    expect(await session.request("a", { b: 1 })).toEqual({ ok: true });
    expect(await far.request("c", { d: 2 })).toEqual({ echo: { d: 2 } });
    await session.close();
  });

  it("closing waits for no handler; every call fails, on both sides [BS-05 BS-23 BS-50]", async () => {
    const { session, far } = await connected(kind, { onRequest: () => new Promise<void>(() => undefined) });
    const theirs = [far.request("hang"), far.request("hang")].map(failureOf);
    await session.request("are you there");
    await session.close();
    await session.close();
    await session.closed;
    for (const failure of theirs) expect(await failure).toMatchObject({ code: -32000, message: "Connection closed" });
    expect(await failureOf(session.request("a"))).toBeInstanceOf(ConnectionClosedError);
    await session.notify("a");
  });

  it("notifications and progress go out as they are, and wait for nothing [BS-30 BS-31 BS-34]", async () => {
    const { session, heard } = await connected(kind);
    await session.notify("notifications/a");
    await session.notify("notifications/b", { c: null });
    await session.sendProgress({ progressToken: 0, progress: 1 });
    await expect
      .poll(() => heard)
      .toEqual([
        { method: "notifications/a" },
        { method: "notifications/b", params: { c: null } },
        { method: "notifications/progress", params: { progressToken: 0, progress: 1 } },
      ]);
  });

  it("progress goes to the caller that requested it, and is delivered as a message too [BS-01 BS-13 BS-14 BS-46]", async () => {
    const { near, far } = createSource(kind);
    const tokens: unknown[] = [];
    void far.run(
      (request) => {
        const token = (request.params?.["_meta"] as JsonObject | undefined)?.["progressToken"];
        tokens.push(token);
        if (token !== undefined)
          void request.notify("notifications/progress", { progressToken: token, progress: 0.5, total: 1, message: "half" });
        return {};
      },
      () => undefined,
    );
    const seen: unknown[] = [];
    const session = await new BaseSession(near, { onMessage: (message) => void seen.push(message) }).connect();
    onTestFinished(() => session.close());
    const steps: unknown[] = [];
    await session.request("a", { _meta: { mine: 1 } }, { onProgress: (step) => void steps.push(step) });
    await session.request("b");
    expect(tokens).toEqual([expect.any(Number), undefined]);
    expect(steps).toEqual([{ progress: 0.5, total: 1, message: "half" }]);
    expect(seen).toMatchObject([{ method: "notifications/progress", params: { progress: 0.5 } }]);
  });
});

describe("Both streams of a session", () => {
  it("are closed when the peer ends one of them [BS-06]", async () => {
    const [near, far] = createStreamsPair();
    const session = await new BaseSession(near).connect();
    await far.write[Symbol.asyncDispose]();
    await session.closed;
    await expect(near.write.send({ message: { jsonrpc: "2.0", method: "a" } })).rejects.toBeInstanceOf(ConnectionClosedError);
    expect(await near.read[Symbol.asyncIterator]().next()).toMatchObject({ done: true });
  });

  it("are closed when the session is [BS-06 BS-05]", async () => {
    const [near, far] = createStreamsPair();
    const session = await new BaseSession(near).connect();
    await session.close();
    expect(await far.read[Symbol.asyncIterator]().next()).toMatchObject({ done: true });
    await expect(far.write.send({ message: { jsonrpc: "2.0", method: "a" } })).rejects.toBeInstanceOf(ConnectionClosedError);
  });
});

describe("What a session is asked", () => {
  it("goes to onRequest first, and further only without a response there [BS-41 BS-71 BS-73]", async () => {
    const further: SessionIncoming[] = [];
    const { peer } = await scripted({
      onRequest: (request) => (request.request.method === "mine" ? answerWith(request, { mine: true }) : undefined),
      onMessage: async (message) => {
        further.push(message);
        if (message instanceof RequestResponder) await answerWith(message as Responder, { further: true });
      },
    });
    peer.push({ jsonrpc: "2.0", id: 1, method: "mine" });
    peer.push({ jsonrpc: "2.0", id: "2", method: "other", params: { _meta: { progressToken: "t" } } });
    await turn();
    expect(peer.sent).toEqual([
      { jsonrpc: "2.0", id: 1, result: { mine: true } },
      { jsonrpc: "2.0", id: "2", result: { further: true } },
    ]);
    expect(further).toHaveLength(1);
    expect(further[0]).toMatchObject({ requestId: "2", requestMeta: { progressToken: "t" }, request: { method: "other" } });
  });

  it("a request without _meta has none [BS-42 RR-14]", async () => {
    const metas: unknown[] = [];
    const { peer } = await scripted({ onRequest: (request) => void metas.push(request.requestMeta) });
    peer.push({ jsonrpc: "2.0", id: 1, method: "a" });
    peer.push({ jsonrpc: "2.0", id: 2, method: "a", params: {} });
    peer.push({ jsonrpc: "2.0", id: 3, method: "a", params: { _meta: { x: null } } });
    await turn();
    expect(metas).toEqual([undefined, undefined, { x: null }]);
  });

  it("is checked by the program's function, whose error goes to the program, not to the peer [BS-43 BS-70 BS-44]", async () => {
    const taken: unknown[] = [];
    const refuse = (method: string, params: JsonObject): JsonObject => {
      if (method.endsWith("unknown")) throw new McpError(-32601, "Method not found", method);
      if (typeof params["name"] !== "string") throw new Error("name must be a string");
      return { name: params["name"] };
    };
    const { peer, errors } = await scripted({
      checkRequest: refuse,
      checkNotification: refuse,
      onRequest: (request) => {
        taken.push(request.request.params);
        throw new Error("secret");
      },
      onNotification: (notification) => void taken.push(notification.params),
    });
    peer.push({ jsonrpc: "2.0", id: 1, method: "unknown" });
    peer.push({ jsonrpc: "2.0", id: 2, method: "known", params: { name: 1 } });
    peer.push({ jsonrpc: "2.0", id: 3, method: "known", params: { name: "a", more: 1 } });
    peer.push({ jsonrpc: "2.0", method: "known", params: { name: 1 } });
    peer.push({ jsonrpc: "2.0", method: "known", params: { name: "b", more: 1 } });
    await turn();
    expect(peer.sent).toEqual([
      { jsonrpc: "2.0", id: 1, error: { code: -32601, message: "Method not found", data: "unknown" } },
      { jsonrpc: "2.0", id: 2, error: { code: -32602, message: "Invalid request parameters", data: "" } },
      { jsonrpc: "2.0", id: 3, error: { code: -32603, message: "Internal error" } },
    ]);
    expect(taken).toEqual([{ name: "a" }, { name: "b" }]);
    expect(errors.map((error) => error.message)).toEqual(["name must be a string", "secret", "name must be a string"]);
  });

  it("a cancel ends the request without a response, and is not delivered [BS-45 RR-13]", async () => {
    const seen: unknown[] = [];
    let cancelled: Responder | undefined;
    const { peer } = await scripted({
      onRequest: (request) => {
        cancelled = request;
        return new Promise((resolve) => request.signal.addEventListener("abort", () => resolve()));
      },
      onNotification: ({ method }) => void seen.push(method),
      onMessage: (message) => void seen.push(message),
    });
    peer.push({ jsonrpc: "2.0", id: 0, method: "slow" });
    peer.push({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 9 } });
    peer.push({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 0 } });
    await turn();
    expect(cancelled).toMatchObject({ cancelled: true, inFlight: false });
    await answerWith(cancelled!, {});
    await turn();
    expect(peer.sent).toEqual([]);
    expect(seen).toEqual([]);
  });

  it("an error response, or a cancel from this side, is an error on the wire [RR-09 RR-11]", async () => {
    const { peer } = await scripted({
      onRequest: async (request) => {
        using entered = request.enter();
        if (entered.request.method === "cancel") await entered.cancel();
        else await entered.respond({ code: -32002, message: "No such thing", data: { uri: "a://b" } });
      },
    });
    peer.push({ jsonrpc: "2.0", id: 1, method: "fail" });
    peer.push({ jsonrpc: "2.0", id: 2, method: "cancel" });
    await turn();
    expect(peer.sent).toEqual([
      { jsonrpc: "2.0", id: 1, error: { code: -32002, message: "No such thing", data: { uri: "a://b" } } },
      { jsonrpc: "2.0", id: 2, error: { code: -32800, message: "Request cancelled" } },
    ]);
  });

  it("one without a response fails when the handler timeout passes [RR-04]", async () => {
    const clock = new VirtualClock();
    const { peer } = await scripted({ clock, limits: { handlerTimeout: 100, handlerGrace: 10 }, onMessage: () => undefined });
    peer.push({ jsonrpc: "2.0", id: 1, method: "a" });
    await turn();
    await clock.advance(200);
    expect(peer.sent).toMatchObject([{ id: 1, error: { code: -32603 } }]);
  });

  it("can be used to send requests on its own channel [DI-08 RR-01]", async () => {
    const { peer } = await scripted({
      onRequest: async (request) => {
        const { roots } = await request.outbound!.request("roots/list");
        await answerWith(request, { roots });
      },
    });
    peer.push({ jsonrpc: "2.0", id: "q", method: "a" });
    await turn();
    expect(peer.related).toEqual(["q"]);
    peer.push({ jsonrpc: "2.0", id: peer.sent[0]!["id"], result: { roots: [] } });
    await turn();
    expect(peer.sent[1]).toEqual({ jsonrpc: "2.0", id: "q", result: { roots: [] } });
  });
});

describe("What a session receives", () => {
  it("notifications go to onNotification, then further [BS-47 BS-72]", async () => {
    const order: string[] = [];
    const { peer, errors } = await scripted({
      onNotification: ({ method }) => void order.push(`first ${method}`),
      onMessage: (message) => {
        order.push(`then ${"method" in message ? message.method : ""}`);
        throw new Error("contained");
      },
    });
    peer.push({ jsonrpc: "2.0", method: "notifications/a" });
    await turn();
    expect(order).toEqual(["first notifications/a", "then notifications/a"]);
    expect(errors.map((error) => error.message)).toEqual(["contained"]);
  });

  it("errors of the connection go further as values, and reading goes on [BS-40 BS-60 BS-64 CS-96]", async () => {
    const seen: SessionIncoming[] = [];
    const { session, peer } = await scripted({ onMessage: (message) => void seen.push(message) });
    peer.push("{ not json");
    peer.push({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "What?", data: { at: 1 } } });
    peer.push({ jsonrpc: "2.0", id: "never asked", result: {} });
    await turn();
    expect(seen).toEqual([expect.any(McpError), expect.any(McpError), expect.any(McpError)]);
    expect(seen[1]).toMatchObject({ code: -32700, message: "What?", data: { at: 1 } });
    expect((seen[2] as Error).message).toBe('Received response with an unknown request ID: "never asked"');
    const answered = session.request("still there");
    peer.push({ jsonrpc: "2.0", id: peer.sent.at(-1)!["id"], result: { yes: true } });
    expect(await answered).toEqual({ yes: true });
  });

  it("the listener for errors may make a request meanwhile [CS-95 XT-12]", async () => {
    let answer: JsonObject | undefined;
    const { session, peer } = await scripted({
      onMessage: async (message) => {
        if (message instanceof Error) answer = await session.request("what was that");
      },
    });
    peer.push("{ not json");
    await turn();
    const asked = peer.sent.find((message) => message["method"] === "what was that");
    peer.push({ jsonrpc: "2.0", id: asked!["id"], result: { nothing: true } });
    await expect.poll(() => answer).toEqual({ nothing: true });
  });
});
