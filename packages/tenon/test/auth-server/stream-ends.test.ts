// Streams that stay open end with the token they were opened with; calls that were let in go on.
import { describe, expect, test } from "vitest";
import type { EndpointAuth, VerifiedToken } from "tenon/auth";
import { apiKeys } from "tenon/auth/keys";
import type { ServeHttpOptions } from "tenon/node";
import type { McpServer } from "tenon";
import { memoryStores } from "tenon/stores/memory";
import { EventReader } from "../http/event-reader.ts";
import { RecordingClock, VirtualClock } from "../support/virtual-clock.ts";
import { authorizer, bearing, initialize, mirrored, protect, statelessBody, TOKENS, type Protected } from "./support.ts";
import { gate } from "../support/gate.ts";

const MINUTE = 60_000;

/** Tokens that are good for so many minutes, counted on a clock of the test's; clocks are exact. */
async function world(
  options: ServeHttpOptions = {},
  define?: (server: McpServer) => void,
): Promise<{ http: Protected; clock: VirtualClock }> {
  const clock = new VirtualClock();
  const until = (minutes: number): VerifiedToken => ({ ...TOKENS["ann"]!, expiresAt: Date.now() + minutes * MINUTE });
  const auth = authorizer({ clockTolerance: 0 }, { ten: until(10), twenty: until(20), ever: TOKENS["ann"]! });
  return { http: await protect({ auth, clock, ...options }, define), clock };
}

/** Tokens that are all revoked at once. */
async function revocable(options: ServeHttpOptions = {}): Promise<{ http: Protected; revoke: () => void }> {
  const revoked = new AbortController();
  const inner = authorizer({}, { ever: TOKENS["ann"]! });
  const auth: EndpointAuth = {
    authorize: async (request) => {
      const decision = await inner.authorize(request);
      return "auth" in decision ? { ...decision, ended: revoked.signal } : decision;
    },
    insufficientScope: (scopes, info) => inner.insufficientScope(scopes, info),
  };
  return { http: await protect({ auth, ...options }), revoke: () => revoked.abort() };
}

const params = { notifications: { toolsListChanged: true } };
const listen = (http: Protected, token: string): Promise<EventReader> =>
  EventReader.open(http.port, {
    headers: { ...mirrored("subscriptions/listen", params), ...bearing(token) },
    body: statelessBody("subscriptions/listen", params),
  });

describe("2026-07-28", () => {
  test("a listen stream ends with its result when the token has expired, and not before; others stay [I8]", async () => {
    let change: () => void = () => undefined;
    const { http, clock } = await world({}, (server) => {
      change = () => void server.tool("new", {}, () => "");
    });
    const [ten, alsoTen, twenty, ever] = await Promise.all(["ten", "ten", "twenty", "ever"].map((token) => listen(http, token)));
    for (const stream of [ten!, alsoTen!, twenty!, ever!]) await stream.next();
    await clock.advance(10 * MINUTE - 2_000);
    const pending = ten!.next();
    await clock.advance(4_000);
    expect(JSON.parse((await pending).data)).toMatchObject({ id: 1, result: { resultType: "complete" } });
    expect(await ten!.rest()).toEqual([]);
    expect(await alsoTen!.rest()).toHaveLength(1);
    await clock.advance(10 * MINUTE);
    expect(await twenty!.rest()).toHaveLength(1);
    await clock.advance(1_000 * MINUTE);
    change();
    expect(JSON.parse((await ever!.next()).data)).toMatchObject({ method: "notifications/tools/list_changed" });
  });

  test("a listen stream ends with its result when its token is revoked, and at once if that was before it opened", async () => {
    const { http, revoke } = await revocable();
    const stream = await listen(http, "ever");
    await stream.next();
    revoke();
    expect(await stream.rest()).toHaveLength(1);
    const late = await listen(http, "ever");
    expect(JSON.parse((await late.rest()).at(-1)!.data)).toMatchObject({ id: 1, result: { resultType: "complete" } });
  });

  test("a listen stream ends if its API key is revoked or rotated, here or elsewhere; a wrong secret ends none", async () => {
    const store = memoryStores().keyed;
    const [here, elsewhere] = [apiKeys({ store, cacheTtl: 0 }), apiKeys({ store })];
    const http = await protect({ auth: here });
    const minted = await Promise.all(["a", "b", "c", "d"].map((subject) => elsewhere.mint({ subject })));
    const streams = await Promise.all(minted.map(({ key }) => listen(http, key)));
    for (const stream of streams) await stream.next();
    const [a, b, c, d] = minted;
    await here.revoke(a!.id);
    await here.rotate(b!.id);
    await elsewhere.revoke(c!.id);
    expect((await http.call("2026-07-28", c!.key, "who")).status).toBe(401);
    for (const stream of streams.slice(0, 3)) expect(await stream.rest()).toHaveLength(1);
    const wrong = d!.key.slice(0, -1) + (d!.key.endsWith("a") ? "b" : "a");
    expect((await http.call("2026-07-28", wrong, "who")).status).toBe(401);
    const pending = streams[3]!.rest();
    expect((await http.call("2026-07-28", d!.key, "who")).status).toBe(200);
    expect(await Promise.race([pending.then(() => "ended"), Promise.resolve("open")])).toBe("open");
    await here.revoke(d!.id);
    expect(await pending).toHaveLength(1);
  });

  test("streams whose tokens expire within the same second end together", async () => {
    const clock = new VirtualClock();
    const until = clock.wallNow() + 10 * MINUTE;
    const tokens = { one: { ...TOKENS["ann"]!, expiresAt: until }, two: { ...TOKENS["ann"]!, expiresAt: until + 1_000 } };
    const http = await protect({ auth: authorizer({ clockTolerance: 0 }, tokens), clock });
    const streams = await Promise.all(["one", "two"].map((token) => listen(http, token)));
    for (const stream of streams) await stream.next();
    await clock.advance(10 * MINUTE + 1_000);
    for (const stream of streams) expect(await stream.rest()).toHaveLength(1);
  });

  test("a token that is good for months is looked at once a day: a longer timer would fire at once", async () => {
    const clock = new RecordingClock();
    const ever = { ...TOKENS["ann"]!, expiresAt: clock.wallNow() + 100 * 24 * 60 * MINUTE };
    const http = await protect({ auth: authorizer({ clockTolerance: 0 }, { ever }), clock });
    const stream = await listen(http, "ever");
    await stream.next();
    expect(Math.max(...clock.delays)).toBe(24 * 60 * MINUTE);
  });

  test("a call that was let in goes on after its token has expired", async () => {
    const { opened: released, open: release } = gate();
    const { http, clock } = await world({ limits: { handlerTimeout: Infinity } }, (server) => {
      server.tool("slow", {}, async (_input, ctx) => {
        await ctx.progress(1);
        await released;
        return `still ${ctx.auth?.subject}`;
      });
    });
    const slow = { name: "slow", arguments: {}, _meta: { progressToken: 1 } };
    const stream = await EventReader.open(http.port, {
      headers: { ...mirrored("tools/call", slow), ...bearing("ten") },
      body: statelessBody("tools/call", slow),
    });
    await stream.next();
    await clock.advance(15 * MINUTE);
    release();
    expect(JSON.parse((await stream.next()).data)).toMatchObject({ result: { content: [{ text: "still ann" }] } });
  });

  test("all of them share one timer, and no timer is left when nothing expires [fault H12]", async () => {
    const { http, clock } = await world({ streams: { keepAlive: 1e9 } });
    const first = await listen(http, "ten"); // loads what answers it, under the time limit of any handler
    await first.next();
    first.destroy();
    const before = clock.pending;
    const streams = await Promise.all(Array.from({ length: 20 }, () => listen(http, "ten")));
    for (const stream of streams) await stream.next();
    const withStreams = clock.pending;
    expect(withStreams - before).toBeLessThanOrEqual(3);
    for (const stream of streams) stream.destroy();
    await expect.poll(() => clock.pending).toBeLessThan(withStreams);
  });
});

