/** How a listen stream ends, and what is read of it without `await`. */
import { describe, expect, it } from "vitest";
import { ConnectionClosedError, type McpServer } from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix } from "../support/matrix.ts";
import { connected } from "../support/odd-server.ts";
import { RawClient, STATELESS_META } from "../support/raw-client.ts";
import { result, type Reply } from "../support/scripted-server.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";
import { testServer } from "../support/test-server.ts";

function createServer(clock?: VirtualClock): McpServer {
  const server = testServer({ ...(clock && { clock }), onError: () => undefined });
  server.tool("first", {}, () => "");
  server.prompt("first", {}, () => "");
  server.resource("a://1", {}, () => "1");
  server.resource("a://2", {}, () => "2");
  return server;
}

describe("a listen stream that the server ends [requirement Z1]", () => {
  const acknowledge: Reply = ({ id }, server) =>
    server.push({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { toolsListChanged: true }, _meta: { "io.modelcontextprotocol/subscriptionId": id } },
    });
  const ends: Readonly<Record<string, (id: unknown) => object>> = {
    result: (id) => ({
      jsonrpc: "2.0",
      id,
      result: { resultType: "complete", _meta: { "io.modelcontextprotocol/subscriptionId": id } },
    }),
    cancel: (requestId) => ({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }),
  };
  const discovered = result({
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities: {},
    ttlMs: 0,
    cacheScope: "private",
  });

  it.each([["result"], ["cancel"], ["result", "cancel"], ["cancel", "result"]])(
    "has ended for the client with the first word of it, and what comes second is ignored: %s %s [requirement Z1 I8]",
    async (...words) => {
      const replies = { "server/discover": discovered, "subscriptions/listen": acknowledge };
      const { client, server, errors } = await connected(replies, { revision: "2026-07-28" });
      const stream = await client.listen({ tools: true });
      const { id } = server.sent.find(({ method }) => method === "subscriptions/listen")!;
      const next = stream.next();
      for (const word of words) server.push(ends[word]!(id));
      expect(await next).toEqual({ done: true, value: undefined });
      await turn();
      expect(errors).toEqual([]);
      expect(server.sent.filter(({ method }) => method === "notifications/cancelled")).toEqual([]);
    },
  );

  it("no other call of the client can be ended so [requirement Z1]", async () => {
    const { client, server } = await connected({ "server/discover": discovered }, { revision: "2026-07-28" });
    const call = client.request("tools/list");
    const { id } = server.sent.at(-1)!;
    server.push(ends["cancel"]!(id));
    server.push({ jsonrpc: "2.0", id, result: { resultType: "complete", tools: [], ttlMs: 0, cacheScope: "private" } });
    expect(await call).toMatchObject({ tools: [] });
  });

  it.each([
    [true, ["answer", "notifications/cancelled"]],
    [false, ["answer"]],
    [undefined, ["answer"]],
  ])(
    "is announced by its result, and with cancelListens: %s by a cancel after it [requirement Z1 requirement G4 I8 A3.10]",
    async (cancelListens, words) => {
      const server = createServer();
      const client = new RawClient(server, cancelListens === undefined ? {} : { cancelListens });
      const params = { notifications: { toolsListChanged: true }, _meta: STATELESS_META };
      for (const id of [0, "b"]) await client.send({ jsonrpc: "2.0", id, method: "subscriptions/listen", params });
      // What the client cancels by itself needs no word.
      await client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "b" } });
      void server.close();
      const told = await client.send();
      expect(told.map(({ method }) => method ?? "answer")).toEqual(words);
      const tag = { "io.modelcontextprotocol/subscriptionId": 0 };
      expect(told[0]).toMatchObject({ id: 0, result: { _meta: tag } });
      if (cancelListens)
        expect(told[1]).toMatchObject({ params: { requestId: 0, reason: "The server ends the stream", _meta: tag } });
    },
  );
});
describeMatrix("Listening without `await`", ({ connect }) => {
  it("gives the changes to a loop, and the stream to an await", async () => {
    const server = createServer();
    const client = await connect(server);
    const listening = client.listen({ tools: true });
    const stream = await listening;
    server.tool("second", {}, () => "");
    for await (const change of listening) {
      expect(change).toEqual({ kind: "tools" });
      break;
    }
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it("ends its loop quietly when its signal aborts: before, while and after the server begins to watch", async () => {
    const server = createServer();
    const client = await connect(server);
    const kinds: string[] = [];
    for await (const change of client.listen({ tools: true }, { signal: AbortSignal.abort() })) kinds.push(change.kind);
    const early = new AbortController();
    const opening = client.listen({ tools: true, resources: ["a://1"] }, { signal: early.signal });
    early.abort(new Error("enough"));
    for await (const change of opening) kinds.push(change.kind);
    await opening.catch((error: unknown) => expect(error).toBe(early.signal.reason));
    const late = new AbortController();
    const open = client.listen({ tools: true }, { signal: late.signal });
    await open;
    server.tool("second", {}, () => "");
    for await (const change of open) {
      kinds.push(change.kind);
      late.abort(new Error("enough"));
    }
    expect(kinds).toEqual(["tools"]);
  });

  it("throws out of its loop if the server does not watch", async () => {
    const server = testServer();
    const client = await connect(server);
    await client.close();
    const read = async (): Promise<void> => {
      for await (const change of client.listen({ tools: true })) throw new Error(change.kind);
    };
    expect(await failureOf(read())).toBeInstanceOf(ConnectionClosedError);
  });
});
