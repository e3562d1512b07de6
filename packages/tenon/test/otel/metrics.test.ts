/**
 * Metrics of requests and sessions: points, attributes, their number, and that they agree with the spans. Over transports and
 * revisions.
 */
import { metrics, trace, TraceFlags } from "@opentelemetry/api";
import { hrTimeToMilliseconds } from "@opentelemetry/core";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterEach, describe, expect, it, onTestFinished, test } from "vitest";
import {
  connect as connectTo,
  LimitExceededError,
  McpError,
  type McpServer,
  ToolError,
  type Client,
  type JsonObject,
} from "tenon";
import type { Fetch } from "tenon/client";
import { ClientSessionGroup } from "tenon/group";
import { otel, type MetricsOptions } from "tenon/otel";
import { createFetchHandler } from "tenon/server";
import { closing, describeMatrix } from "../support/matrix.ts";
import { metering, type Metering } from "./metering.ts";
import { testServer } from "../support/test-server.ts";

const SERVER = "mcp.server.operation.duration";
const CLIENT = "mcp.client.operation.duration";

afterEach(() => metrics.disable());

/** Calls of the tool that waits. */
let entered = 0;

function measured(meter: Metering, options: MetricsOptions = {}): McpServer {
  const server = testServer({ onError: () => undefined });
  server.use(otel({ metrics: { meterProvider: meter.provider, ...options } }));
  server.tool("works", {}, () => "done");
  server.tool("fails", {}, () => {
    throw new ToolError("no such seat");
  });
  server.tool("refuses", {}, () => {
    throw new LimitExceededError("limits.seats", 3);
  });
  server.tool("waits", {}, (_input, { signal }) => {
    entered++;
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  });
  server.resource("file:///a", { name: "a" }, () => "text");
  server.prompt("greet", {}, () => "hello");
  return server;
}

/** How often each call was recorded: `method name error` → count. */
async function counts(meter: Metering, instrument: string): Promise<{ [call: string]: number }> {
  const found = await meter.points(instrument);
  const named = found.map(({ attributes, value }) => {
    const parts = ["mcp.method.name", "gen_ai.tool.name", "gen_ai.prompt.name", "mcp.resource.uri", "error.type"];
    return [parts.flatMap((part) => (part in attributes ? [String(attributes[part])] : [])).join(" "), value] as const;
  });
  return Object.fromEntries(named.filter(([call]) => !/^(initialize|server\/discover|notifications)/.test(call)));
}

