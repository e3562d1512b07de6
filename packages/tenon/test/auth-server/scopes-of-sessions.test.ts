// What a token must be good for in sessions, batches and streams.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "tenon";
import { EventReader } from "../http/event-reader.ts";
import { bearing, challengesOf, initialize, mirrored, said, STATEFUL, statelessBody } from "./support.ts";
import { guarded, lacking } from "./scoped-server.ts";

describe.each(STATEFUL)("Sessions of %s", (revision) => {
  test("subscribing takes what reading takes [M1.6]", async () => {
    const http = await guarded();
    expect(challengesOf(await http.ask(revision, "base", "resources/subscribe", { uri: "file:///secret" }))).toBe(
      lacking("mcp files:read"),
    );
    expect((await http.ask(revision, "all", "resources/subscribe", { uri: "file:///secret" })).status).toBe(200);
    expect((await http.ask(revision, "base", "resources/subscribe", { uri: "file:///open" })).status).toBe(200);
  });

  test("without sessions too [M1.6]", async () => {
    const http = await guarded({ sessions: false });
    const body = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "delete", arguments: {} } };
    const send = (token: string) => http.raw({ headers: { ...bearing(token), "mcp-protocol-version": revision }, body });
    const refused = await send("base");
    expect([refused.status, challengesOf(refused)]).toEqual([403, lacking("mcp files:write files:delete")]);
    expect(said(await send("deleter"))).toBe("delete");
  });

  test("a refusal leaves the session as it was [M1.6 E4.6]", async () => {
    const http = await guarded();
    const opened = await http.raw({ body: initialize(revision), headers: bearing("base") });
    const session = { "mcp-session-id": String(opened.headers["mcp-session-id"]), "mcp-protocol-version": revision };
    await http.raw({
      headers: { ...session, ...bearing("base") },
      body: { jsonrpc: "2.0", method: "notifications/initialized" },
    });
    const call = (token: string) =>
      http.raw({
        headers: { ...session, ...bearing(token) },
        body: { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "delete", arguments: {} } },
      });
    expect((await call("base")).status).toBe(403);
    expect(said(await call("deleter"))).toBe("delete");
  });
});

describe("2025-03-26 batches", () => {
  const call = (id: number, name: string): JsonObject => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: {} },
  });
  async function batch(token: string, ...members: JsonObject[]) {
    const http = await guarded();
    const opened = await http.raw({ body: initialize("2025-03-26"), headers: bearing(token) });
    const headers = { ...bearing(token), "mcp-session-id": String(opened.headers["mcp-session-id"]) };
    await http.raw({ headers, body: { jsonrpc: "2.0", method: "notifications/initialized" } });
    http.calls.length = 0;
    return { http, answer: await http.raw({ headers, body: members }) };
  }

  test("are let in as a whole or not at all: what could run would run twice [M1.6]", async () => {
    const { http, answer } = await batch("base", call(2, "who"), call(3, "delete"), {
      jsonrpc: "2.0",
      id: 4,
      method: "resources/read",
      params: { uri: "file:///secret" },
    });
    expect([answer.status, challengesOf(answer)]).toEqual([403, lacking("mcp files:write files:delete files:read")]);
    expect(http.calls).toEqual([]);
  });

  test("with all scopes are served [M1.6]", async () => {
    const { answer } = await batch("all", call(2, "who"), call(3, "delete"));
    expect([answer.status, (JSON.parse(answer.text) as unknown[]).length]).toEqual([200, 2]);
  });
});

describe("2026-07-28", () => {
  test("listening to a resource takes what reading it takes [M1.6]", async () => {
    const http = await guarded();
    const listen = (token: string, uris: unknown) =>
      http.ask("2026-07-28", token, "subscriptions/listen", { notifications: { resourceSubscriptions: uris } });
    expect(challengesOf(await listen("base", ["file:///open", "file:///secret", "file:///home/x"]))).toBe(
      lacking("mcp files:read home"),
    );
    for (const nonsense of ["file:///secret", [7], { a: 1 }]) expect((await listen("base", nonsense)).status).not.toBe(403);
    const params = { notifications: { resourceSubscriptions: ["file:///secret"] } };
    const stream = await EventReader.open(http.port, {
      headers: { ...mirrored("subscriptions/listen", params), ...bearing("all") },
      body: statelessBody("subscriptions/listen", params),
    });
    expect(JSON.parse((await stream.next()).data)).toMatchObject({
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { resourceSubscriptions: ["file:///secret"] } },
    });
  });
});

test("over HTTP+SSE the POST is refused [D.1 M1.6]", async () => {
  const http = await guarded({ httpSse: true });
  const stream = await EventReader.open(http.port, { headers: bearing("base") });
  const path = (await stream.next()).data;
  const post = (token: string, body: object) => http.raw({ path, headers: bearing(token), body });
  await post("base", initialize("2024-11-05"));
  await stream.next();
  await post("base", { jsonrpc: "2.0", method: "notifications/initialized" });
  const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "delete", arguments: {} } };
  const refused = await post("base", call);
  expect([refused.status, challengesOf(refused)]).toEqual([403, lacking("mcp files:write files:delete")]);
  expect((await post("deleter", call)).status).toBe(202);
  expect(JSON.parse((await stream.next()).data)).toMatchObject({ id: 2, result: { content: [{ text: "delete" }] } });
});
