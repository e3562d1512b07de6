// Streams of sessions: which stream carries which message, and coming back for what was missed.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "tenon";
import { EventReader } from "./event-reader.ts";
import { call, get, progressOf, streamFixture } from "./stream-fixture.ts";
import { serve } from "./support.ts";

describe("which stream carries which message [E1.6 E2]", () => {
  test("a request of the server travels on the stream of the request it belongs to, and its response comes by POST", async () => {
    const { server } = streamFixture();
    const http = await serve(server);
    const session = await http.open("2025-06-18", { roots: {} });
    const stream = await EventReader.open(http.port, { headers: session.headers, body: call("ask") });
    const asked = JSON.parse((await stream.next()).data) as JsonObject;
    expect(asked["method"]).toBe("roots/list");
    expect((await session.send({ jsonrpc: "2.0", id: asked["id"], result: { roots: [{ uri: "file:///a" }] } })).status).toBe(202);
    expect(JSON.parse((await stream.next()).data)).toMatchObject({ id: 2, result: { content: [{ text: "1 roots" }] } });
    expect(await stream.rest()).toEqual([]);
  });

  test("what belongs to no request travels on the GET stream only, once [E1.1 E2.2 E2.3]", async () => {
    const { server, gate } = streamFixture();
    const http = await serve(server);
    const session = await http.open("2025-06-18");
    const stream = await get(http, session);
    expect([stream.status, stream.response.headers["content-type"]]).toEqual([200, "text/event-stream"]);
    const post = await EventReader.open(http.port, { headers: session.headers, body: call("wait") });
    expect(progressOf((await post.next()).data)).toBe(1);
    server.tool("more", {}, () => "");
    expect(JSON.parse((await stream.next()).data)).toEqual({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    gate.open();
    expect((await post.rest()).map((event) => progressOf(event.data))).toEqual(["answer"]);
  });

  test("what was said before the GET stream is open is not lost [E2]", async () => {
    const { server } = streamFixture();
    const http = await serve(server);
    const session = await http.open("2025-06-18");
    server.tool("more", {}, () => "");
    await session.send(call("hello"));
    const stream = await get(http, session);
    expect(JSON.parse((await stream.next()).data)).toMatchObject({ method: "notifications/tools/list_changed" });
  });

  test("a second GET gets the stream, the first one is ended [R-6]", async () => {
    const { server } = streamFixture();
    const http = await serve(server);
    const session = await http.open("2025-06-18");
    const first = await get(http, session);
    const second = await get(http, session);
    expect(await first.rest()).toEqual([]);
    server.tool("more", {}, () => "");
    expect(JSON.parse((await second.next()).data)).toMatchObject({ method: "notifications/tools/list_changed" });
  });

  test("a client that goes away cancels nothing [E1.8 fault H8]", async () => {
    const { server, gate } = streamFixture();
    const http = await serve(server);
    const session = await http.open("2025-11-25");
    const stream = await EventReader.open(http.port, { headers: session.headers, body: call("wait") });
    const { id } = await stream.next();
    stream.destroy();
    const again = await get(http, session, { "last-event-id": id! });
    gate.open();
    const events = [...(await again.rest())];
    expect(JSON.parse(events.at(-1)!.data)).toMatchObject({ id: 2, result: { content: [{ text: "false" }] } });
  });

  test("a cancelled request ends its stream without a response [requirement G1]", async () => {
    const { server, gate } = streamFixture();
    const http = await serve(server);
    const session = await http.open("2025-06-18");
    const stream = await EventReader.open(http.port, { headers: session.headers, body: call("wait") });
    await stream.next();
    await session.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } });
    expect(await stream.rest()).toEqual([]);
    gate.open();
  });
});

