/** Methods and notifications that neither the specification nor an extension has, on both sides of every connection. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { McpError, type McpServer, ProtocolViolationError } from "tenon";
import type { FailureReport } from "tenon/server";
import { defineExtension } from "tenon/ext";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix, describeOverHttp } from "../support/matrix.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

const ITEM = z.strictObject({ item: z.string() });
const PRICE = z.strictObject({ cents: z.number() });
const COUNT = {
  type: "object",
  properties: { count: { type: "integer" } },
  required: ["count"],
  additionalProperties: false,
} as const;

interface Reported {
  error: Error;
  report: FailureReport;
}

function shop(reported: Reported[] = []): McpServer {
  const onError = (error: unknown, report: FailureReport): void => void reported.push({ error: error as Error, report });
  const server = testServer({ name: "shop", onError });
  server.method("shop/price", { params: ITEM, result: PRICE }, ({ item }) => ({ cents: item.length }));
  server.method("shop/count", { params: COUNT, result: COUNT }, async ({ count }) => ({ count: count + 1 }));
  server.method("shop/echo", {}, (params) => params);
  server.method("shop/nothing", {}, () => undefined);
  return server;
}

describeMatrix("Custom methods", ({ connect, revision }) => {
  it("take params and give results that schemas of either kind have checked, at both ends", async () => {
    const client = await connect(shop());
    expect(await client.request("shop/price", { item: "tea" }, { result: PRICE })).toEqual({ cents: 3 });
    expect(await client.request("shop/count", { count: 1 }, { result: COUNT })).toEqual({ count: 2 });
    expect(await client.request("shop/echo", { a: [1], b: null })).toMatchObject({ a: [1], b: null });
    expect(await client.request("shop/nothing", undefined, { result: z.strictObject({}) })).toEqual({});
  });

  it("refuse params that do not match, and name the path", async () => {
    const reported: Reported[] = [];
    const client = await connect(shop(reported));
    const wrong = { code: -32602, message: expect.stringMatching(/^Invalid params of "shop\/price": item: /) as string };
    expect(await failureOf(client.request("shop/price", { item: 1 }))).toMatchObject(wrong);
    expect(await failureOf(client.request("shop/count", { count: "1" }))).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^Invalid params of "shop\/count": count: /) as string,
    });
    expect(reported).toEqual([]);
  });

  it.each<[returned: unknown, what: string, why: RegExp]>([
    [{ cents: "3" }, "a result that does not match its schema", /^cents: /],
    [{ cents: 3, more: 1 }, "a result that does not match its schema", /more/],
    [undefined, "a result that does not match its schema", /./],
  ])("answer %j with -32603, and tell the operator why", async (returned, what, why) => {
    const reported: Reported[] = [];
    const server = shop(reported);
    server.method("shop/bad", { result: PRICE }, () => returned as never);
    const client = await connect(server);
    const failure = await failureOf(client.request("shop/bad"));
    expect(failure).toMatchObject({ code: -32603, message: `Method "shop/bad" returned ${what}` });
    expect(JSON.stringify(failure)).not.toMatch(/cents|more/);
    expect(reported).toHaveLength(1);
    expect(reported[0]).toMatchObject({
      report: { method: "shop/bad" },
      error: { cause: { message: expect.stringMatching(why) as string } },
    });
  });

  it.each<[returned: unknown, what: string]>([
    ["text", "no object"],
    [new URL("https://example.com"), "no object"],
    [[1], "no object"],
    [{ resultType: "input_required" }, "a reserved member"],
  ])("give no result of %j", async (returned, what) => {
    const server = shop();
    server.method("shop/odd", {}, () => returned as never);
    const client = await connect(server);
    expect(await failureOf(client.request("shop/odd"))).toMatchObject({
      code: -32603,
      message: `Method "shop/odd" returned ${what}`,
    });
  });

  it("have the context that tools have: middleware, progress, notifications, errors and cancelling", async () => {
    const reported: Reported[] = [];
    const server = shop(reported);
    const seen: unknown[] = [];
    server.use((next) => (ctx) => {
      if (ctx.method.startsWith("shop/")) seen.push(ctx.method);
      return next(ctx);
    });
    const { opened: stopped, open: aborted } = gate();
    server.method("shop/work", {}, async (_params, ctx) => {
      await ctx.progress(1, 2);
      await ctx.notify("notifications/shop/sold", { item: String(ctx.meta["shop/tag"]) });
      return { method: ctx.method, revision: ctx.protocolVersion, transport: ctx.transport.kind };
    });
    server.method("shop/refuse", {}, () => {
      throw new McpError(7, "Closed", { until: 9 });
    });
    server.method("shop/crash", {}, () => {
      throw new Error("secret");
    });
    server.method("shop/wait", {}, (_params, ctx) => {
      return new Promise((_resolve, reject) =>
        ctx.signal.addEventListener("abort", () => (aborted(), reject(new Error("aborted")))),
      );
    });
    const client = await connect(server);
    const progress: number[] = [];
    const sold: unknown[] = [];
    client.onNotification("notifications/shop/sold", (params) => void sold.push(params["item"]));
    const options = { onProgress: (at: { progress: number }) => void progress.push(at.progress), meta: { "shop/tag": "tagged" } };
    expect(await client.request("shop/work", {}, options)).toMatchObject({ method: "shop/work", revision });
    expect([progress, sold]).toEqual([[1], ["tagged"]]);
    expect(await failureOf(client.request("shop/refuse"))).toMatchObject({ code: 7, message: "Closed", data: { until: 9 } });
    expect(await failureOf(client.request("shop/crash"))).toMatchObject({ code: -32603, message: "Internal error" });
    expect(reported.map(({ error }) => error.message)).toContain("secret");
    const gaveUp = new AbortController();
    const waiting = client.request("shop/wait", {}, { signal: gaveUp.signal });
    waiting.catch(() => undefined);
    await client.request("shop/nothing");
    gaveUp.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    // Over HTTP a disconnect cancels nothing on stateful revisions, but the client's notification does.
    await stopped;
    expect(seen).toEqual(["shop/work", "shop/refuse", "shop/crash", "shop/wait", "shop/nothing"]);
  });

  it("cannot ask, on any revision", async () => {
    const server = shop();
    server.method("shop/ask", {}, async (_params, ctx) => ({ sure: await ctx.confirm("sure", "Sure?") }));
    const client = await connect(server, { onElicit: () => ({ action: "accept", content: {} }) });
    expect(await failureOf(client.request("shop/ask"))).toMatchObject({ code: -32603 });
  });

  it("come and go while the server serves; what is not there is -32601", async () => {
    const server = shop();
    const client = await connect(server);
    expect(await failureOf(client.request("shop/late"))).toMatchObject({ code: -32601, data: "shop/late" });
    const handle = server.method("shop/late", { params: COUNT }, ({ count }) => ({ count }));
    expect(await client.request("shop/late", { count: 1 }, { result: COUNT })).toEqual({ count: 1 });
    handle.remove();
    expect(await failureOf(client.request("shop/late", { count: 1 }))).toMatchObject({ code: -32601 });
    server.method("shop/late", {}, () => ({ again: true }));
    expect(await client.request("shop/late")).toMatchObject({ again: true });
  });

  it("a result that does not match the caller's schema fails the call; a schema that cannot be used sends nothing", async () => {
    const reported: Reported[] = [];
    const server = shop(reported);
    let calls = 0;
    server.method("shop/calls", {}, () => ({ calls: ++calls }));
    const client = await connect(server);
    const failure = await failureOf(client.request("shop/calls", {}, { result: COUNT }));
    expect(failure).toBeInstanceOf(ProtocolViolationError);
    expect(failure.message).toMatch(/^Malformed result of "shop\/calls": /);
    await expect(client.request("shop/calls", {}, { result: { type: "nonsense" } })).rejects.toBeInstanceOf(TypeError);
    expect(calls).toBe(1);
  });

  it("a custom notification reaches every listener that is not stopped, in order, with checked params", async () => {
    const errors: Error[] = [];
    const server = testServer();
    server.tool("sell", {}, async (_input, ctx) => {
      for (const item of ["tea", 7, "cake"]) await ctx.notify("notifications/shop/sold", { item });
      await ctx.notify("notifications/shop/other");
      return "sold";
    });
    const client = await connect(server, { onError: (error) => void errors.push(error as Error) });
    const heard: unknown[] = [];
    const params = { type: "object", properties: { item: { type: "string" } }, additionalProperties: false } as const;
    client.onNotification("notifications/shop/sold", { params }, ({ item }) => void heard.push(["json", item]));
    client.onNotification("notifications/shop/sold", { params: ITEM }, ({ item }) => void heard.push(["zod", item]));
    const stop = client.onNotification("notifications/shop/sold", () => void heard.push("stopped"));
    client.onNotification("notifications/shop/other", (own) => void heard.push(own));
    stop();
    await client.callTool("sell");
    await expect.poll(() => heard.length).toBe(5);
    expect(heard.filter((each) => Array.isArray(each) && each[0] === "json")).toEqual([
      ["json", "tea"],
      ["json", "cake"],
    ]);
    expect(heard.filter((each) => Array.isArray(each) && each[0] === "zod")).toEqual([
      ["zod", "tea"],
      ["zod", "cake"],
    ]);
    expect(heard).toContainEqual({});
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Malformed params of "notifications\/shop\/sold": item: /),
      expect.stringMatching(/^Malformed params of "notifications\/shop\/sold": item: /),
    ]);
  });

  it("a listener that fails is reported, and the others still hear", async () => {
    const errors: string[] = [];
    const server = testServer();
    server.tool("sell", {}, async (_input, ctx) => {
      await ctx.notify("notifications/shop/sold", { item: "tea" });
      return "sold";
    });
    const client = await connect(server, { onError: (error) => void errors.push((error as Error).message) });
    const heard: unknown[] = [];
    client.onNotification("notifications/shop/sold", () => {
      throw new Error("thrown");
    });
    client.onNotification("notifications/shop/sold", async () => Promise.reject(new Error("rejected")));
    client.onNotification("notifications/shop/sold", (params) => void heard.push(params));
    await client.callTool("sell");
    expect(heard).toEqual([{ item: "tea" }]);
    await expect.poll(() => errors).toEqual(["thrown", "rejected"]);
  });

  it("notifications of the specification can be listened to if a server sends them", async () => {
    const server = testServer();
    server.tool("log", {}, async (_input, ctx) => {
      await ctx.log.error("full");
      return "logged";
    });
    const client = await connect(server, { logLevel: "error" });
    const heard: unknown[] = [];
    client.onNotification("notifications/message", (params) => void heard.push(params["data"]));
    await client.callTool("log");
    expect(heard).toEqual(["full"]);
    for (const method of ["notifications/cancelled", "notifications/initialized", "tools/call"])
      expect(() => client.onNotification(method, () => undefined)).toThrow(TypeError);
    expect(() => client.onNotification("notifications/x", { parms: ITEM } as never, () => undefined)).toThrow(
      /Unknown option "parms"/,
    );
  });
});

describeOverHttp(
  "Custom methods",
  ({ connect }) => {
    it("go over HTTP with Mcp-Method and without Mcp-Name", async () => {
      const server = shop();
      server.method("shop/headers", {}, (_params, ctx) => ({
        method: ctx.header("mcp-method"),
        name: ctx.header("mcp-name") ?? null,
      }));
      const client = await connect(server);
      expect(await client.request("shop/headers", { name: "a", uri: "b:c" })).toMatchObject({
        method: "shop/headers",
        name: null,
      });
    });
  },
  ["2026-07-28"],
);

describe("Registering a custom method", () => {
  const extension = defineExtension({
    id: "com.example/weather",
    methods: [{ method: "weather/get", kind: "request", sender: "client", since: "2026-07-28" }],
    server: () => ({ handlers: { "weather/get": () => ({}) } }),
  });
  const own = (): object => ({});

  it("refuses names of the specification, of extensions in use, and names that are taken", () => {
    const server = testServer({ extensions: [extension] });
    for (const name of ["tools/call", "ping", "tasks/get", "sampling/createMessage", "server/discover", "weather/get"])
      expect(() => server.method(name, {}, own), name).toThrow(TypeError);
    server.method("shop/a", {}, own);
    expect(() => server.method("shop/a", {}, own)).toThrow(new TypeError('The method "shop/a" is registered already'));
    for (const name of ["", "rpc.a", "notifications/a", "with space", "ü", "x".repeat(129)])
      expect(() => server.method(name, {}, own), name).toThrow(RangeError);
  });

  it("refuses an extension that has a method of the server's own", () => {
    const server = testServer();
    server.method("weather/get", {}, own).disable();
    expect(() => server.use(extension)).toThrow(new TypeError('The method "weather/get" belongs to an extension in use'));
  });

  it("refuses raw shapes, unknown options, unusable schemas and missing handlers", async () => {
    const server = testServer();
    // @ts-expect-error a raw shape
    expect(() => server.method("shop/a", { params: { item: z.string() } }, own)).toThrow(/wrap it in z\.object/);
    expect(() => server.method("shop/a", { input: ITEM } as never, own)).toThrow(/Unknown option "input" of method "shop\/a"/);
    expect(() => server.method("shop/a", { params: { type: "nonsense" } }, own)).toThrow(
      /params of method "shop\/a" is not a valid JSON Schema/,
    );
    expect(() => server.method("shop/a", {}, undefined as never)).toThrow(/has no handler/);
    server.method("shop/a", { result: { type: "object", properties: { a: { $ref: "#/$defs/none" } } } }, own as never);
    await expect(server.begin()).rejects.toThrow(/^The result of method "shop\/a" cannot be used: /);
  });
});
