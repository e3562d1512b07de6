/** A server that is slow, silent or refuses one caller: what the callers of the others see of it. On virtual time. */
import { expect, it } from "vitest";
import { McpServer, type Servable } from "tenon";
import type { GatewayOptions } from "tenon/gateway";
import { VirtualClock } from "tenon/testing";
import { clientOf, gatewayOf } from "./support.ts";
import { deferred } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

function fineServer(): McpServer {
  const server = testServer({ name: "fine" });
  server.tool("here", {}, () => "here");
  server.resource("note://fine", {}, () => "fine");
  return server;
}

/** It takes connections and never responds. */
const silent: Servable = { accept: () => new Promise<void>(() => undefined) };

const onElicit = (): { action: "cancel" } => ({ action: "cancel" });

it("serves all others while a server refuses one caller for its abilities, at once and later", async () => {
  const picky = fineServer();
  picky.use("initialize", (next) => (context) => {
    const { elicitation } = (context.params["capabilities"] ?? {}) as { elicitation?: object };
    if (elicitation !== undefined) throw new Error("No client that can be asked");
    return next(context);
  });
  const clock = new VirtualClock();
  const gateway = gatewayOf({ clock, servers: { picky: { target: picky, revision: "2025-11-25" } } });
  const refused = await clientOf(gateway, { revision: "2025-11-25", onElicit });
  const taken = await clientOf(gateway, { revision: "2025-11-25" });
  const calls = [refused.callTool("picky__here"), taken.callTool("picky__here")] as const;
  await expect(calls[0]).rejects.toMatchObject({ code: -32603, data: { server: "picky", reason: "down" } });
  expect((await calls[1]).text).toBe("here");
  await expect(refused.callTool("picky__here")).rejects.toMatchObject({
    data: { reason: "down", retryAfterMs: expect.toSatisfy((ms: number) => ms >= 200 && ms <= 250) },
  });
  const later = await clientOf(gateway, { revision: "2025-11-25" });
  expect((await later.callTool("picky__here")).text).toBe("here");
});

it("waits twice as long after each failure to connect, up to half a minute", async () => {
  let isDown = true;
  const server = fineServer();
  server.use("initialize", (next) => (context) => {
    if (isDown) throw new Error("Not now");
    return next(context);
  });
  const clock = new VirtualClock();
  const gateway = gatewayOf({ clock, servers: { late: { target: server, revision: "2025-11-25" } } });
  const client = await clientOf(gateway, { revision: "2025-11-25" });
  /** Milliseconds until the next attempt, as the error of an attempt says. */
  const pause = async (): Promise<number> => {
    const error: unknown = await client.callTool("late__here").catch((reason: unknown) => reason);
    expect(error).toMatchObject({ data: { server: "late", reason: "down" } });
    return (error as { data: { retryAfterMs: number } }).data.retryAfterMs; // matched above
  };
  for (const longest of [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    const ms = await pause();
    expect(ms, `at most ${longest}`).toBeLessThanOrEqual(longest);
    expect(ms, `a fifth below ${longest} at most`).toBeGreaterThanOrEqual(longest * 0.8);
    await clock.advance(ms);
  }
  isDown = false;
  expect((await client.callTool("late__here")).text).toBe("here");
});

it("acknowledges a stream of changes while a server is silent, and tells when it joins", async () => {
  const { promise: opened, resolve: open } = deferred<McpServer>();
  const slow = (): Promise<McpServer> => opened;
  const gateway = gatewayOf({ servers: { slow, fine: fineServer() }, readyTimeout: Infinity });
  const client = await clientOf(gateway, { revision: "2026-07-28" });
  const changes = await client.listen({ tools: true });
  expect(await changes.next()).toEqual({ done: false, value: { kind: "tools" } });
  const late = fineServer();
  open(late);
  expect(await changes.next()).toEqual({ done: false, value: { kind: "tools" } });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["slow__here", "fine__here"]);
});

it("leaves out of a stream what a server does not confirm in time, and tells of the other resources", async () => {
  const mute = testServer({ name: "mute" });
  mute.resource("note://mute", {}, () => "mute");
  mute.use("resources/subscribe", () => () => new Promise<never>(() => undefined));
  const fine = fineServer();
  const clock = new VirtualClock();
  const servers = { mute: { target: mute, revision: "2025-11-25" as const }, fine };
  let acknowledged: unknown;
  const client = await clientOf(gatewayOf({ clock, servers }), {
    revision: "2026-07-28",
    onMessage: ({ method, params }) => {
      if (method === "notifications/subscriptions/acknowledged") acknowledged = params["notifications"];
    },
  });
  await client.listResources();
  const listening = client.listen({ resources: ["note://mute", "note://fine"] });
  await clock.advance(3_500);
  const changes = await listening;
  expect(acknowledged).toEqual({ resourceSubscriptions: ["note://fine"] });
  fine.resourceUpdated("note://fine");
  expect(await changes.next()).toEqual({ done: false, value: { kind: "resource", uri: "note://fine" } });
});

it("waits for a silent server once, and names it in the lists", async () => {
  const clock = new VirtualClock();
  const client = await clientOf(gatewayOf({ clock, servers: { silent, fine: fineServer() } }), { revision: "2025-11-25" });
  await client.request("tools/call", { name: "fine__here" }); // its connection takes no time of the clock, but time
  let isListed = false;
  const first = client.listTools().finally(() => (isListed = true));
  await clock.advance(1_499);
  expect(isListed).toBe(false);
  await clock.advance(1);
  const connecting = { "dev.tenon/connecting": ["silent"] };
  expect(await first).toMatchObject({ tools: [{ name: "fine__here" }], _meta: connecting });
  // No more time passes.
  expect((await client.listTools())._meta).toEqual(connecting);
  expect((await client.readResource("note://fine")).contents).toMatchObject([{ text: "fine" }]);
});

it("with a policy it says that a server is missing in a list, and not which", async () => {
  const clock = new VirtualClock();
  const policy: GatewayOptions["policy"] = ({ server, annotations }) => server === "fine" || annotations["readOnlyHint"] === true;
  const client = await clientOf(gatewayOf({ clock, servers: { silent, fine: fineServer() }, policy }), {
    revision: "2025-11-25",
  });
  await client.request("tools/call", { name: "fine__here" });
  const first = client.listTools();
  await clock.advance(1_500);
  expect(await first).toMatchObject({ tools: [{ name: "fine__here" }], _meta: { "dev.tenon/connecting": true } });
});

it("does not wait for a server of which the policy lets a caller see nothing, and says nothing of it", async () => {
  const policy: GatewayOptions["policy"] = ({ server }) => server === "fine";
  const gateway = gatewayOf({ clock: new VirtualClock(), servers: { silent, fine: fineServer() }, policy });
  const client = await clientOf(gateway, { revision: "2025-11-25" });
  const { tools, _meta } = await client.listTools();
  expect([tools.map(({ name }) => name), _meta]).toEqual([["fine__here"], undefined]);
});