describeMatrix("Metrics", ({ connect, stateless, revision, transport }) => {
  const quiet = (meter: Metering) => ({
    middleware: [otel({ metrics: { meterProvider: meter.provider } })],
    validateOutput: false,
  });
  const http = transport === "fetch" || transport === "socket";

  it("every outcome is one point on each side, with the attributes of the conventions [A3.11]", async () => {
    const [near, far] = [metering(), metering()];
    const client = await connect(measured(far), quiet(near));
    await client.callTool("works");
    await client.callTool("works");
    await client.callTool("fails");
    await client.callTool("refuses").catch(() => undefined);
    await client.callTool("none").catch(() => undefined);
    await client.readResource("file:///a");
    await client.getPrompt("greet");
    const calls = {
      "tools/call works": 2,
      "tools/call fails tool_error": 1,
      "tools/call _OTHER -32600": 1,
      "tools/call _OTHER -32602": 1,
      "resources/read": 1,
      "prompts/get greet": 1,
    };
    expect(await counts(far, SERVER)).toEqual(calls);
    expect(await counts(near, CLIENT)).toEqual(calls);
    const carrier = {
      "mcp.protocol.version": revision,
      ...(http && { "network.transport": "tcp", "network.protocol.name": "http" }),
    };
    const tool = { "mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool" };
    for (const [meter, name] of [[far, SERVER] as const, [near, CLIENT] as const]) {
      const attributes = (await meter.points(name)).map((point) => point.attributes);
      // The conventions: a client says which server it calls; a server does not say who it is.
      const to = http && meter === near ? destinationOf(attributes) : {};
      expect(attributes).toContainEqual({ ...tool, ...carrier, ...to, "gen_ai.tool.name": "works" });
      expect(attributes).toContainEqual({ ...tool, ...carrier, ...to, "gen_ai.tool.name": "fails", "error.type": "tool_error" });
      expect(attributes).toContainEqual({ "mcp.method.name": "resources/read", ...carrier, ...to });
    }
    expect((await far.points("tenon.server.rejected")).map(({ attributes, value }) => [attributes, value])).toEqual([
      [{ "tenon.limit": "limits.seats" }, 1],
    ]);
  });

  it("a request that runs is counted until it ends, however it ends", async () => {
    const [near, far] = [metering(), metering()];
    const client = await connect(measured(far), quiet(near));
    const abort = new AbortController();
    const before = entered;
    const call = client.callTool("waits", {}, { signal: abort.signal });
    await expect.poll(() => entered).toBe(before + 1);
    const running = async (): Promise<number> => total(await far.points("tenon.server.requests.active"));
    expect(await running()).toBe(1);
    abort.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await expect.poll(running).toBe(0);
    expect(await counts(near, CLIENT)).toEqual({ "tools/call _OTHER cancelled": 1 });
    expect(await counts(far, SERVER)).toEqual({ "tools/call _OTHER": 1 }); // the client's wish, not a failure of the server
    await client.callTool("waits", {}, { timeout: 0 }).catch(() => undefined);
    expect(await counts(near, CLIENT)).toMatchObject({ "tools/call _OTHER timeout": 1 });
  });

  it("a session is counted while it is open, and measured when it ends; a stateless revision has none", async () => {
    const [near, far] = [metering(), metering()];
    const client = await connect(measured(far), quiet(near));
    await client.callTool("works");
    const open = async (): Promise<number> => total(await far.points("tenon.server.sessions"));
    expect(await open()).toBe(stateless ? 0 : 1);
    await client.close();
    await expect.poll(open).toBe(0);
    const ended = stateless ? [] : [1];
    await expect.poll(async () => (await far.points("mcp.server.session.duration")).map(({ value }) => value)).toEqual(ended);
    expect((await near.points("mcp.client.session.duration")).map(({ value }) => value)).toEqual(ended);
    for (const { attributes } of await far.points("mcp.server.session.duration")) {
      expect(attributes).toMatchObject({ "mcp.protocol.version": revision });
      expect(Object.keys(attributes).join()).not.toContain("session"); // no id of it
    }
  });

  it("the size of the body is known over HTTP", async () => {
    const far = metering();
    const client = await connect(measured(far), { validateOutput: false });
    await client.callTool("works", { text: "x".repeat(5_000) });
    const sizes = await far.points("tenon.server.message.size");
    const bytes = sizes.reduce((sum, point) => sum + point.sum, 0);
    // without sockets a request may have no length
    expect(transport === "socket" ? bytes > 5_000 : http || bytes === 0).toBe(true);
  });

  it("made-up names are one series, and known ones are no more than the limit", async () => {
    const far = metering();
    const server = measured(far, { maxNames: 5 });
    for (let number = 0; number < 20; number++) server.tool(`real${number}`, {}, () => "x");
    const client = await connect(server, { validateOutput: false });
    for (let number = 0; number < 100; number++) await client.callTool(`made-up-${number}`).catch(() => undefined);
    for (let number = 0; number < 20; number++) await client.callTool(`real${number}`);
    const names = (await far.points(SERVER))
      .map(({ attributes }) => attributes["gen_ai.tool.name"])
      .filter((name) => name !== undefined);
    expect(new Set(names)).toEqual(new Set(["_OTHER", "real0", "real1", "real2", "real3", "real4"]));
  });
});

test("a URI is recorded only if the option asks for it", async () => {
  const [without, withUri] = [metering(), metering()];
  for (const [meter, resourceUri] of [[without, false] as const, [withUri, true] as const]) {
    const client = await closing(connectTo(measured(meter, { resourceUri })));
    await client.readResource("file:///a");
  }
  expect(await counts(without, SERVER)).toEqual({ "resources/read": 1 });
  expect(await counts(withUri, SERVER)).toEqual({ "resources/read file:///a": 1 });
});