describe("coming back [E3]", () => {
  test("no two events of a session have the same id, even on different streams [E3.1]", async () => {
    const { server, gate } = streamFixture();
    gate.open();
    const http = await serve(server);
    const session = await http.open("2025-11-25");
    const standing = await get(http, session);
    const ids: string[] = [];
    for (let id = 10; id < 15; id++) {
      const stream = await EventReader.open(http.port, { headers: session.headers, body: call("numbers", { n: 3 }, id) });
      ids.push(...(await stream.rest()).map((event) => event.id!));
    }
    server.tool("another", {}, () => "");
    for (let event = await standing.next(); ; event = await standing.next()) {
      ids.push(event.id!);
      if (event.data !== "") break;
    }
    expect(ids.length).toBeGreaterThan(30);
    expect(ids.every((id) => id !== "")).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("a stream begins with an id, no data, and how long to wait, from 2025-11-25 on [E1.9]", async () => {
    const { server, gate } = streamFixture();
    const http = await serve(server, { streams: { retry: 500 } });
    const newer = await http.open("2025-11-25");
    const stream = await EventReader.open(http.port, { headers: newer.headers, body: call("wait") });
    expect(await stream.next()).toEqual({ id: expect.stringMatching(/^[\w-]{22}\.0$/) as string, retry: "500", data: "" });
    const older = await http.open("2025-06-18");
    const plain = await EventReader.open(http.port, { headers: older.headers, body: call("wait") });
    expect((await plain.next()).data).not.toBe("");
    gate.open();
  });

  const N = 6;
  test.each(Array.from({ length: N + 1 }, (_, k) => k))(
    "cut after event %i: everything comes once, in order [R-3 E3.2 E3.3]",
    async (k) => {
      const { server, gate } = streamFixture();
      const http = await serve(server);
      const session = await http.open("2025-11-25");
      const stream = await EventReader.open(http.port, { headers: session.headers, body: call("numbers", { n: N }) });
      const seen: unknown[] = [];
      let last = await stream.next();
      for (let i = 0; i < k; i++) {
        last = await stream.next();
        seen.push(progressOf(last.data));
      }
      stream.destroy();
      const again = await get(http, session, { "last-event-id": last.id! });
      gate.open();
      for (const event of await again.rest()) if (event.data !== "") seen.push(progressOf(event.data));
      expect(seen).toEqual([...Array.from({ length: 2 * N }, (_, i) => i + 1), "answer"]);
    },
  );

  test("the response can be fetched after the stream has ended, and again [R-4]", async () => {
    const { server, gate } = streamFixture();
    gate.open();
    const http = await serve(server);
    const session = await http.open("2025-11-25");
    const stream = await EventReader.open(http.port, { headers: session.headers, body: call("numbers", { n: 1 }) });
    const [prime] = await stream.rest();
    for (let i = 0; i < 2; i++) {
      const events = await (await get(http, session, { "last-event-id": prime!.id! })).rest();
      expect(events.map((event) => progressOf(event.data))).toEqual([1, 2, "answer"]);
    }
  });

  test("SEP-1699 a handler may let the client come back for the result [E1.9]", async () => {
    const { server, gate } = streamFixture();
    const http = await serve(server, { streams: { retry: 1 } });
    const session = await http.open("2025-11-25");
    const stream = await EventReader.open(http.port, { headers: session.headers, body: call("poll") });
    const events = await stream.rest();
    expect(events).toHaveLength(1);
    const again = await get(http, session, { "last-event-id": events[0]!.id! });
    gate.open();
    expect((await again.rest()).map((event) => JSON.parse(event.data) as JsonObject)).toMatchObject([
      { id: 2, result: { content: [{ text: "polled" }] } },
    ]);
  });

  test("older clients get their result as before [E1.9]", async () => {
    const { server, gate } = streamFixture();
    gate.open();
    const http = await serve(server);
    const session = await http.open("2025-06-18");
    expect((await session.send(call("poll"))).json).toMatchObject({ result: { content: [{ text: "polled" }] } });
  });

  test("an event id that is unknown, foreign, malformed, huge or in the future replays nothing: 400 [R-2]", async () => {
    const { server, gate } = streamFixture();
    gate.open();
    const http = await serve(server);
    const mine = await http.open("2025-11-25");
    const other = await http.open("2025-11-25");
    const stream = await EventReader.open(http.port, { headers: other.headers, body: call("numbers", { n: 1 }) });
    const foreign = (await stream.rest()).at(-1)!.id!;
    const name = foreign.split(".")[0]!;
    for (const id of [foreign, `${"A".repeat(22)}.1`, `${name}.999`, "x", `${name}.-1`, `${name}.1e3`, "1".repeat(8_000)]) {
      const response = await http.raw({ method: "GET", headers: { ...mine.headers, "last-event-id": id } });
      expect(response.status, id.slice(0, 40)).toBe(400);
    }
    expect((await http.raw({ method: "GET", headers: { ...other.headers, "last-event-id": `${name}.999` } })).status).toBe(400);
  });

  test("events that are gone are an error, never a gap [R-5]", async () => {
    const { server, gate } = streamFixture();
    gate.open();
    const http = await serve(server);
    const session = await http.open("2025-11-25");
    const stream = await EventReader.open(http.port, { headers: session.headers, body: call("numbers", { n: 600 }) });
    const [prime] = await stream.rest();
    const response = await http.raw({ method: "GET", headers: { ...session.headers, "last-event-id": prime!.id! } });
    expect(response.status).toBe(410);
    expect(response.json).toMatchObject({
      error: { code: -32603, message: expect.stringContaining("Replay window exceeded") as string },
    });
  });
});

describe("sessions that are not there [R-1 R-9]", () => {
  test("missing is 400, unknown is 404, for each method [E4.3]", async () => {
    const http = await serve(streamFixture().server);
    for (const method of ["POST", "GET", "DELETE"]) {
      const body = method === "POST" ? { body: call("hello") } : {};
      expect((await http.raw({ method, ...body })).status, method).toBe(400);
      expect((await http.raw({ method, headers: { "mcp-session-id": "x".repeat(22) }, ...body })).status, method).toBe(404);
    }
  });

  test("DELETE ends what runs: its request gets 404, its streams end [R-9]", async () => {
    const { server } = streamFixture();
    const http = await serve(server, { responseMode: "auto" });
    const session = await http.open("2025-11-25");
    const stream = await get(http, session);
    await stream.next();
    const post = await EventReader.open(http.port, { headers: session.headers, body: call("wait") });
    await post.next();
    await post.next();
    await http.raw({ method: "DELETE", headers: session.headers });
    expect(await stream.rest()).toEqual([]);
    expect(await post.rest()).toEqual([]);
  });

  test("a version that is not stateful gets 400; without one it is the session's [E5.2 B5.4 B5.5]", async () => {
    const http = await serve(streamFixture().server);
    const session = await http.open("2025-06-18");
    for (const version of ["2020-01-01", "x", ""]) {
      expect((await session.send(call("hello"), { "mcp-protocol-version": version })).status, version).toBe(400);
    }
    expect((await http.raw({ headers: { "mcp-session-id": session.id }, body: call("hello") })).status).toBe(200);
  });
});
