/** What a `BaseSession` keeps for its reader, who may take its responses, and what a call leaves behind. */
import { describe, expect, it, onTestFinished } from "vitest";
import { McpUsageError } from "tenon";
import { BaseSession, RequestResponder, type ServerMessageMetadata, type SessionIncoming } from "tenon/compat/python";
import { answerWith, scripted, type Responder } from "../support/base-sessions.ts";
import { createSource, createStreamsPair } from "../support/sources.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";

describe("The messages of a session, read one by one", () => {
  it("are messages that no function took, in order, and end with the connection [SS-05 SS-06 SS-10 SS-11 SS-12]", async () => {
    const { session, peer } = await scripted();
    peer.push({ jsonrpc: "2.0", id: 1, method: "a" });
    peer.push({ jsonrpc: "2.0", method: "b" });
    peer.push("{ not json");
    const kinds: string[] = [];
    for await (const message of session.incoming) {
      if (message instanceof RequestResponder) {
        kinds.push("request");
        await answerWith(message as Responder, {});
      } else if (message instanceof Error) {
        kinds.push("error");
        peer.end();
      } else kinds.push("notification");
    }
    expect(kinds).toEqual(["request", "notification", "error"]);
    await session.closed;
    for await (const _ of session.incoming) expect.fail("nothing more");
  });

  it("have one reader, who may ask something while others wait [SS-11 BS-52]", async () => {
    const { session, peer } = await scripted();
    const reader = session.incoming[Symbol.asyncIterator]();
    const first = reader.next();
    await expect(session.incoming[Symbol.asyncIterator]().next()).rejects.toThrow(McpUsageError);
    peer.push({ jsonrpc: "2.0", method: "a" });
    peer.push({ jsonrpc: "2.0", method: "b" });
    expect(await first).toMatchObject({ value: { method: "a" } });
    const asked = session.request("c");
    peer.push({ jsonrpc: "2.0", id: peer.sent[0]!["id"], result: {} });
    expect(await asked).toEqual({});
    expect(await reader.next()).toMatchObject({ value: { method: "b" } });
  });

  it("are limited in number without a reader [SS-11]", async () => {
    const { session, peer, errors } = await scripted();
    for (let i = 0; i < 1030; i++) peer.push({ jsonrpc: "2.0", method: `n${i}` });
    await turn();
    expect(errors).toHaveLength(6);
    expect(errors[0]).toMatchObject({ limit: "incoming", max: 1024 });
    await session.close();
    let read = 0;
    for await (const _ of session.incoming) read++;
    expect(read).toBe(1024);
  });
});

describe("Response routers", () => {
  const taking = (wanted: unknown, log: unknown[], name: string): Parameters<BaseSession["addResponseRouter"]>[0] => ({
    routeResponse: (id, result) => (log.push([name, id, result]), id === wanted),
    routeError: (id, error) => (log.push([name, id, error]), id === wanted),
  });

  it("are asked in order before the calls, until one takes it, by the sent id [TK-01 TK-02 TK-03 BS-61 BS-62]", async () => {
    const { session, peer, errors } = await scripted();
    const log: unknown[] = [];
    const first = session.addResponseRouter(taking(41, log, "first"));
    session.addResponseRouter(taking("task-t-1", log, "second"));
    peer.push({ jsonrpc: "2.0", id: "41", result: {} });
    peer.push({ jsonrpc: "2.0", id: "task-t-1", error: { code: -1, message: "no" } });
    await turn();
    expect(log).toEqual([
      ["first", 41, {}],
      ["first", "task-t-1", { code: -1, message: "no" }],
      ["second", "task-t-1", { code: -1, message: "no" }],
    ]);
    first[Symbol.dispose]();
    peer.push({ jsonrpc: "2.0", id: "task-t-1", result: { a: 1 } });
    await turn();
    expect(log.at(-1)).toEqual(["second", "task-t-1", { a: 1 }]);
    expect(log).toHaveLength(4);
    expect(errors).toEqual([]);
  });

  it("what no router takes settles its call, or is unknown [TK-04 BS-63]", async () => {
    const seen: SessionIncoming[] = [];
    const { session, peer } = await scripted({ onMessage: (message) => void seen.push(message) });
    const log: unknown[] = [];
    session.addResponseRouter(taking("never", log, "only"));
    const answer = session.request("a");
    const { id } = peer.sent[0]!;
    peer.push({ jsonrpc: "2.0", id: String(id as number), result: { b: 1 } });
    expect(await answer).toEqual({ b: 1 });
    expect(log).toEqual([["only", id, { b: 1 }]]);
    peer.push({ jsonrpc: "2.0", id: "task-x", result: {} });
    await turn();
    expect(seen).toHaveLength(1);
  });

  it("one that throws is reported, and the response is passed on [TK-05]", async () => {
    const { session, peer, errors } = await scripted();
    session.addResponseRouter({
      routeResponse: () => {
        throw new Error("broken router");
      },
      routeError: () => false,
    });
    const answer = session.request("a");
    peer.push({ jsonrpc: "2.0", id: peer.sent[0]!["id"], result: {} });
    expect(await answer).toEqual({});
    expect(errors.map((error) => error.message)).toEqual(["broken router"]);
  });

  it("a session over a dispatcher has none, and says so [TK-01]", () => {
    const session = new BaseSession(createSource("a dispatcher").near);
    expect(() => session.addResponseRouter(taking(1, [], ""))).toThrow(McpUsageError);
  });
});

