/** What a gateway bounds: unused connections and the connections of one server. On virtual time. */
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, onTestFinished } from "vitest";
import { acceptorOf, ConnectionClosedError, McpServer, type Servable, type ProtocolVersion } from "tenon";
import { turn, VirtualClock } from "../support/virtual-clock.ts";
import { clientOf, gatewayOf } from "./support.ts";
import { deferred, gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

/** Revisions of a client and of a server: with and without sessions. */
const PAIRS = ["2025-11-25", "2026-07-28"].flatMap((client) =>
  ["2025-11-25", "2026-07-28"].map((server) => [client, server] as [ProtocolVersion, ProtocolVersion]),
);

/** A server that counts its open connections, and all that there were. */
function counted(): { target: Servable; open: () => number; opened: () => number; server: McpServer } {
  const server = testServer({ name: "counted" });
  server.tool("ping", {}, () => "pong");
  let open = 0;
  let opened = 0;
  const target: Servable = {
    accept: async (dispatcher) => {
      open++;
      opened++;
      await acceptorOf(server)
        .accept(dispatcher)
        .finally(() => open--);
    },
  };
  return { target, open: () => open, opened: () => opened, server };
}

/**
 * Adds a resource to a server that ends the first watch of it, as soon as it was acknowledged. Returns how many watches there
 * were.
 */
function endingFirstWatch(server: McpServer): () => number {
  server.resource("place://oslo", {}, () => "rain");
  let watches = 0;
  server.use("subscriptions/listen", (next) => (context) => {
    if (!JSON.stringify(context.params).includes("place://oslo")) return next(context);
    if (++watches === 1) setImmediate(() => ended.abort());
    const ended = new AbortController();
    const result = { resultType: "complete", _meta: { "io.modelcontextprotocol/subscriptionId": context.requestId } };
    const over = new Promise<typeof result>((resolve) => ended.signal.addEventListener("abort", () => resolve(result)));
    return Promise.race([next(context), over]);
  });
  return () => watches;
}

it("closes a connection that was unused for as long as the option says, counted from its last call", async () => {
  const clock = new VirtualClock();
  const { target, open } = counted();
  const gateway = gatewayOf({ servers: { up: { target, revision: "2025-11-25" } }, clock, idleTimeout: 1_000 });
  const client = await clientOf(gateway, { revision: "2026-07-28" });
  await client.callTool("up__ping");
  await clock.advance(900);
  await client.callTool("up__ping");
  await clock.advance(999);
  expect(open()).toBe(1);
  await clock.advance(1);
  await expect.poll(open).toBe(0);
  expect((await client.callTool("up__ping")).text).toBe("pong");
  expect(open()).toBe(1);
});

it("keeps the connection of a session open until the session has ended", async () => {
  const clock = new VirtualClock();
  const { target, open } = counted();
  const gateway = gatewayOf({ servers: { up: { target, revision: "2025-11-25" } }, clock, idleTimeout: 1_000 });
  const client = await clientOf(gateway, { revision: "2025-11-25" });
  await client.callTool("up__ping");
  await clock.advance(10_000);
  expect(open()).toBe(1);
  await client.close();
  await clock.advance(1_000);
  await expect.poll(open).toBe(0);
});

it.each(PAIRS)(
  "keeps the connections of a server when a client of %s ends in the middle of its call to %s",
  async (revision, upstream) => {
    const { opened: end, open: goOn } = gate();
    let running = 0;
    const { target, open, opened, server } = counted();
    server.tool("wait", {}, async () => {
      running++;
      await end;
      return "done";
    });
    const gateway = gatewayOf({ servers: { up: { target, revision: upstream } } });
    const [first, second] = [await clientOf(gateway, { revision }), await clientOf(gateway, { revision })];
    const given = first.callTool("up__wait");
    const other = second.callTool("up__wait");
    await expect.poll(() => running).toBe(2);
    const before = opened();
    await first.close();
    await expect(given).rejects.toThrow("Connection closed");
    goOn();
    expect((await other).text).toBe("done");
    expect((await second.callTool("up__ping")).text).toBe("pong");
    expect(opened()).toBe(before);
    await gateway.close();
    expect(open()).toBe(0);
  },
);

it("has ended its programs when close() resolves, also those whose call does not end", async () => {
  const program = fileURLToPath(new URL("lasting-server.mjs", import.meta.url));
  const gateway = gatewayOf({ servers: { up: { command: process.execPath, args: [program] } } });
  const client = await clientOf(gateway, { revision: "2026-07-28" });
  const pid = Number((await client.callTool("up__pid")).text);
  const stays = client.callTool("up__stay");
  await client.callTool("up__pid"); // the server has taken both
  await Promise.all([expect(stays).rejects.toThrow("Connection closed"), gateway.close()]);
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

it("watches a resource again that its server has ceased to watch, and the caller hears that it may have changed", async () => {
  const clock = new VirtualClock();
  const { target, server } = counted();
  const watches = endingFirstWatch(server);
  const gateway = gatewayOf({ servers: { up: { target, revision: "2026-07-28" } }, clock });
  const client = await clientOf(gateway, { revision: "2025-11-25" });
  const uris = (await client.listResources()).resources.map(({ uri }) => uri);
  const changes = await client.listen({ resources: uris });
  onTestFinished(() => changes.close());
  const heard: unknown[] = [];
  void (async () => {
    for await (const change of changes) heard.push(change);
  })();
  await expect.poll(watches).toBe(1);
  await expect.poll(async () => (await clock.advance(2_000), watches())).toBe(2);
  await expect.poll(() => heard.length).toBe(1);
  server.resourceUpdated("place://oslo");
  await expect.poll(async () => (await clock.advance(100), heard.length)).toBe(2);
});

it("tries no more to watch a resource of a server that was removed while its watch was interrupted", async () => {
  const clock = new VirtualClock();
  const { target, server } = counted();
  const watches = endingFirstWatch(server);
  const reported: unknown[] = [];
  const onError = (error: unknown): void => void reported.push(error);
  const gateway = gatewayOf({ servers: { up: { target, revision: "2026-07-28" } }, clock, onError });
  const client = await clientOf(gateway, { revision: "2025-11-25" });
  const uris = (await client.listResources()).resources.map(({ uri }) => uri);
  const changes = await client.listen({ resources: uris });
  onTestFinished(() => changes.close());
  await expect.poll(watches).toBe(1);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  await gateway.setServers({});
  for (let minute = 0; minute < 5; minute++) await clock.advance(60_000);
  expect(reported).toEqual([]);
  expect(watches()).toBe(1);
});

it("refuses a caller by name if all connections of a server are in use, and serves it when one is free", async () => {
  const { target, open } = counted();
  const gateway = gatewayOf({ servers: { up: { target, revision: "2025-11-25" } }, limits: { maxConnections: 1 } });
  const first = await clientOf(gateway, { revision: "2025-11-25" });
  const second = await clientOf(gateway, { revision: "2025-11-25" });
  await first.callTool("up__ping");
  const refused = second.callTool("up__ping");
  await expect(refused).rejects.toMatchObject({ code: -32603, data: { server: "up", reason: "busy" } });
  await expect(refused).rejects.toThrow('limit "maxConnections"');
  await first.close();
  await expect.poll(() => second.callTool("up__ping").catch(() => ({ text: "" }))).toMatchObject({ text: "pong" });
  expect(open()).toBe(1);
});

it("keeps nothing of the servers that were replaced while a client listens", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const targets: WeakRef<Servable>[] = [];
  const entry = (): { target: Servable; revision: "2025-11-25" } => {
    const { target } = counted();
    targets.push(new WeakRef(target));
    return { target, revision: "2025-11-25" };
  };
  const clock = new VirtualClock();
  const gateway = gatewayOf({ servers: { up: entry() }, clock });
  const client = await clientOf(gateway, { revision: "2026-07-28" });
  const changes = await client.listen({ tools: true });
  onTestFinished(() => changes.close());
  for (let change = 0; change < 10; change++) {
    await client.callTool("up__ping");
    await gateway.setServers({ up: entry() });
    await clock.advance(1_000);
  }
  await client.callTool("up__ping");
  // The last ones may still be held: by their drain, and until the next change.
  await expect.poll(() => (collect(), targets.filter((one) => one.deref() !== undefined).length)).toBeLessThanOrEqual(4);
});

describe.each(["client", "gateway"] as const)("a call that middleware holds until the %s is closed", (which) => {
  it.each(PAIRS)("client %s, server %s: opens no connection, and is no fault of the gateway", async (front, revision) => {
    const { target, opened } = counted();
    const errors: Error[] = [];
    const gateway = gatewayOf({ servers: { s: { target, revision } }, onError: (error) => errors.push(error) });
    const [held, going] = [gate(), gate()];
    const end = deferred<unknown>();
    gateway.use("tools/call", (next) => async (context) => {
      held.open();
      await going.opened;
      const result = Promise.resolve(next(context));
      result.then(end.resolve, end.resolve);
      return result;
    });
    const client = await clientOf(gateway, { revision: front });
    client.callTool("s__ping").catch(() => undefined); // its connection ends
    await held.opened;
    await (which === "client" ? client : gateway).close();
    going.open();
    expect(await end.promise).toBeInstanceOf(ConnectionClosedError);
    expect([opened(), errors]).toEqual([0, []]);
  });
});

it("a call that waits for the connection of another caller opens none when the gateway is closed", async () => {
  let attempts = 0;
  const never = gate();
  const target = (): Promise<Servable> => (attempts++, never.opened.then(() => testServer()));
  const gateway = gatewayOf({ servers: { s: target }, limits: { maxConnections: 2 }, clock: new VirtualClock() });
  const clients = [await clientOf(gateway), await clientOf(gateway)];
  for (const client of clients) {
    client.callTool("s__ping").catch(() => undefined); // its connection ends
    await turn();
  }
  await expect.poll(() => attempts).toBe(1);
  await gateway.close();
  await turn();
  expect(attempts).toBe(1);
});