test("a client records the names that the server has listed, even of a call that fails", async () => {
  const near = metering();
  const server = measured(metering());
  const client = await closing(connectTo(server, { middleware: [otel({ metrics: { meterProvider: near.provider } })] }));
  await client.listTools();
  await client.callTool("refuses").catch(() => undefined);
  expect(await counts(near, CLIENT)).toMatchObject({ "tools/call refuses -32600": 1 });
});

test("a stream of changes counts as a stream, not as a request of minutes", async () => {
  const far = metering();
  const client: Client = await closing(connectTo(measured(far), { revision: "2026-07-28" }));
  const open = async (): Promise<number> => total(await far.points("tenon.server.streams"));
  const listening = await client.listen({ tools: true });
  expect(await open()).toBe(1);
  await listening.close();
  await expect.poll(open).toBe(0);
  expect(Object.keys(await counts(far, SERVER)).filter((call) => call.startsWith("subscriptions/listen"))).toEqual([]);
});

test("names, units and boundaries are those of the semantic conventions", async () => {
  const [near, far] = [metering(), metering()];
  const options = { revision: "2025-11-25" as const, middleware: [otel({ metrics: { meterProvider: near.provider } })] };
  const client = await connectTo(measured(far), options);
  await client.callTool("works");
  await client.close();
  // semantic-conventions-genai, docs/gen-ai/mcp.md
  const seconds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
  const units = Object.fromEntries([...(await near.all()), ...(await far.all())].map(({ name, unit }) => [name, unit]));
  expect(units).toMatchObject({
    [CLIENT]: "s",
    [SERVER]: "s",
    "mcp.client.session.duration": "s",
    "mcp.server.session.duration": "s",
    "tenon.server.requests.active": "{request}",
    "tenon.server.sessions": "{session}",
  });
  for (const { name, unit, points } of [...(await near.all()), ...(await far.all())]) {
    if (unit === "s") expect([name, points[0]?.boundaries]).toEqual([name, seconds]);
  }
});

test("a span and its point have the same duration, and the point names the span", async () => {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const recorded: (readonly [number, string | undefined])[] = [];
  const meter = metering().provider.getMeter("x");
  const histogram = Object.getPrototypeOf(meter.createHistogram("x")) as { record: (...args: unknown[]) => void };
  const { record } = histogram;
  histogram.record = function recordSeen(this: unknown, ...args: unknown[]) {
    const [value, attributes, around] = args as [number, JsonObject, Parameters<typeof trace.getSpanContext>[0]];
    if (attributes["mcp.method.name"] === "tools/call") recorded.push([value, trace.getSpanContext(around)?.spanId]);
    record.apply(this, args);
  };
  try {
    const server = testServer();
    server.use(otel({ tracerProvider, metrics: { meterProvider: metering().provider } }));
    server.tool("works", {}, async () => Promise.resolve("done"));
    const client = await closing(connectTo(server));
    await client.callTool("works");
  } finally {
    histogram.record = record;
  }
  const span = exporter.getFinishedSpans().find(({ name }) => name === "tools/call works")!;
  expect(span.spanContext().traceFlags).toBe(TraceFlags.SAMPLED);
  expect(recorded).toEqual([[expect.closeTo(hrTimeToMilliseconds(span.duration) / 1_000, 5), span.spanContext().spanId]]);
});

