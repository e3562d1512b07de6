/** Changes of lists and resources, as clients of both families hear of them. */
import { describe, expect, it } from "vitest";
import { ConnectionClosedError, type McpServer, type ChangeStream, type Client, type JsonObject, type ServerChange } from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { describeInProcess, describeMatrix, open } from "../support/matrix.ts";
import { RawClient, STATELESS_META } from "../support/raw-client.ts";
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

/** What a stream has heard so far. That the connection ends with the test is not its concern. */
function heard(stream: ChangeStream): ServerChange[] {
  const changes: ServerChange[] = [];
  const read = async (): Promise<void> => {
    for await (const change of stream) changes.push(change);
  };
  read().catch((error: unknown) => expect(error).toBeInstanceOf(ConnectionClosedError));
  return changes;
}

describeInProcess("Changes", ({ connect, stateless }) => {
  it("a hundred registrations at once are announced as one change [I1 I4 U3]", async () => {
    const clock = new VirtualClock();
    const server = createServer(clock);
    const client = await connect(server, { clock });
    const changes = heard(await client.listen({ tools: true, prompts: true, resources: true }));
    for (let index = 0; index < 100; index++) server.tool(`tool-${index}`, {}, () => "");
    server.prompt("second", {}, () => "");
    server.resourceTemplate("b://{x}", {}, () => "");
    await turn();
    expect(changes).toEqual([{ kind: "tools" }, { kind: "prompts" }, { kind: "resources" }]);
    // Those that follow within 50 ms go out together when they are over.
    server.tool("late", {}, () => "");
    server.tool("later", {}, () => "");
    await clock.advance(49);
    expect(changes).toHaveLength(3);
    await clock.advance(1);
    expect(changes.slice(3)).toEqual([{ kind: "tools" }]);
  });

  it("enabling, disabling, updating and removing are changes; doing nothing is not a change [I1 I5]", async () => {
    const clock = new VirtualClock();
    const server = createServer(clock);
    const handle = server.tool("second", {}, () => "");
    const client = await connect(server, { clock });
    const changes = heard(await client.listen({ tools: true }));
    const steps: [() => void, number][] = [
      [() => handle.disable(), 1],
      [() => handle.disable(), 0],
      [() => handle.enable(), 1],
      [() => handle.enable(), 0],
      [() => handle.update({ description: "new" }), 1],
      [() => handle.remove(), 1],
      [() => handle.remove(), 0],
      [() => handle.disable(), 0],
    ];
    for (const [index, [step, expected]] of steps.entries()) {
      changes.length = 0;
      step();
      await clock.advance(100);
      expect([index, changes.length]).toEqual([index, expected]);
    }
  });

  it("single resources: only those watched, byte for byte, and only as long as they are [I1 I3 I5 SS-67 CL-18]", async () => {
    const clock = new VirtualClock();
    const server = createServer(clock);
    const client = await connect(server, { clock });
    const stream = await client.listen({ resources: ["a://1"] });
    const changes = heard(stream);
    const update = async (uri: string | URL): Promise<void> => {
      server.resourceUpdated(uri);
      await clock.advance(100);
    };
    await update("a://1");
    await update("a://2");
    await update("A://1");
    server.tool("second", {}, () => "");
    await update(new URL("a://1"));
    expect(changes).toEqual([
      { kind: "resource", uri: "a://1" },
      { kind: "resource", uri: "a://1" },
    ]);
    await stream.close();
    await update("a://1");
    expect(changes).toHaveLength(2);
  });

  it("two streams are independent: closing one leaves the other [I6 C.8]", async () => {
    const clock = new VirtualClock();
    const server = createServer(clock);
    const client = await connect(server, { clock });
    const one = await client.listen({ resources: ["a://1", "a://2"] });
    const two = await client.listen({ resources: ["a://1"] });
    const [ofOne, ofTwo] = [heard(one), heard(two)];
    await one.close();
    server.resourceUpdated("a://1");
    await clock.advance(100);
    expect([ofOne, ofTwo]).toEqual([[], [{ kind: "resource", uri: "a://1" }]]);
    await two.close();
    const three = heard(await client.listen({ resources: ["a://1"] }));
    server.resourceUpdated("a://1");
    await clock.advance(100);
    expect(three).toHaveLength(1);
  });

  it("a server that closes ends the stream in order, with any middleware [I8]", async () => {
    const server = createServer();
    server.use((next) => async (context) => {
      await turn();
      const result = await next(context);
      for (let step = 0; step < 10; step++) await Promise.resolve();
      return result;
    });
    const client = await connect(server);
    const stream = await client.listen({ tools: true });
    const next = stream.next();
    await server.close();
    if (stateless) expect(await next).toEqual({ done: true, value: undefined });
    else expect(await failureOf(next)).toMatchObject({ code: -32000 });
    await client.closed;
  });

  it("a lost connection ends the stream with its error, a closed stream with none [I9 XT-20]", async () => {
    const client = await connect(createServer());
    const [lost, closed] = [await client.listen({ tools: true }), await client.listen({ tools: true })];
    const [next, done] = [failureOf(lost.next()), closed.next()];
    await closed.close();
    await closed.close();
    expect(await done).toEqual({ done: true, value: undefined });
    await client.close();
    expect(await next).toMatchObject({ code: -32000 });
    expect(await lost.next()).toEqual({ done: true, value: undefined });
    expect(await failureOf(client.listen({ tools: true }))).toMatchObject({ code: -32000 });
  });

  it("unread changes are kept once each, in order [I1]", async () => {
    const clock = new VirtualClock();
    const server = createServer(clock);
    const client = await connect(server, { clock });
    const stream = await client.listen({ tools: true, prompts: true });
    for (let round = 0; round < 3; round++) {
      server.tool(`tool-${round}`, {}, () => "");
      server.prompt(`prompt-${round}`, {}, () => "");
      await clock.advance(100);
    }
    expect([await stream.next(), await stream.next()].map(({ value }) => value)).toEqual([
      { kind: "tools" },
      { kind: "prompts" },
    ]);
    const waiting = stream.next();
    await expect(stream.next()).rejects.toThrow("one reader");
    await stream.close();
    expect((await waiting).done).toBe(true);
  });

  it("subscribing by hand is of the stateful revisions [I2 CL-18 I8]", async () => {
    const clock = new VirtualClock();
    const server = createServer(clock);
    const messages: unknown[] = [];
    const client = await connect(server, { clock, onMessage: (message) => void messages.push(message) });
    if (stateless) {
      expect(await failureOf(client.subscribeResource("a://1"))).toMatchObject({ code: -32601 });
      return;
    }
    expect(await failureOf(client.subscribeResource("a://none"))).toMatchObject({ code: -32002 });
    expect(await client.subscribeResource("a://1")).toEqual({});
    server.resourceUpdated("a://1");
    await clock.advance(100);
    expect(await client.unsubscribeResource("a://1")).toEqual({});
    server.resourceUpdated("a://1");
    await clock.advance(100);
    expect(messages).toEqual([{ method: "notifications/resources/updated", params: { uri: "a://1" } }]);
  });
});

