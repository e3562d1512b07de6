// What belongs to one principal does not exist for any other: sessions, streams, what was missed, questions, shares.
import { describe, expect, onTestFinished, test } from "vitest";
import { connect, type Client, type JsonObject, type McpServer, type McpServerOptions } from "tenon";
import { bearerToken } from "tenon/auth";
import type { ServeHttpOptions } from "tenon/node";
import { memoryStores } from "tenon/stores/memory";
import { begin, declaring, get, idOf, taskServer } from "../extensions/tasks/support.ts";
import { EventReader } from "../http/event-reader.ts";
import { serve } from "../http/support.ts";
import { failureOf } from "../support/failure-of.ts";
import {
  authorizer,
  bearing,
  initialize,
  mirrored,
  protect,
  said,
  statelessBody,
  type Protected,
  type Received,
} from "./support.ts";
import { gate } from "../support/gate.ts";

/** Other people, other issuers, and a program without a user. */
const STRANGERS = ["bob", "robot", "ann-of-b"];
/** Other principals: Ann's other program is one, though it may use Ann's sessions. */
const PRINCIPALS = [...STRANGERS, "ann-elsewhere"];

interface Opened {
  readonly http: Protected;
  readonly id: string;
  /** Headers of a request of the session, with somebody's token. */
  readonly as: (token: string | undefined) => Record<string, string>;
}

async function session(
  revision: string,
  options: ServeHttpOptions = {},
  define?: (server: McpServer) => void,
  of?: McpServerOptions,
): Promise<Opened> {
  const http = await protect(options, define, of);
  const opened = await http.raw({ body: initialize(revision), headers: bearing("ann") });
  const id = String(opened.headers["mcp-session-id"]);
  const as: Opened["as"] = (token) => ({ "mcp-session-id": id, "mcp-protocol-version": revision, ...bearing(token) });
  await http.raw({ headers: as("ann"), body: { jsonrpc: "2.0", method: "notifications/initialized" } });
  return { http, id, as };
}

/** All of an answer that a client can see, but for when it was sent. */
const seenBy = ({ status, headers, text }: Received): unknown => ({ status, headers: { ...headers, date: undefined }, text });
const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "who", arguments: {} } };

describe.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])("A session of %s", (revision) => {
  const ways: Record<string, object> = {
    "a request": { body: call },
    "a handshake": { body: initialize(revision) },
    "a notification": { body: { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } } },
    "an answer": { body: { jsonrpc: "2.0", id: 1, result: {} } },
    "what is no message": { body: { jsonrpc: "2.0", id: 1 } },
    GET: { method: "GET" },
    "GET with an event id": { method: "GET", headers: { "last-event-id": "0123456789012345678901.1" } },
    DELETE: { method: "DELETE" },
  };
  describe.each(Object.keys(ways))("%s", (way) => {
    test.each(STRANGERS)(
      "of %s gets exactly the response for a session that never existed (CVE-2026-52869) [rule R4 R-1 E4.6]",
      async (stranger) => {
        const { http, as } = await session(revision);
        const sent = ways[way] as { headers?: Record<string, string> };
        const send = (headers: Record<string, string>): Promise<Received> =>
          http.raw({ ...sent, headers: { ...headers, ...sent.headers } });
        const foreign = await send(as(stranger));
        const unknown = await send({ ...as(stranger), "mcp-session-id": "0123456789012345678901" });
        expect(seenBy(foreign)).toEqual(seenBy(unknown));
        expect(way === "what is no message" ? 400 : 404).toBe(foreign.status);
        expect(http.calls).toEqual([]);
        // Its owner does not notice.
        expect((await http.raw({ headers: as("ann"), body: call })).status).toBe(200);
        expect((await http.raw({ headers: as("ann"), method: "DELETE" })).status).toBe(204);
      },
    );

    test("without a user gets 401, whether there is such a session or not [E4.6 M1.5]", async () => {
      const { http, as } = await session(revision);
      const sent = ways[way] as { headers?: Record<string, string> };
      for (const id of [as(undefined)["mcp-session-id"]!, "0123456789012345678901"])
        expect((await http.raw({ ...sent, headers: { ...as(undefined), ...sent.headers, "mcp-session-id": id } })).status).toBe(
          401,
        );
    });
  });

  test("its owner may come with another token of the same principal [E4.6 M6.4]", async () => {
    const { http, as } = await session(revision);
    expect((await http.raw({ headers: as("ann-again"), body: call })).status).toBe(200);
    expect((await http.raw({ headers: as("ann-again"), method: "DELETE" })).status).toBe(204);
  });

  test("a program of the same user that registered again goes on with it, its stream included [E4.6 FD-51]", async () => {
    const { http, as } = await session(revision);
    expect((await EventReader.open(http.port, { headers: as("ann-elsewhere") })).status).toBe(200);
    expect((await http.raw({ headers: as("ann-elsewhere"), body: call })).text).toContain("other app");
    expect((await http.raw({ headers: as("ann-elsewhere"), method: "DELETE" })).status).toBe(204);
    expect((await http.raw({ headers: as("ann"), body: call })).status).toBe(404);
  });

  test("its owner's stream is not taken, read or ended by others (CVE-2026-33946, CVE-2026-67431) [rule R4]", async () => {
    const { http, as } = await session(revision, {}, (server) => {
      server.tool("announce", {}, () => void server.tool(`tool-${Math.random()}`.replace(".", ""), {}, () => ""));
    });
    const stream = await EventReader.open(http.port, { headers: as("ann") });
    for (const stranger of STRANGERS) expect((await EventReader.open(http.port, { headers: as(stranger) })).status).toBe(404);
    const announce = { ...call, params: { name: "announce", arguments: {} } };
    for (const stranger of STRANGERS) await http.raw({ headers: as(stranger), body: announce });
    await http.raw({ headers: as("ann"), body: announce });
    let event = await stream.next();
    if (event.data === "") event = await stream.next();
    expect(JSON.parse(event.data)).toMatchObject({ method: "notifications/tools/list_changed" });
  });

  test("what one session missed cannot be fetched by another, of the same principal or not [rule R4 R-2 M6.4]", async () => {
    const { http, as } = await session(revision, { streams: { retry: 1 } }, (server) => {
      server.tool("steps", {}, async (_input, ctx) => {
        for (let i = 1; i <= 3; i++) await ctx.progress(i);
        return "secret";
      });
    });
    const body = {
      jsonrpc: "2.0",
      id: 5,
      method: "tools/call",
      params: { name: "steps", arguments: {}, _meta: { progressToken: 1 } },
    };
    const stream = await EventReader.open(http.port, { headers: as("ann"), body });
    const [first] = await stream.rest();
    const lastEventId = first!.id!;
    expect(lastEventId).toMatch(/\.\d+$/);
    for (const other of ["bob", "ann"]) {
      const opened = await http.raw({ body: initialize(revision), headers: bearing(other) });
      const own = {
        "mcp-session-id": String(opened.headers["mcp-session-id"]),
        "mcp-protocol-version": revision,
        ...bearing(other),
      };
      const answer = await http.raw({ method: "GET", headers: { ...own, "last-event-id": lastEventId } });
      expect([answer.status, answer.text.includes("secret")]).toEqual([400, false]);
    }
    expect((await http.raw({ method: "GET", headers: { ...as("bob"), "last-event-id": lastEventId } })).status).toBe(404);
    const resumed = await EventReader.open(http.port, { headers: { ...as("ann-again"), "last-event-id": lastEventId } });
    expect((await resumed.rest()).at(-1)!.data).toContain("secret");
  });
});

