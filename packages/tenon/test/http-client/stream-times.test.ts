// How long a stream may be silent, when it counts as stable, and how it is opened again (C2, C4, C17, E3.4). Virtual time, real
// sockets.
import { connect, ConnectionLostError, type ConnectOptions, type HttpServerParameters, type JsonObject } from "tenon";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";
import { RecordingClock, turn } from "../support/virtual-clock.ts";
import { quiet, scriptedHttp, stateful, type Reply } from "./scripted-http.ts";

const open = (server: string | HttpServerParameters, options?: ConnectOptions) =>
  closing(connect(server, { validateOutput: false, ...options }));
const log = (data: unknown): JsonObject => ({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data } });

/** A client whose call is answered by a stream that the test writes. What the stream logs is in `logs`. */
async function streaming(limits: HttpServerParameters["limits"] = {}) {
  let reply: Reply | undefined;
  const http = await scriptedHttp(
    quiet(
      stateful((_request, one) => {
        one.stream();
        reply = one;
      }),
    ),
  );
  const clock = new RecordingClock();
  const logs: unknown[] = [];
  const client = await open({ url: http.url, limits }, { clock, onLog: ({ data }) => void logs.push(data) });
  const call = client.callTool("t", {}, { timeout: Infinity, maxTotalTimeout: Infinity }).catch((error: unknown) => error);
  await http.received("tools/call");
  /** Writes bytes, then a log message that shows when they have arrived. */
  const write = async (bytes: string): Promise<void> => {
    const mark = logs.length;
    reply!.response.write(`${bytes}data: ${JSON.stringify(log(mark))}\n\n`);
    await expect.poll(() => logs).toHaveLength(mark + 1);
  };
  return { http, clock, call, write, client, reply: (): Reply => reply! };
}

describe("a silent stream [C2]", () => {
  test("is lost a minute after its last byte, and not a moment sooner, if the server keeps its streams alive", async () => {
    const { clock, call, write, reply, http } = await streaming();
    await write(": alive\n\n");
    await clock.advance(30_000);
    await write("");
    await clock.advance(59_999);
    for (let turns = 0; turns < 5; turns++) await turn();
    expect(reply().response.destroyed).toBe(false);
    await clock.advance(1);
    await reply().gone;
    const error = await call;
    expect(error).toBeInstanceOf(ConnectionLostError);
    expect(error).toMatchObject({ outcome: "unknown", message: `The stream from ${http.url} ended before the answer` });
  });

  test.each<[string, string, HttpServerParameters["limits"]]>([
    ["if the server sends no comments", "", {}],
    ["if the limit is off", ": alive\n\n", { streamIdleTimeout: Infinity }],
  ])("is waited for %s", async (_if, bytes, limits) => {
    const { clock, call, write, reply, client } = await streaming(limits);
    await write(bytes);
    await clock.advance(3_600_000);
    for (let turns = 0; turns < 5; turns++) await turn();
    expect(reply().response.destroyed).toBe(false);
    expect(clock.delays).not.toContain(Infinity);
    await client.close();
    expect(await call).toMatchObject({ code: -32000 });
  });

  test("leaves no timer when it has ended", async () => {
    const { clock, call, write, reply, client } = await streaming();
    await write(": alive\n\n");
    reply().response.end();
    expect(await call).toBeInstanceOf(ConnectionLostError);
    await client.close();
    await expect.poll(() => clock.pending).toBe(0);
  });
});

