// `subscriptions/listen` over HTTP: what a stream carries, how many there may be, and how they end.
import { describe, expect, test } from "vitest";
import type { McpServer } from "tenon/server";
import type { JsonObject } from "tenon";
import type { ServeHttpOptions } from "tenon/node";
import { EventReader } from "./event-reader.ts";
import { mirrored, serve, statelessBody, type Served } from "./support.ts";
import { testServer } from "../support/test-server.ts";

function server(): McpServer {
  const made = testServer();
  made.tool("hello", {}, () => "Hello");
  made.resource("test://a", { name: "a" }, () => "a");
  return made;
}

const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

function listen(http: Served, notifications: JsonObject, id: string | number = 1): Promise<EventReader> {
  const params = { notifications };
  return EventReader.open(http.port, {
    headers: mirrored("subscriptions/listen", params),
    body: { ...statelessBody("subscriptions/listen", params), id },
  });
}

const parsed = async (stream: EventReader): Promise<JsonObject> => JSON.parse((await stream.next()).data) as JsonObject;

describe("I what a stream carries", () => {
  test("the acknowledgement first, then what was asked for and nothing else, each tagged [I4 I5 I10 fault H11]", async () => {
    const made = server();
    const http = await serve(made);
    const stream = await listen(
      http,
      { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ["test://a"] },
      "sub",
    );
    expect(stream.response.headers).toMatchObject({
      "content-type": "text/event-stream",
      "x-accel-buffering": "no",
      "cache-control": "no-store, no-transform",
    });
    expect(await parsed(stream)).toMatchObject({
      method: "notifications/subscriptions/acknowledged",
      params: {
        _meta: { [SUBSCRIPTION]: "sub" },
        notifications: { toolsListChanged: true, resourceSubscriptions: ["test://a"] },
      },
    });
    made.resource("test://b", { name: "b" }, () => "b");
    made.resourceUpdated("test://b");
    made.resourceUpdated("test://a");
    made.tool("more", {}, () => "");
    expect(await parsed(stream)).toMatchObject({
      method: "notifications/resources/updated",
      params: { _meta: { [SUBSCRIPTION]: "sub" }, uri: "test://a" },
    });
    expect(await parsed(stream)).toMatchObject({
      method: "notifications/tools/list_changed",
      params: { _meta: { [SUBSCRIPTION]: "sub" } },
    });
  });

  test("each of many streams gets a change once [I6 U3]", async () => {
    const made = server();
    const http = await serve(made);
    const streams = await Promise.all(Array.from({ length: 20 }, (_, i) => listen(http, { toolsListChanged: true }, i)));
    for (const stream of streams) await parsed(stream);
    for (let i = 0; i < 10; i++) made.tool(`more${i}`, {}, () => "");
    for (const [i, stream] of streams.entries())
      expect(await parsed(stream)).toMatchObject({ params: { _meta: { [SUBSCRIPTION]: i } } });
    await made.close();
    for (const stream of streams) expect(await stream.rest()).toHaveLength(1);
  });

  test("a client that takes no streams is refused [F1.2]", async () => {
    const http = await serve(server());
    expect((await http.post("subscriptions/listen", { notifications: {} }, { accept: "application/json" })).status).toBe(406);
  });
});

describe("how a stream ends [I8 H20]", () => {
  test("a drain ends a thousand streams, each with its result, and the port is free [fault H20]", async () => {
    const made = server();
    const http = await serve(made, { streams: { max: 1_000, maxPerPrincipal: 1_000 } });
    const streams: EventReader[] = [];
    while (streams.length < 1_000) {
      const ids = Array.from({ length: 100 }, (_, n) => streams.length + n);
      streams.push(...(await Promise.all(ids.map((id) => listen(http, { toolsListChanged: true }, id)))));
    }
    for (const stream of streams)
      expect(await parsed(stream)).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
    await http.drain(60_000);
    for (const [id, stream] of streams.entries()) {
      expect((await stream.rest()).map((event) => JSON.parse(event.data) as JsonObject)).toMatchObject([
        { id, result: { resultType: "complete" } },
      ]);
    }
    const next = await serve(server(), { port: http.port });
    expect((await next.post("tools/call", { name: "hello" })).status).toBe(200);
  });

  test.each(["drain", "close of the server"])("%s: with its result", async (how) => {
    const made = server();
    const http = await serve(made);
    const stream = await listen(http, { toolsListChanged: true });
    await parsed(stream);
    if (how === "drain") await http.drain(1_000);
    else await made.close();
    expect((await stream.rest()).map((event) => JSON.parse(event.data) as JsonObject)).toMatchObject([
      { id: 1, result: { resultType: "complete", _meta: { [SUBSCRIPTION]: 1 } } },
    ]);
  });

  test("a client that closes it is forgotten [I7 fault H8]", async () => {
    const made = server();
    const http = await serve(made, { streams: { max: 1 } });
    const stream = await listen(http, { toolsListChanged: true });
    await parsed(stream);
    stream.destroy();
    await expect
      .poll(async () => {
        const next = await listen(http, { toolsListChanged: true });
        return next.status;
      })
      .toBe(200);
  });
});

test("more streams than the limit are refused with 503 and told when to come back; calls go on [fault H13]", async () => {
  const options: ServeHttpOptions = { streams: { max: 2 } };
  const http = await serve(server(), options);
  for (let i = 0; i < 2; i++) await parsed(await listen(http, { toolsListChanged: true }, i));
  const refused = await listen(http, { toolsListChanged: true });
  expect([refused.status, refused.response.headers["retry-after"]]).toEqual([503, "5"]);
  const session = await http.open("2025-11-25");
  expect((await http.raw({ method: "GET", headers: session.headers })).status).toBe(503);
  expect((await http.post("tools/call", { name: "hello" })).status).toBe(200);
});
