// Watching a stateless server over HTTP: streams that are cut and begin again (requirements I3–I9; U1, U2).
import { connect, type ConnectOptions, type JsonObject, type ServerChange } from "tenon";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";
import { RecordingClock, VirtualClock } from "../support/virtual-clock.ts";
import { scriptedHttp, stateless, type Received, type Reply } from "./scripted-http.ts";

/** Milliseconds that a request may take if the client does not say otherwise. */
const DEFAULT_TIMEOUT = 60_000;
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const tag = ({ message }: Received): JsonObject => ({ _meta: { [SUBSCRIPTION]: message["id"] } });
const acknowledge = (request: Received, reply: Reply): void => {
  reply.stream();
  reply.event({
    jsonrpc: "2.0",
    method: "notifications/subscriptions/acknowledged",
    params: { notifications: {}, ...tag(request) },
  });
};
const changed = (kind: string, request: Received): JsonObject => ({
  jsonrpc: "2.0",
  method: `notifications/${kind}/list_changed`,
  params: tag(request),
});
const open = (url: string, options?: ConnectOptions) => closing(connect(url, options));

/** A server whose listens are met one after the other. */
const listening = (...scripts: ((request: Received, reply: Reply) => void)[]) =>
  scriptedHttp(
    stateless((request, reply) =>
      request.message["method"] === "subscriptions/listen" ? scripts.shift()?.(request, reply) : undefined,
    ),
  );

/** A clock whose time of day can be set. */
class JumpingClock extends RecordingClock {
  #offset = 0;

  jump(ms: number): void {
    this.#offset += ms;
  }

  override wallNow(): number {
    return super.wallNow() + this.#offset;
  }
}

async function next(stream: AsyncIterator<ServerChange, undefined>, count: number): Promise<unknown[]> {
  const changes: unknown[] = [];
  while (changes.length < count) changes.push((await stream.next()).value);
  return changes;
}

test("the filter is sent, changes arrive, and closing ends the exchange without another message [I3 I4 I7]", async () => {
  let gone: Promise<void> | undefined;
  const server = await listening((request, reply) => {
    ({ gone } = reply);
    acknowledge(request, reply);
    reply.event(changed("tools", request));
    reply.event({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "file:///a", ...tag(request) } });
  });
  const client = await open(server.url);
  const stream = await client.listen({ tools: true, resources: ["file:///a"] });
  expect(await next(stream, 2)).toEqual([{ kind: "tools" }, { kind: "resource", uri: "file:///a" }]);
  await stream.close();
  await gone;
  expect(server.requests[1]!.message["params"]).toMatchObject({
    notifications: { toolsListChanged: true, resourceSubscriptions: ["file:///a"] },
  });
  expect(server.methods).toEqual(["server/discover", "subscriptions/listen"]);
});

describe("a stream that is cut [U2 I9]", () => {
  test("begins again under a new id, and everything that is watched counts as changed", async () => {
    let first!: Reply;
    const cut = (request: Received, reply: Reply): void => {
      first = reply;
      acknowledge(request, reply);
      reply.event(changed("prompts", request));
    };
    const again = (request: Received, reply: Reply): void => {
      acknowledge(request, reply);
      reply.event(changed("prompts", request));
    };
    const server = await listening(cut, again);
    const messages: string[] = [];
    const client = await open(server.url, { onMessage: ({ method }) => void messages.push(method) });
    const stream = await client.listen({ tools: true, prompts: true, resources: ["file:///a"] });
    expect(await next(stream, 1)).toEqual([{ kind: "prompts" }]);
    first.response.destroy(); // only now: what is cut may lose what the client has not read
    const later = await next(stream, 3);
    expect(later).toEqual(
      expect.arrayContaining([{ kind: "tools" }, { kind: "prompts" }, { kind: "resource", uri: "file:///a" }]),
    );
    const ids = server.requests.slice(1).map(({ message }) => message["id"]);
    expect(new Set(ids).size).toBe(2);
    expect(messages).toContain("notifications/tools/list_changed");
  });

  test("before it was ever acknowledged fails", async () => {
    const server = await listening((_, reply) => {
      reply.stream();
      reply.response.write(": \n\n", () => reply.response.destroy());
    });
    expect(await failureOf((await open(server.url)).listen({ tools: true }))).toMatchObject({ code: -32000 });
    expect(server.methods).toHaveLength(2);
  });

  test("and refused when it comes back ends with the refusal", async () => {
    let first!: Reply;
    const server = await listening(
      (request, reply) => {
        first = reply;
        acknowledge(request, reply);
      },
      (_, reply) => reply.error(-32601, 404),
    );
    const stream = await (await open(server.url)).listen({ tools: true });
    first.response.destroy();
    expect(await failureOf(stream.next())).toMatchObject({ code: -32601 });
  });
});

test("a stream that ends with a result has ended, and does not begin again [I8]", async () => {
  const server = await listening((request, reply) => {
    acknowledge(request, reply);
    reply.event({ jsonrpc: "2.0", id: request.message["id"], result: { resultType: "complete", ...tag(request) } });
    reply.response.end();
  });
  const stream = await (await open(server.url)).listen({ tools: true });
  expect(await stream.next()).toEqual({ done: true, value: undefined });
  expect(server.methods).toHaveLength(2);
});