describe("a standing stream that ends again and again [C17]", () => {
  /**
   * Opens a client whose standing stream ends each time after `life` ms, and returns how often it was opened after `times` of
   * that.
   */
  async function openedAfter(life: number, times: number, begin = "") {
    const replies: Reply[] = [];
    const http = await scriptedHttp(
      stateful(({ method }, reply) => {
        if (method !== "GET") return reply.result({ tools: [] });
        reply.stream();
        reply.response.write(`retry: 250\n${begin}\n`);
        replies.push(reply);
      }),
    );
    const clock = new RecordingClock();
    const errors: Error[] = [];
    const told: string[] = [];
    const client = await open(http.url, {
      clock,
      onError: (error) => void errors.push(error),
      onMessage: ({ method }) => void told.push(method),
    });
    for (let time = 1; time <= times; time++) {
      await expect.poll(() => replies.length + errors.length).toBe(time);
      if (errors.length > 0) break;
      const waits = clock.delays.filter((delay) => delay === 250).length;
      await turn();
      await clock.advance(life);
      replies.at(-1)!.response.end();
      await expect.poll(() => clock.delays.filter((delay) => delay === 250).length + errors.length).toBe(waits + 1);
      await clock.advance(250);
    }
    return { opened: (): number => replies.length, errors, told, client, http };
  }

  test("is opened as often as it ends if it lasts 10 seconds each time", async () => {
    const { opened, errors } = await openedAfter(10_000, 8);
    await expect.poll(opened).toBe(9);
    expect(errors).toEqual([]);
  });

  test("is given up after five times without anything new if it lasts less: the error names it", async () => {
    const { opened, errors, http } = await openedAfter(9_900, 8);
    await expect.poll(() => errors).toHaveLength(1);
    expect(opened()).toBe(6);
    expect(errors[0]).toMatchObject({
      name: "ConnectionLostError",
      outcome: "unknown",
      message: `The stream from ${http.url} ended 5 times without anything new`,
    });
  });

  test("announces that changes may have been missed only if the server gives no event ids [E3.4]", async () => {
    const without = await openedAfter(0, 1);
    await expect.poll(without.opened).toBe(2);
    await expect.poll(() => without.told).toEqual(["notifications/tools/list_changed"]);
    const resumed = await openedAfter(0, 1, "id: e-1\ndata:\n");
    await expect.poll(resumed.opened).toBe(2);
    expect(resumed.http.requests.at(-1)!.headers["last-event-id"]).toBe("e-1");
    await resumed.client.listTools();
    expect(resumed.told).toEqual([]);
  });
});

describe("a stream that is resumed [E3.2]", () => {
  test.each([408, 409, 425, 429, 500, 503])("HTTP %i may end soon: it is asked for again", async (status) => {
    let id: unknown;
    let refusals = 0;
    const http = await scriptedHttp(
      stateful((request, reply) => {
        if (request.method === "GET" && request.headers["last-event-id"] === undefined) return reply.text("", 405);
        if (request.method === "GET" && ++refusals === 1) return reply.text("busy", status);
        reply.stream();
        if (request.method === "GET")
          return reply.event({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "done" }] } });
        id = request.message["id"];
        return void reply.response.end("id: e-1\nretry: 250\ndata:\n\n");
      }),
    );
    const clock = new RecordingClock();
    const client = await open(http.url, { clock });
    const call = client.callTool("t");
    await expect.poll(() => clock.advance(250).then(() => refusals)).toBe(2);
    expect((await call).text).toBe("done");
  });

  test("ends with the last cause when the server refuses five times; nothing else ends it sooner", async () => {
    const http = await scriptedHttp(
      stateful((request, reply) => {
        if (request.method === "GET" && request.headers["last-event-id"] === undefined) return reply.text("", 405);
        if (request.method === "GET") return reply.text("busy", 503);
        reply.stream();
        return void reply.response.end("id: e-1\nretry: 250\ndata:\n\n");
      }),
    );
    const clock = new RecordingClock();
    const client = await open(http.url, { clock });
    let failed: unknown;
    void failureOf(client.callTool("t")).then((error) => (failed = error));
    await expect
      .poll(() => clock.advance(250).then(() => failed))
      .toMatchObject({
        message: `The stream from ${http.url} ended 5 times without anything new`,
      });
    expect((failed as Error).cause).toMatchObject({
      code: -32000,
      message: `${http.url} answered with HTTP 503`,
      outcome: "unknown",
    });
    expect(http.requests.filter(({ headers }) => headers["last-event-id"] === "e-1")).toHaveLength(5);
  });

  test.each<[string, (reply: Reply) => void, JsonObject]>([
    ["HTTP 200 without a stream", (reply) => reply.json({}), { name: "UnusableResponseError" }],
    [
      "HTTP 201 with a stream",
      (reply) => void reply.response.writeHead(201, { "content-type": "text/event-stream" }).end(),
      { name: "UnusableResponseError" },
    ],
    ["HTTP 404 without a session", (reply) => reply.text("gone", 404), { status: 404 }],
    ["HTTP 499", (reply) => reply.text("gone", 499), { status: 499 }],
  ])("%s is final", async (_what, answer, failure) => {
    const http = await scriptedHttp(
      stateful((request, reply) => {
        if (request.method === "GET" && request.headers["last-event-id"] === undefined) return reply.text("", 405);
        if (request.method === "GET") return answer(reply);
        reply.stream();
        return void reply.response.end("id: e-1\nretry: 250\ndata:\n\n");
      }),
    );
    const client = await open(http.url);
    const error = await failureOf(client.callTool("t"));
    expect(error).toMatchObject(failure);
    if (failure["name"] !== undefined) expect(error.message).toBe(`${http.url} answered a GET with no event stream`);
    expect(http.requests.filter(({ headers }) => headers["last-event-id"] === "e-1")).toHaveLength(1);
  });
});