describeMatrix("The list of resources and some of them", ({ connect }) => {
  it("are watched together, by one stream [I1 I3 I5]", async () => {
    const server = createServer();
    const client = await connect(server);
    const stream = await client.listen({ resources: { list: true, uris: ["a://1"] } });
    const changes = heard(stream);
    server.resourceUpdated("a://2");
    server.resourceUpdated("a://1");
    server.resource("a://3", {}, () => "");
    await expect.poll(() => changes).toHaveLength(2);
    expect(changes).toEqual(expect.arrayContaining([{ kind: "resource", uri: "a://1" }, { kind: "resources" }]));
    await stream.close();
  });

  it("an empty filter watches nothing [I3 I5]", async () => {
    const server = createServer();
    const client = await connect(server);
    const [nothing, marker] = [await client.listen({ resources: {} }), await client.listen({ tools: true })];
    const [changes, marks] = [heard(nothing), heard(marker)];
    server.resourceUpdated("a://1");
    server.resource("a://3", {}, () => "");
    server.tool("late", {}, () => "");
    await expect.poll(() => marks).toHaveLength(1);
    expect(changes).toEqual([]);
  });
});

describe("A listen stream on the wire", () => {
  const listen = (id: string | number, notifications: JsonObject): JsonObject => ({
    jsonrpc: "2.0",
    id,
    method: "subscriptions/listen",
    params: { notifications, _meta: STATELESS_META },
  });
  const tag = (id: string | number): JsonObject => ({ "io.modelcontextprotocol/subscriptionId": id });

  it("acknowledges first, tags everything with the id as it was sent, delivers once per stream [I4 I5 A3.10 I6]", async () => {
    const server = createServer();
    const client = new RawClient(server);
    const written = await client.send(
      listen(7, { toolsListChanged: true, resourceSubscriptions: ["a://1"] }),
      listen("7", { promptsListChanged: true, toolsListChanged: true }),
    );
    expect(written).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/subscriptions/acknowledged",
        params: { _meta: tag(7), notifications: { toolsListChanged: true, resourceSubscriptions: ["a://1"] } },
      },
      {
        jsonrpc: "2.0",
        method: "notifications/subscriptions/acknowledged",
        params: { _meta: tag("7"), notifications: { promptsListChanged: true, toolsListChanged: true } },
      },
    ]);
    server.tool("second", {}, () => "");
    server.prompt("second", {}, () => "");
    server.resourceUpdated("a://1");
    expect(await client.send()).toEqual([
      { jsonrpc: "2.0", method: "notifications/tools/list_changed", params: { _meta: tag(7) } },
      { jsonrpc: "2.0", method: "notifications/tools/list_changed", params: { _meta: tag("7") } },
      { jsonrpc: "2.0", method: "notifications/prompts/list_changed", params: { _meta: tag("7") } },
      { jsonrpc: "2.0", method: "notifications/resources/updated", params: { _meta: tag(7), uri: "a://1" } },
    ]);
  });

  it("what is not served is left out silently, all of it if need be [I10]", async () => {
    const server = testServer({ onError: () => undefined });
    server.tool("only", {}, () => "");
    const client = new RawClient(server);
    const wanted = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ["a://1"],
      taskIds: ["t"],
    };
    expect(await client.send(listen(1, wanted))).toMatchObject([{ params: { notifications: { toolsListChanged: true } } }]);
    expect(await client.send(listen(2, { promptsListChanged: true }))).toEqual([
      { jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: { _meta: tag(2), notifications: {} } },
      // it will never say anything
      { jsonrpc: "2.0", id: 2, result: { resultType: "complete", _meta: expect.objectContaining(tag(2)) as unknown } },
    ]);
    const [refused] = await client.send(listen(3, { toolsListChanged: "yes" }));
    expect(refused).toMatchObject({ id: 3, error: { code: -32602 } });
  });

  it("ends without a word when it is cancelled, id 0 included [I7 C.5 requirement G3]", async () => {
    const server = createServer();
    const client = new RawClient(server);
    await client.send(listen(0, { toolsListChanged: true }));
    expect(await client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 0 } })).toEqual([]);
    server.tool("second", {}, () => "");
    expect(await client.send()).toEqual([]);
  });

  it("ends with a result when the server closes [I8 A3.10 requirement Z1]", async () => {
    const server = createServer();
    const client = new RawClient(server);
    await client.send(listen("last", { toolsListChanged: true }));
    await server.close();
    expect(await client.send()).toMatchObject([
      { jsonrpc: "2.0", id: "last", result: { resultType: "complete", _meta: tag("last") } },
    ]);
  });

  it("unsolicited changes are for connections that have shaken hands, and for those only [I1 I2 B5.6]", async () => {
    const server = createServer();
    const [stateful, silent] = [new RawClient(server), new RawClient(server)];
    await stateful.initialize("2025-06-18");
    await silent.ask("tools/list");
    server.tool("second", {}, () => "");
    expect(await stateful.send()).toEqual([{ jsonrpc: "2.0", method: "notifications/tools/list_changed" }]);
    expect(await silent.send()).toEqual([]);
  });
});

describe("The time limits of a listen stream", () => {
  it("no call or handler ever times it out [I11]", async () => {
    const clock = new VirtualClock();
    const server = createServer(clock);
    const limits = { clock, timeout: 1_000, maxTotalTimeout: 1_000, limits: { handlerTimeout: 1_000 } };
    const client: Client = await open("memory", server, { revision: "2026-07-28", ...limits }, limits);
    const changes = heard(await client.listen({ tools: true }));
    await clock.advance(24 * 3_600_000);
    server.tool("second", {}, () => "");
    await turn();
    expect(changes).toEqual([{ kind: "tools" }]);
    await client.close();
  });
});