describe("Without a meter provider", () => {
  test("nothing is made and calls work; one that is registered later is used from then on", async () => {
    const server = testServer();
    server.use(otel({ metrics: true }));
    server.tool("works", {}, () => "done");
    const client = await closing(connectTo(server, { middleware: [otel({ metrics: true })] }));
    expect((await client.callTool("works")).text).toBe("done");
    const meter = metering();
    metrics.setGlobalMeterProvider(meter.provider);
    await client.callTool("works");
    expect(await counts(meter, SERVER)).toEqual({ "tools/call works": 1 });
    expect(await counts(meter, CLIENT)).toEqual({ "tools/call works": 1 });
  });

  test("without the option nothing is recorded, even if a provider is registered", async () => {
    const meter = metering();
    metrics.setGlobalMeterProvider(meter.provider);
    const server = testServer();
    server.use(otel());
    server.tool("works", {}, () => "done");
    await (await closing(connectTo(server))).callTool("works");
    expect(await meter.all()).toEqual([]);
    expect(meter.provider).toBeInstanceOf(MeterProvider);
  });
});

test.each([
  ["maxNames", { maxNames: 0 }, '"metrics.maxNames" must be a whole number above 0: 0'],
  ["an unknown option", { names: 3 }, "There are: meterProvider, resourceUri, maxNames."],
])("%s that is wrong is refused", (_title, given, message) => {
  expect(() => otel({ metrics: given as MetricsOptions })).toThrow(message);
});

test("an error that is not of a limit is no rejection", async () => {
  const far = metering();
  const server = measured(far);
  server.tool("bad", {}, () => {
    throw new McpError(-32000, "no", { limit: 3 });
  });
  await (await closing(connectTo(server))).callTool("bad").catch(() => undefined);
  expect(await far.points("tenon.server.rejected")).toEqual([]);
});

/** The server's host and port, as the first point of a client has them. */
function destinationOf([first = {}]: readonly Readonly<Record<string, unknown>>[]): object {
  expect(first).toMatchObject({ "server.address": expect.any(String) as unknown, "server.port": expect.any(Number) as unknown });
  return { "server.address": first["server.address"], "server.port": first["server.port"] };
}

test("a client names the host and the port of its server, also if the URL has no port", async () => {
  const near = metering();
  const handler = createFetchHandler(measured(metering()));
  onTestFinished(() => handler.close());
  const fetch: Fetch = (_url, init) => handler(new Request("http://localhost/mcp", init));
  for (const url of ["https://mcp.example.com/mcp", "http://[::1]:8080/mcp"]) {
    const client = await connectTo({ url, fetch }, { middleware: [otel({ metrics: { meterProvider: near.provider } })] });
    await client.callTool("works");
    await client.close();
  }
  const of = async (name: string): Promise<unknown> =>
    new Set(
      (await near.points(name)).map(
        ({ attributes }) => `${String(attributes["server.address"])} ${String(attributes["server.port"])}`,
      ),
    );
  expect(await of(CLIENT)).toEqual(new Set(["mcp.example.com 443", "::1 8080"]));
});

test("calls of a group are counted by the names of its servers", async () => {
  const near = metering();
  const options = { readyTimeout: Infinity, middleware: [otel({ metrics: { meterProvider: near.provider } })] };
  const group = await ClientSessionGroup.connect({ inner: measured(metering()), outer: measured(metering()) }, options);
  onTestFinished(() => group.close());
  await group.callTool("inner__works");
  await group.callTool("outer__works");
  await group.callTool("outer__works");
  const calls = (await near.points(CLIENT)).filter(({ attributes }) => attributes["gen_ai.tool.name"] === "works");
  expect(calls.map(({ attributes, value }) => [attributes["tenon.group.server"], value])).toEqual([
    ["inner", 1],
    ["outer", 2],
  ]);
});

test("servers of a group beyond the limit are counted together", async () => {
  const near = metering();
  const options = { readyTimeout: Infinity, middleware: [otel({ metrics: { meterProvider: near.provider, maxNames: 1 } })] };
  const group = await ClientSessionGroup.connect({ inner: measured(metering()), outer: measured(metering()) }, options);
  onTestFinished(() => group.close());
  const names = (await near.points(CLIENT)).map(({ attributes }) => attributes["tenon.group.server"]);
  expect([...new Set(names)].toSorted()).toEqual(["_OTHER", expect.stringMatching(/^(inner|outer)$/)]);
});

function total(points: readonly { readonly value: number }[]): number {
  return points.reduce((sum, { value }) => sum + value, 0);
}