describe.each(["2025-03-26", "2025-06-18", "2025-11-25"])("A session of %s", (revision) => {
  test("the GET stream ends in order and the session stays: its owner returns with a valid token [E2 E4.6]", async () => {
    const { http, clock } = await world();
    const opened = await http.raw({ body: initialize(revision), headers: bearing("ten") });
    const session = { "mcp-session-id": String(opened.headers["mcp-session-id"]), "mcp-protocol-version": revision };
    await http.raw({ headers: { ...session, ...bearing("ten") }, body: { jsonrpc: "2.0", method: "notifications/initialized" } });
    const stream = await EventReader.open(http.port, { headers: { ...session, ...bearing("ten") } });
    await clock.advance(10 * MINUTE + 2_000);
    const events = await stream.rest();
    expect(events.every(({ data }) => data === "")).toBe(true);
    const again = await EventReader.open(http.port, { headers: { ...session, ...bearing("twenty") } });
    expect(again.status).toBe(200);
    // Its token is good for twenty minutes of the wall clock, which stands still here.
    await clock.advance(20 * MINUTE + 2_000);
    expect((await again.rest()).every(({ data }) => data === "")).toBe(true);
  });

  test("the GET stream ends when its token is revoked", async () => {
    const { http, revoke } = await revocable();
    const opened = await http.raw({ body: initialize(revision), headers: bearing("ever") });
    const session = { "mcp-session-id": String(opened.headers["mcp-session-id"]), "mcp-protocol-version": revision };
    const stream = await EventReader.open(http.port, { headers: { ...session, ...bearing("ever") } });
    expect(stream.status).toBe(200);
    revoke();
    expect((await stream.rest()).every(({ data }) => data === "")).toBe(true);
  });
});

describe("HTTP+SSE", () => {
  const open = async (http: Protected, token: string): Promise<{ stream: EventReader; path: string }> => {
    const stream = await EventReader.open(http.port, { headers: bearing(token) });
    return { stream, path: (await stream.next()).data };
  };

  test("a connection ends with its token [D.1]", async () => {
    const { http, clock } = await world({ httpSse: true });
    const { stream, path } = await open(http, "ten");
    await clock.advance(10 * MINUTE + 2_000);
    expect(await stream.rest()).toEqual([]);
    expect((await http.raw({ path, headers: bearing("ever"), body: initialize("2024-11-05") })).status).toBe(404);
  });

  test("a connection ends when its token is revoked", async () => {
    const { http, revoke } = await revocable({ httpSse: true });
    const { stream } = await open(http, "ever");
    revoke();
    expect(await stream.rest()).toEqual([]);
  });

  test("or with the newest token it was used with [D.1]", async () => {
    const { http, clock } = await world({ httpSse: true });
    const { stream, path } = await open(http, "ten");
    await http.raw({ path, headers: bearing("twenty"), body: initialize("2024-11-05") });
    await stream.next();
    await clock.advance(15 * MINUTE);
    expect((await http.raw({ path, headers: bearing("ten"), body: { jsonrpc: "2.0", id: 3, method: "ping" } })).status).toBe(202);
    expect(JSON.parse((await stream.next()).data)).toMatchObject({ id: 3, result: {} });
    await clock.advance(6 * MINUTE);
    expect(await stream.rest()).toEqual([]);
  });
});
