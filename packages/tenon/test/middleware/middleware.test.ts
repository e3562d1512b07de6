/** The ready-made middleware, around servers and clients, over transports and revisions. */
import { describe, expect, it } from "vitest";
import { McpError, type McpServer, ToolError, type JsonObject } from "tenon";
import { cache, log, rateLimit, retry, timeout, type LogEntry } from "tenon/middleware";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix, open } from "../support/matrix.ts";
import { connected } from "../support/odd-server.ts";
import { failure, methodsOf, result, type Reply } from "../support/scripted-server.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";
import { testServer } from "../support/test-server.ts";

/** A server that counts its calls. */
function counting(): { server: McpServer; calls: string[] } {
  const server = testServer({ onError: () => undefined });
  const calls: string[] = [];
  server.tool("count", {}, (input) => String(calls.push(JSON.stringify(input))));
  server.tool("fails", {}, () => {
    calls.push("fails");
    throw new ToolError("no");
  });
  server.tool("never", {}, (_input, { signal }) => {
    calls.push("never");
    return new Promise<string>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  });
  return { server, calls };
}

describeMatrix("Rate limits", ({ connect }) => {
  it("let so many requests through, and say when to come back; nothing else is held up [K1.11]", async () => {
    const clock = new VirtualClock();
    const { server, calls } = counting();
    server.use("tools/call", rateLimit({ limit: 2, per: 10_000, clock }));
    const client = await connect(server);
    await client.callTool("count");
    await client.callTool("count");
    const refused = await failureOf(client.callTool("count"));
    expect(refused).toMatchObject({ code: -32603, data: { limit: "rateLimit", max: 2, retryAfterMs: 5_000 } });
    expect(refused.message).toContain('more than 2 requests within 10000 ms (middleware "rateLimit")');
    expect((await client.listTools()).tools).toHaveLength(3);
    clock.stall(5_000);
    await client.callTool("count");
    expect(await failureOf(client.callTool("count"))).toMatchObject({ data: { retryAfterMs: 5_000 } });
    expect(calls).toHaveLength(3);
  });

  it("hold completions, which come with each key that a user types [K4.2]", async () => {
    const server = testServer({ onError: () => undefined });
    server.prompt("p", { complete: { x: (value) => [`${value}!`] } }, () => "");
    server.use("completion/complete", rateLimit({ limit: 2, clock: new VirtualClock() }));
    const client = await connect(server);
    const complete = (value: string): Promise<unknown> =>
      client.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name: "x", value } });
    for (const value of ["a", "ab"]) expect(await complete(value)).toMatchObject({ completion: { values: [`${value}!`] } });
    expect(await failureOf(complete("abc"))).toMatchObject({ data: { limit: "rateLimit", max: 2 } });
  });

  it("are separate for each caller if callers are authenticated [rule R4]", async () => {
    const clock = new VirtualClock();
    const { server } = counting();
    let principal: string | undefined;
    server.use((next) => (context) => {
      context.principal = principal;
      return next(context);
    });
    server.use("tools/call", rateLimit({ limit: 1, clock }));
    const client = await connect(server);
    for (const who of [undefined, "ada", "bob"]) {
      principal = who;
      expect((await client.callTool("count")).isError).toBe(false);
      expect(await failureOf(client.callTool("count"))).toMatchObject({ data: { limit: "rateLimit" } });
    }
  });
});

describe("The table of callers", () => {
  it("is bounded: who is new when it is full is refused, and all are forgotten in time [rule R5]", async () => {
    const clock = new VirtualClock();
    let caller = "";
    const handler = rateLimit({ limit: 1, per: 1_000, by: () => caller, maxCallers: 100, clock })(() => ({}));
    const call = (who: string): unknown => {
      caller = who;
      try {
        return handler({ method: "ping", params: {}, signal: new AbortController().signal });
      } catch (error) {
        return (error as McpError).data;
      }
    };
    for (let n = 0; n < 100; n++) expect(call(`c${n}`)).toEqual({});
    expect(call("one more")).toMatchObject({ retryAfterMs: 1_000 });
    expect(call("c0")).toMatchObject({ retryAfterMs: 1_000 });
    clock.stall(1_000);
    expect(call("one more")).toEqual({});
    expect(call("c0")).toEqual({});
    clock.stall(500);
    expect(call("c0")).toMatchObject({ retryAfterMs: 500 });
    await turn();
  });

  it("invalid limits are refused [CF-04]", () => {
    for (const limit of [0, -1, NaN]) expect(() => rateLimit({ limit })).toThrow(RangeError);
    expect(() => rateLimit({ limit: 1, per: 0 })).toThrow(RangeError);
    expect(() => rateLimit({ limit: 1, maxCallers: 0 })).toThrow(RangeError);
  });
});

