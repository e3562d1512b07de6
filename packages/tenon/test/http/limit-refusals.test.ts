// A refusal names the limit that was reached, whichever way a client reaches it, so that the operator knows which option to
// change.
import { describe, expect, onTestFinished, test } from "vitest";
import { ErrorCode, McpError } from "tenon";
import { createFetchHandler, type FetchHandler, type FetchHandlerOptions } from "tenon/server";
import { VirtualClock } from "../support/virtual-clock.ts";
import { BOTH, initialize, mirrored, statelessBody } from "./support.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

const ADDRESS = { "x-client": "192.0.2.1" };
const LISTEN = { notifications: { toolsListChanged: true } };

function makeHandler(options: FetchHandlerOptions, onCall: () => void = () => undefined): FetchHandler {
  const server = testServer({ onError: () => undefined });
  server.tool("wait", {}, (_input, ctx) => {
    onCall();
    return new Promise<string>((resolve) => ctx.signal.addEventListener("abort", () => resolve("stopped")));
  });
  const handler = createFetchHandler(server, { clientAddress: "x-client", responseMode: "json", ...options });
  onTestFinished(() => handler.close());
  return handler;
}

type Send = (headers: Record<string, string>, body?: object) => Promise<Response>;

const sender =
  (handler: FetchHandler): Send =>
  (headers, body) => {
    const method = body === undefined ? "GET" : "POST";
    const all = { accept: BOTH, ...(body && { "content-type": "application/json" }), ...ADDRESS, ...headers };
    return handler(new Request("http://localhost/mcp", { method, headers: all, ...(body && { body: JSON.stringify(body) }) }));
  };

async function inSession(send: Send): Promise<Record<string, string>> {
  const { headers } = await send({}, initialize("2025-11-25"));
  return { "mcp-session-id": headers.get("mcp-session-id")! };
}

/** The ways to open a stream that stays open. */
const STREAMS: Record<string, (send: Send) => Promise<Response>> = {
  "subscriptions/listen": (send) => send(mirrored("subscriptions/listen", LISTEN), statelessBody("subscriptions/listen", LISTEN)),
  GET: async (send) => send(await inSession(send)),
  "HTTP+SSE": (send) => send({ accept: "text/event-stream" }),
};

const call = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "wait" } };

describe("each refusal names its limit [rule R5 fault H13]", () => {
  const limits = [
    ["streams.max", { max: 1 }, 503],
    ["streams.maxPerPrincipal", { maxPerPrincipal: 1 }, 429],
  ] as const;
  const rows = Object.keys(STREAMS).flatMap((way) => limits.map(([limit, streams, status]) => ({ way, limit, streams, status })));

  test.each(rows)("$limit, reached by $way", async ({ way, limit, streams, status }) => {
    const send = sender(makeHandler({ streams, httpSse: true }));
    const open = STREAMS[way]!;
    expect((await open(send)).status).toBe(200);
    const refused = await open(send);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([status, "5"]);
    expect(await refused.json()).toMatchObject({ error: { code: -32603, message: `Busy (limit "${limit}")`, data: { limit } } });
  });

  const ways: readonly [string, FetchHandlerOptions, (send: Send) => Promise<() => Promise<Response>>][] = [
    [
      "a stateless request",
      {},
      (send) => {
        const params = { name: "wait" };
        return Promise.resolve(() => send(mirrored("tools/call", params), statelessBody("tools/call", params)));
      },
    ],
    [
      "a request of a session",
      {},
      async (send) => {
        const session = await inSession(send);
        let id = 10;
        return () => send(session, { ...call, id: id++ });
      },
    ],
    [
      "a request without sessions",
      { sessions: false },
      (send) => Promise.resolve(() => send({ "mcp-protocol-version": "2025-11-25" }, call)),
    ],
  ];
  test.each(ways)(
    "limits.maxRunning, reached by %s: as many run as the limit says, and no more",
    async (_way, options, prepare) => {
      const begin = await prepare(sender(makeHandler({ limits: { maxRunning: 2 }, ...options })));
      const running = [begin(), begin()];
      const refused = await begin();
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
      const limit = "limits.maxRunning";
      expect(await refused.json()).toMatchObject({
        error: { code: -32603, message: `Busy (limit "${limit}")`, data: { limit } },
      });
      expect(await Promise.race([...running, Promise.resolve(refused)])).toBe(refused);
    },
  );
});

describe("a drain waits for what ends, and for nothing else [fault H20]", () => {
  test("a client of HTTP+SSE never ends its stream: a drain does not wait for it", async () => {
    const handler = makeHandler({ httpSse: true, clock: new VirtualClock() });
    expect((await STREAMS["HTTP+SSE"]!(sender(handler))).status).toBe(200);
    await handler.drain(60_000); // the clock stands: what waits, waits for ever
  });

  test("a drain after a stream of HTTP+SSE has ended waits for no more than the calls that run", async () => {
    const clock = new VirtualClock();
    const { opened: running, open: begun } = gate();
    const handler = makeHandler({ httpSse: true, clock }, begun);
    const send = sender(handler);
    await (await STREAMS["HTTP+SSE"]!(send)).body!.cancel();
    const params = { name: "wait" };
    const answer = send(mirrored("tools/call", params), statelessBody("tools/call", params));
    await running;
    let hasEnded = false;
    const drained = handler.drain(60_000).then(() => (hasEnded = true));
    await clock.advance(59_000);
    expect(hasEnded).toBe(false);
    await clock.advance(1_000);
    await drained;
    expect(await (await answer).json()).toMatchObject({ error: { message: "The server is shutting down" } });
  });
});

test("a subscription is a stream also if the endpoint responds in JSON: its notifications are not dropped", async () => {
  const send = sender(makeHandler({ responseMode: "json" }));
  const response = await STREAMS["subscriptions/listen"]!(send);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  const { value } = await response.body!.pipeThrough(new TextDecoderStream()).getReader().read();
  expect(value).toContain("notifications/subscriptions/acknowledged");
});

test("an error of a handler that names a time to retry is no rate limit of the server: its status stays 200", async () => {
  const server = testServer();
  server.prompt("busy", {}, () => {
    throw new McpError(ErrorCode.InternalError, "Busy", { reason: "busy", retryAfterMs: 1_000 });
  });
  const handler = createFetchHandler(server);
  onTestFinished(() => handler.close());
  const params = { name: "busy" };
  const response = await sender(handler)(mirrored("prompts/get", params), statelessBody("prompts/get", params));
  expect([response.status, await response.json()]).toMatchObject([
    200,
    { error: { message: "Busy", data: { reason: "busy", retryAfterMs: 1_000 } } },
  ]);
  expect(response.headers.get("retry-after")).toBeNull();
});