test("what precedes the acknowledgement is dropped, counted, reported; none in time is an error [fault U1]", async () => {
  const clock = new VirtualClock();
  const server = await listening(
    (request, reply) => {
      reply.stream();
      for (let time = 0; time < 3; time++) reply.event(changed("tools", request));
      reply.event({
        jsonrpc: "2.0",
        method: "notifications/subscriptions/acknowledged",
        params: { notifications: {}, ...tag(request) },
      });
      reply.event(changed("prompts", request));
    },
    (request, reply) => {
      reply.stream();
      reply.event(changed("tools", request));
    },
  );
  const errors: string[] = [];
  const client = await open(server.url, { clock, timeout: 300, onError: ({ message }) => errors.push(message) });
  const stream = await client.listen({ tools: true, prompts: true });
  expect(await next(stream, 1)).toEqual([{ kind: "prompts" }]);
  expect(errors).toEqual(["3 notifications came before their subscription was acknowledged: dropped"]);
  const second = failureOf(client.listen({ tools: true }));
  await server.received("subscriptions/listen", 2);
  await clock.advance(300);
  expect(await second).toMatchObject({ code: -32001, method: "subscriptions/listen", data: { timeoutMs: 300 } });
  expect(errors.slice(1)).toEqual(["1 notifications came before their subscription was acknowledged: dropped"]);
});

test("an acknowledgement has the time limit of a request, also by default; a later one changes nothing [fault U1]", async () => {
  const clock = new VirtualClock();
  let late: Reply | undefined;
  let asked: Received | undefined;
  const server = await listening((request, reply) => {
    [asked, late] = [request, reply];
    reply.stream();
  });
  const client = await open(server.url, { clock });
  let isSettled = false;
  const failed = failureOf(client.listen({ tools: true })).finally(() => (isSettled = true));
  await server.received("subscriptions/listen", 1);
  await clock.advance(DEFAULT_TIMEOUT - 1);
  expect(isSettled).toBe(false);
  await clock.advance(1);
  expect(await failed).toMatchObject({ code: -32001, method: "subscriptions/listen", data: { timeoutMs: DEFAULT_TIMEOUT } });
  late!.event({
    jsonrpc: "2.0",
    method: "notifications/subscriptions/acknowledged",
    params: { notifications: {}, ...tag(asked!) },
  });
  await expect.poll(() => late!.response.destroyed).toBe(true);
  expect(server.methods.filter((method) => method === "subscriptions/listen")).toHaveLength(1);
});

test("streams that a sleeping machine lost begin again once, over time; no deadline follows the wall clock [C17]", async () => {
  const STREAMS = 24;
  const clock = new JumpingClock();
  const cuts: Reply[] = [];
  const listens = (): number => server.methods.filter((method) => method === "subscriptions/listen").length;
  const server = await scriptedHttp(
    stateless((request, reply) => {
      if (request.message["method"] !== "subscriptions/listen") return undefined;
      acknowledge(request, reply);
      if (cuts.length < STREAMS) cuts.push(reply);
      return undefined;
    }),
  );
  const client = await open(server.url, { clock });
  const streams = await Promise.all(Array.from({ length: STREAMS }, () => client.listen({ tools: true })));
  const before = clock.delays.length;
  for (const { response } of cuts) response.write(": \n\n", () => response.destroy());
  const waits = (): number[] => clock.delays.slice(before).filter((ms) => ms >= 250 && ms <= 1_000);
  await expect.poll(() => waits().length).toBe(STREAMS);
  expect(new Set(waits()).size).toBeGreaterThan(4);
  clock.stall(3_600_000); // the machine sleeps, and all timers are due when it wakes up
  clock.jump(-86_400_000); // and sets its clock
  const heard = Promise.all(streams.map((stream) => stream.next()));
  await clock.advance(0);
  expect((await heard).map(({ value }) => value)).toEqual(streams.map(() => ({ kind: "tools" })));
  expect(listens()).toBe(2 * STREAMS);
  let isSettled = false;
  const call = failureOf(client.callTool("t", {}, { timeout: 10_000 })).finally(() => (isSettled = true));
  await server.received("tools/call");
  clock.jump(3_600_000);
  await clock.advance(9_999);
  expect(isSettled).toBe(false);
  await clock.advance(1);
  expect(await call).toMatchObject({ code: -32001 });
  expect(listens()).toBe(2 * STREAMS);
});

test("open streams do not count for the limit [I6 C12]", async () => {
  const server = await scriptedHttp(
    stateless((request, reply) =>
      request.message["method"] === "subscriptions/listen"
        ? acknowledge(request, reply)
        : reply.result({ resources: [], resultType: "complete", ttlMs: 0, cacheScope: "private" }),
    ),
  );
  const client = await closing(connect({ url: server.url, limits: { maxConcurrentRequests: 1 } }));
  await Promise.all([client.listen({ tools: true }), client.listen({ prompts: true }), client.listen({ resources: true })]);
  expect(await client.listResources()).toMatchObject({ resources: [] });
});