describeMatrix("Timeouts", ({ connect }) => {
  it("end a handler that takes too long: its signal aborts, and the client's error names the limit [D9]", async () => {
    const { server } = counting();
    const reasons: unknown[] = [];
    server.use("tools/call", (next) => (context) => {
      const { signal } = context;
      signal.addEventListener("abort", () => reasons.push(signal.reason));
      return next(context);
    });
    server.use("tools/call", timeout(20));
    const client = await connect(server);
    const error = await failureOf(client.callTool("never"));
    expect(error).toMatchObject({ code: -32603, data: { method: "tools/call", timeoutMs: 20 } });
    expect(error.message).toBe('"tools/call" did not finish within 20 ms (middleware "timeout")');
    expect(reasons).toMatchObject([{ message: error.message }]);
    expect((await client.callTool("count")).text).toBe("2");
  });

  it("shorten what a client waits [requirement G5 CF-04]", async () => {
    const { server } = counting();
    const clock = new VirtualClock();
    const client = await connect(server, { clock });
    client.use("tools/call", timeout(20));
    let failure: unknown;
    void failureOf(client.callTool("never", {}, { timeout: 60_000 })).then((error) => (failure = error));
    await expect.poll(() => clock.advance(20).then(() => failure)).toMatchObject({ code: -32001, data: { timeoutMs: 20 } });
    expect((await client.callTool("count")).text).toBe("2");
    expect(() => timeout(-1)).toThrow(RangeError);
  });
});

describeMatrix("A cache", ({ connect }) => {
  it("returns the stored result for the same request until its time is over, and only for that", async () => {
    const clock = new VirtualClock();
    const { server, calls } = counting();
    server.use(cache({ ttl: 1_000, when: ({ method }) => method === "tools/call", clock }));
    const client = await connect(server);
    const text = async (args?: JsonObject): Promise<string> => (await client.callTool("count", args)).text;
    expect([await text({ a: 1, b: { c: 1, d: 2 } }), await text({ b: { d: 2, c: 1 }, a: 1 })]).toEqual(["1", "1"]);
    expect([await text({ a: 2 }), await text()]).toEqual(["2", "3"]);
    clock.stall(999);
    expect(await text({ a: 2 })).toBe("2");
    clock.stall(1);
    expect(await text({ a: 2 })).toBe("4");
    expect(calls).toHaveLength(4);
  });

  it("keeps no failure, and gives no caller another caller's result [J4 rule R4]", async () => {
    const { server, calls } = counting();
    let principal = "ada";
    server.use((next) => (context) => {
      context.principal = principal;
      return next(context);
    });
    server.use(cache({ ttl: 1_000, when: () => true }));
    const client = await connect(server);
    for (let n = 0; n < 2; n++) expect((await client.callTool("fails")).isError).toBe(true);
    expect(calls).toHaveLength(2);
    expect((await client.callTool("count")).text).toBe("3");
    principal = "bob";
    expect((await client.callTool("count")).text).toBe("4");
  });

  it("works on the client's side as well, and forgets the oldest when it is full", async () => {
    const { server, calls } = counting();
    const client = await connect(server, { validateOutput: false });
    client.use("tools/call", cache({ ttl: 60_000, maxEntries: 2, when: () => true }));
    const ask = async (n: number): Promise<string> => (await client.callTool("count", { n })).text;
    expect([await ask(1), await ask(2), await ask(1), await ask(3), await ask(1), await ask(2)]).toEqual([
      "1",
      "2",
      "1",
      "3",
      "1",
      "4",
    ]);
    expect(calls).toHaveLength(4);
  });

  it("keeps nothing of a request that is long [rule R5]", async () => {
    const { server, calls } = counting();
    server.use(cache({ ttl: 60_000, when: ({ method }) => method === "tools/call" }));
    const client = await connect(server);
    const ask = async (length: number): Promise<string> => (await client.callTool("count", { text: "x".repeat(length) })).text;
    expect([await ask(16_000), await ask(16_000), await ask(17_000), await ask(17_000)]).toEqual(["1", "1", "2", "3"]);
    expect(calls).toHaveLength(3);
  });
});

it("A cache keeps out of the rounds of a call that asks [J3 requirement H14]", async () => {
  const server = testServer();
  let runs = 0;
  server.tool("ask", {}, async (_input, ctx) => `${String(await ctx.confirm("sure", "Sure?"))} ${++runs}`);
  server.use(cache({ ttl: 60_000, when: () => true }));
  const client = await open("direct", server, { revision: "2026-07-28", onElicit: () => ({ action: "accept", content: {} }) });
  expect([(await client.callTool("ask")).text, (await client.callTool("ask")).text]).toEqual(["true 1", "true 2"]);
  await client.close();
});