it("a call leaves nothing behind, however it ends [BS-21 BS-19]", async () => {
  const clock = new VirtualClock();
  const { session, peer } = await scripted({ clock, timeout: 100 });
  const steps: unknown[] = [];
  const onProgress = (step: unknown): void => void steps.push(step);
  const abort = new AbortController();
  const ends = [
    session.request("result", {}, { onProgress }),
    session.request("error", {}, { onProgress }),
    session.request("timeout", {}, { onProgress }),
    session.request("abort", {}, { onProgress, signal: abort.signal }),
  ].map((call) => call.catch((error: unknown) => error));
  peer.push({ jsonrpc: "2.0", id: 1, result: {} });
  peer.push({ jsonrpc: "2.0", id: 2, error: { code: -5, message: "no", data: { a: [1] } } });
  abort.abort(new Error("enough"));
  await clock.advance(100);
  const outcomes = await Promise.all(ends);
  expect(outcomes[1]).toMatchObject({ code: -5, message: "no", data: { a: [1] } });
  expect(outcomes[2]).toMatchObject({ code: -32001, data: { method: "timeout", timeoutMs: 100 } });
  expect(outcomes[3]).toEqual(new Error("enough"));
  for (const progressToken of [1, 2, 3, 4]) {
    peer.push({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: 1 } });
    peer.push({ jsonrpc: "2.0", id: progressToken, result: {} });
  }
  await clock.advance(1_000);
  expect(steps).toEqual([]);
  expect(clock.pending).toBe(0);
});

it("metadata for the transport is not on the wire [BS-16 SM-02]", async () => {
  const [near, far] = createStreamsPair(4);
  const session = await new BaseSession(near).connect();
  onTestFinished(() => session.close());
  const metadata = { kind: "client", resumptionToken: "t", headers: { a: "b" } } as const;
  session.request("a", { b: 1 }, { metadata }).catch(() => undefined);
  const { value } = await far.read[Symbol.asyncIterator]().next();
  expect(value).toEqual({ message: { jsonrpc: "2.0", id: 1, method: "a", params: { b: 1 } }, metadata });
});

it("metadata of a transport reaches the responder [RR-15 SM-03]", async () => {
  const [near, far] = createStreamsPair(4);
  const seen: unknown[] = [];
  const session = await new BaseSession(near, { onRequest: (request) => void seen.push(request.messageMetadata) }).connect();
  onTestFinished(() => session.close());
  const called: string[] = [];
  const metadata: ServerMessageMetadata = {
    ...{ kind: "server", request: { headers: { authorization: "x" } }, canSendRequest: true },
    closeSseStream: () => void called.push("stream"),
    closeStandaloneSseStream: () => void called.push("standalone"),
    onRequestUnanswered: () => void called.push("unanswered"),
  };
  await far.write.send({ message: { jsonrpc: "2.0", id: 1, method: "a" }, metadata });
  await far.write.send({ message: { jsonrpc: "2.0", id: 2, method: "a" } });
  await turn();
  expect(seen).toEqual([metadata, undefined]);
  const [given] = seen as [ServerMessageMetadata];
  expect([given.request, given.canSendRequest]).toEqual([{ headers: { authorization: "x" } }, true]);
  for (const call of [given.closeSseStream, given.closeStandaloneSseStream, given.onRequestUnanswered]) await call!();
  expect(called).toEqual(["stream", "standalone", "unanswered"]);
});