describe("HTTP+SSE", () => {
  test.each(STRANGERS)("a connection does not exist for %s (CVE-2026-33032) [D.1 E2 rule R4]", async (stranger) => {
    const http = await protect({ httpSse: true });
    const stream = await EventReader.open(http.port, { headers: bearing("ann") });
    const path = (await stream.next()).data;
    const foreign = await http.raw({ path, headers: bearing(stranger), body: initialize("2024-11-05") });
    const unknown = await http.raw({
      path: "/mcp?sessionId=0123456789012345678901",
      headers: bearing(stranger),
      body: initialize("2024-11-05"),
    });
    expect(seenBy(foreign)).toEqual(seenBy(unknown));
    expect(foreign.status).toBe(404);
    expect((await http.raw({ path, body: initialize("2024-11-05") })).status).toBe(401);
    expect((await http.raw({ path, headers: bearing("ann-again"), body: initialize("2024-11-05") })).status).toBe(202);
  });
});

describe("Shares", () => {
  test("sessions are counted by principal, also if its token changes [E4.6]", async () => {
    const http = await protect({ sessions: { maxPerPrincipal: 2 } });
    const open = async (token: string): Promise<number> =>
      (await http.raw({ body: initialize("2025-11-25"), headers: bearing(token) })).status;
    expect(await Promise.all([open("ann"), open("ann-again")])).toEqual([200, 200]);
    expect(await open("reader")).toBe(429);
    expect(await Promise.all(PRINCIPALS.map(open))).toEqual([200, 200, 200, 200]);
  });

  const params = { notifications: { toolsListChanged: true } };
  const listen = (http: Protected, token: string): Promise<EventReader> =>
    EventReader.open(http.port, {
      headers: { ...mirrored("subscriptions/listen", params), ...bearing(token) },
      body: statelessBody("subscriptions/listen", params),
    });

  test("so are streams that stay open: stateless, of sessions and of HTTP+SSE together [fault H13 rule R4]", async () => {
    const http = await protect({ streams: { maxPerPrincipal: 2 }, httpSse: true });
    expect((await listen(http, "ann")).status).toBe(200);
    expect((await EventReader.open(http.port, { headers: bearing("ann-again") })).status).toBe(200);
    expect((await listen(http, "reader")).status).toBe(429);
    expect((await EventReader.open(http.port, { headers: bearing("ann") })).status).toBe(429);
    for (const stranger of PRINCIPALS) expect((await listen(http, stranger)).status).toBe(200);
  });
});