describe("Retries of a client", () => {
  const busy = (retryAfterMs: unknown): Reply => failure(-32603, { limit: "limits.maxInFlight", retryAfterMs });
  const listed = result({ tools: [] });
  /** The answers one after the other; the last one stays. */
  const inTurn = (...replies: Reply[]): Reply => {
    return (request, server) => (replies.length > 1 ? replies.shift()! : replies[0]!)(request, server);
  };

  it("come when a busy server said, with a new id, for any method: it has not run [T8]", async () => {
    const clock = new VirtualClock();
    const { client, server } = await connected({ "tools/call": inTurn(busy(700), busy(300), result({ content: [] })) });
    client.use(retry({ clock }));
    const call = client.callTool("t", {}, { validateOutput: false, requestId: "mine" });
    await clock.advance(699);
    expect(methodsOf(server)).toEqual(["tools/call"]);
    await clock.advance(1);
    await clock.advance(300);
    expect((await call).isError).toBe(false);
    const ids = server.sent.map(({ id }) => id);
    expect([ids.length, new Set(ids).size, ids[0]]).toEqual([3, 3, "mine"]);
    expect(clock.pending).toBe(0);
  });

  it("end: after their number, with a wait that is too long, and with the caller's patience [T8]", async () => {
    const clock = new VirtualClock();
    const { client, server } = await connected({ "tools/list": busy(10), ping: busy(30_001), "prompts/list": busy(20_000) });
    client.use(retry({ clock, attempts: 3 }));
    const tried = failureOf(client.listTools());
    await clock.advance(1_000);
    expect(await tried).toMatchObject({ code: -32603 });
    expect(methodsOf(server)).toHaveLength(4);
    expect(await failureOf(client.ping())).toMatchObject({ code: -32603 });
    expect(methodsOf(server)).toHaveLength(5);
    const abort = new AbortController();
    const given = client.listPrompts({}, { signal: abort.signal });
    await clock.advance(1_000);
    abort.abort(new Error("enough"));
    await expect(given).rejects.toThrow("enough");
    expect([methodsOf(server).length, clock.pending]).toEqual([6, 0]);
  });

  it("a call that may have had an effect is not repeated, unless the user allows it [F1.7]", async () => {
    const clock = new VirtualClock();
    const { client, server } = await connected({
      "tools/call": inTurn(failure(-32603), failure(-32603), result({ content: [] })),
    });
    client.use(retry({ clock, when: (error, { params }) => params["name"] === "idempotent" && McpError.isMcpError(error) }));
    expect(await failureOf(client.callTool("t", {}, { validateOutput: false }))).toMatchObject({ code: -32603 });
    const call = client.callTool("idempotent", {}, { validateOutput: false });
    await clock.advance(10_000);
    expect((await call).isError).toBe(false);
    expect(methodsOf(server)).toHaveLength(3);
  });

  it("with invalid numbers are refused [CF-04]", async () => {
    for (const options of [{ attempts: -1 }, { delay: NaN }, { maxDelay: -1 }]) expect(() => retry(options)).toThrow(RangeError);
    const { client } = await connected({ "tools/list": listed });
    client.use(retry({ attempts: 0 }));
    expect(await client.listTools()).toEqual({ tools: [] });
  });
});

describeMatrix("A log", ({ connect, stateless }) => {
  it("has one entry for each request, with what came of it and how long it took, and no argument [K1.11 R21]", async () => {
    const entries: LogEntry[] = [];
    const { server } = counting();
    server.tool("ask", {}, async (_input, ctx) => (await ctx.roots()).length.toString());
    server.use(log({ write: (entry) => void entries.push(entry) }));
    const client = await connect(server, { roots: [] });
    entries.length = 0;
    await client.callTool("count", { secret: "s3cret" });
    await client.callTool("fails");
    await client.callTool("ask");
    await failureOf(client.callTool("nothing"));
    const told = entries
      .filter(({ method }) => method === "tools/call")
      .map(({ ms, ...entry }) => (expect(ms).toBeGreaterThanOrEqual(0), entry));
    expect(told).toEqual([
      { method: "tools/call", name: "count", outcome: "ok" },
      { method: "tools/call", name: "fails", outcome: "failed" },
      ...(stateless ? [{ method: "tools/call", name: "ask", outcome: "asked" }] : []),
      { method: "tools/call", name: "ask", outcome: "ok" },
      { method: "tools/call", name: "nothing", outcome: "error", code: -32602 },
    ]);
    expect(JSON.stringify(entries)).not.toContain("s3cret");
  });

  it("that fails fails no request, on either side [D12]", async () => {
    const { server } = counting();
    const write = (): never => {
      throw new Error("disk full");
    };
    server.use(log({ write }));
    const client = await connect(server);
    client.use(log({ write }));
    expect((await client.callTool("count")).text).toBe("1");
    expect(await failureOf(client.callTool("nothing"))).toMatchObject({ code: -32602 });
  });
});