describe("Questions in the middle of a call (2026-07-28)", () => {
  const capabilities = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } };
  const ask = async (http: Protected, token: string, more: JsonObject = {}): Promise<JsonObject> =>
    (await http.post("tools/call", { name: "transfer", arguments: {}, _meta: capabilities, ...more }, bearing(token))).json;

  test.each([
    ["resumed", {}],
    ["run again", { maxSuspended: 0 }],
  ])("an answer counts only from the client that was asked (%s) [requirement H6 U4 M6.3]", async (_how, requestState) => {
    const done: string[] = [];
    const http = await protect(
      {},
      (server) => {
        server.tool("transfer", {}, async (_input, ctx) => {
          const sure = await ctx.confirm("sure", "Sure?");
          done.push(`${ctx.auth?.subject} of ${ctx.auth?.clientId}: ${sure}, ${ctx.auth?.scopes.join()}`);
          return "done";
        });
      },
      { requestState },
    );
    const asked = (await ask(http, "ann"))["result"] as JsonObject;
    expect(asked["resultType"]).toBe("input_required");
    const [name] = Object.keys(asked["inputRequests"] as JsonObject);
    const answer = {
      requestState: asked["requestState"],
      inputResponses: { [name!]: { action: "accept", content: { ok: true, confirm: true } } },
    };
    const tampered = await ask(http, "ann", { ...answer, requestState: `${String(asked["requestState"]).slice(0, -4)}AAAA` });
    for (const stranger of PRINCIPALS) expect(await ask(http, stranger, answer)).toEqual(tampered);
    expect(tampered["error"]).toEqual({ code: -32602, message: "Invalid or expired requestState" });
    expect(done).toEqual([]);
    // With another token of the same principal the call goes on, and knows which token that is.
    const finished = await ask(http, "ann-again", answer);
    expect(finished).toHaveProperty("result");
    expect(done.map((line) => line.replace(/true|false/, "…"))).toEqual(["ann of app: …, read"]);
  });
});

describe.each(["2025-11-25", "2026-07-28"] as const)("Tasks of %s", (revision) => {
  test("are found by the principal that began them, by any token, and no other (CVE-2026-52870) [rule R4 N10 M6.3]", async () => {
    const { server } = taskServer();
    const { opened, open } = gate();
    server.tool("job", { task: true }, async () => {
      await opened;
      return "done";
    });
    const http = await serve(server, { auth: authorizer() });
    const as = async (token: string): Promise<Client> => {
      const client = await connect(http.url, { ...declaring(), revision, auth: bearerToken(token) });
      onTestFinished(() => client.close());
      return client;
    };
    const taskId = idOf(await begin(await as("ann"), "job"));
    expect(await get(await as("ann-again"), taskId)).toMatchObject({ taskId });
    const unknown = await failureOf(get(await as("ann"), "0".repeat(22)));
    for (const stranger of PRINCIPALS) {
      const failure = await failureOf(get(await as(stranger), taskId));
      expect(JSON.stringify(failure.toErrorData()).replaceAll(taskId, "ID")).toBe(
        JSON.stringify(unknown.toErrorData()).replaceAll("0".repeat(22), "ID"),
      );
    }
    open();
  });
});

test("results that were found for one principal are not for others: private unless the server says otherwise [J4]", async () => {
  const http = await protect();
  for (const method of ["tools/list", "server/discover"])
    expect((await http.post(method, {}, bearing("ann"))).json).toMatchObject({ result: { cacheScope: "private" } });
});

describe("A session that two nodes serve", () => {
  test.each(["2025-06-18", "2025-11-25"])(
    "on %s: a program of its user that registered again goes on at the other node, and no other user does [E4.6 FD-51]",
    async (revision) => {
      const stores = memoryStores();
      const node = { requestState: { keys: ["k".repeat(32)] } };
      const { http, as } = await session(revision, { stores }, undefined, node);
      const other = await protect({ stores }, undefined, node);
      for (const stranger of STRANGERS) expect((await other.raw({ headers: as(stranger), body: call })).status).toBe(404);
      const again = await other.raw({ headers: as("ann-elsewhere"), body: call });
      expect([again.status, said(again)]).toEqual([200, expect.stringContaining("other app")]);
      expect((await EventReader.open(other.port, { headers: as("ann-elsewhere") })).status).toBe(200);
      expect((await http.raw({ headers: as("ann"), body: call })).status).toBe(200);
      expect((await other.raw({ headers: as("ann-elsewhere"), method: "DELETE" })).status).toBe(204);
      await expect.poll(async () => (await http.raw({ headers: as("ann"), body: call })).status, { timeout: 30_000 }).toBe(404);
    },
  );
});
