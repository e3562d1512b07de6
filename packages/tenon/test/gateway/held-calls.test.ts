/** Calls of clients without sessions that wait for answers: how many there may be, and which of them gets a question. */
import { expect, it, onTestFinished } from "vitest";
import { connect, McpServer, type Client, type Target, type ConnectOptions, type InputRequiredResult } from "tenon";
import { createGateway, type GatewayOptions } from "tenon/gateway";
import { createFetchHandler } from "tenon/server";
import * as z from "zod";
import { byName } from "./support.ts";
import { gate } from "../support/gate.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { testServer } from "../support/test-server.ts";

const named = z.object({ name: z.string() });

async function clientOf(server: Target, limits: GatewayOptions["limits"], options?: ConnectOptions): Promise<Client> {
  const gateway = createGateway({
    readyTimeout: 60_000,
    servers: { up: { target: server, revision: "2025-11-25" } },
    limits: { ...limits },
    onError: () => undefined,
  });
  const client = await connect(gateway, {
    revision: "2026-07-28",
    onElicit: () => ({ action: "accept", content: { name: "Ada" } }),
    ...options,
  });
  onTestFinished(async () => {
    await client.close();
    await gateway.close();
  });
  return client;
}

function asking(): McpServer {
  const server = testServer({ name: "up" });
  server.tool(
    "ask",
    {},
    async (_input, ctx) => (await ctx.elicit("name", { message: "Name?", schema: named })).content?.name ?? "nobody",
  );
  return server;
}

/** What a held call counts beside its questions and its result. */
const CALL = 131_072;
/** A result that counts as much as three calls. */
const LARGE = 3 * CALL;

it("calls that have ended do not count as calls that wait", async () => {
  const client = await clientOf(asking(), { maxHeld: 5 * CALL });
  for (let call = 0; call < 5; call++) expect((await client.callTool("up__ask")).text).toBe("Ada");
});

it("a call that waits is never given up for another one, and a result that its client has not got stays", async () => {
  const client = await clientOf(asking(), { maxHeld: 5 * CALL }, { limits: { maxRounds: 0 } });
  const begin = () => client.request("tools/call", { name: "up__ask", arguments: {} });
  const go = (asked: object) => {
    const { requestState, inputRequests } = asked as InputRequiredResult;
    const inputResponses = { [Object.keys(inputRequests!)[0]!]: { action: "accept", content: { name: "Ada" } } };
    return client.request("tools/call", { name: "up__ask", arguments: {}, requestState, inputResponses });
  };
  const [first, second] = [await begin(), await begin()];
  await expect(begin()).rejects.toMatchObject({ data: { limit: "maxHeld" } });
  const done = await go(first);
  expect(done).toMatchObject({ content: [{ text: "Ada" }] });
  expect(await go(first)).toEqual(done); // its response may have been lost
  const third = await begin();
  for (const one of [second, third]) expect(await go(one)).toMatchObject({ content: [{ text: "Ada" }] });
});

it("a question whose server does not name its call reaches the client although another call ends meanwhile", async () => {
  const server = testServer({ name: "up" });
  const { opened: begun, open: begin } = gate();
  const { opened: ended, open: end } = gate();
  server.tool("ask", {}, async (_input, ctx) => {
    await begun;
    const asked = ctx.elicit("name", { message: "Name?", schema: named });
    setImmediate(end); // the gateway has the question by then
    return (await asked).content?.name ?? "nobody";
  });
  server.tool("other", {}, async () => {
    begin();
    await ended;
    return "other";
  });
  const client = await clientOf(server, {});
  await client.listTools();
  const [asked, other] = await Promise.all([client.callTool("up__ask"), client.callTool("up__other")]);
  expect([asked.text, other.text]).toEqual(["Ada", "other"]);
});

/** A server whose tool asks, does not wait for the answer longer than for its gate, and returns a text of that size. */
function returning(): { server: McpServer; go: () => void } {
  const server = testServer({ name: "up" });
  const { opened, open: go } = gate();
  server.tool("text", { input: z.object({ size: z.number() }) }, async ({ size }, ctx) => {
    const asked = ctx.elicit("name", { message: "Name?", schema: named }).catch(() => undefined);
    await Promise.race([opened, asked]);
    return "x".repeat(size);
  });
  return { server, go };
}

/** Begins calls of a client that does not answer by itself, and continues them. */
function byHand(client: Client) {
  const begin = (size: number) => client.request("tools/call", { name: "up__text", arguments: { size } }) as Promise<object>;
  const resume = (size: number, asked: object) => {
    const { requestState, inputRequests } = asked as InputRequiredResult;
    const inputResponses = { [Object.keys(inputRequests!)[0]!]: { action: "accept", content: { name: "Ada" } } };
    return client.request("tools/call", {
      name: "up__text",
      arguments: { size },
      requestState,
      inputResponses,
    }) as Promise<object>;
  };
  return { begin, resume };
}

it("a result that is too large to be kept for its client becomes an error that names the limit", async () => {
  const { server, go } = returning();
  const client = await clientOf(server, { maxHeld: 2 ** 22 }, { limits: { maxRounds: 0 } });
  const { begin, resume } = byHand(client);
  const [small, large] = [await begin(1_000), await begin(2 ** 20)]; // a quarter, and the message around it; there is room for it
  go();
  await client.request("tools/call", { name: "up__text", arguments: { size: 1 } }); // the others have ended before it
  await expect(resume(2 ** 20, large)).rejects.toMatchObject({
    code: -32603,
    data: { server: "up", limit: "maxHeld", max: 2 ** 22, reason: "limit" },
  });
  expect(await resume(1_000, small)).toMatchObject({ content: [{ text: "x".repeat(1_000) }] });
});

it("a result of any size goes to the request that waits for it, and a repeat of that request gets the error", async () => {
  const { server } = returning();
  const client = await clientOf(server, { maxHeld: 5 * CALL }, { limits: { maxRounds: 0 } });
  const { begin, resume } = byHand(client);
  const asked = await begin(LARGE);
  expect(await resume(LARGE, asked)).toMatchObject({ content: [{ text: "x".repeat(LARGE) }] });
  await expect(resume(LARGE, asked)).rejects.toMatchObject({ data: { limit: "maxHeld", max: 5 * CALL } });
});

it("results that are kept are bounded in all, and those that were sent make room for others", async () => {
  const { server, go } = returning();
  const client = await clientOf(server, { maxHeld: 22 * CALL }, { limits: { maxRounds: 0 } });
  const { begin, resume } = byHand(client);
  const sent = await begin(LARGE);
  expect(await resume(LARGE, sent)).toMatchObject({ content: [{ text: "x".repeat(LARGE) }] });
  const [first, second, third] = [await begin(LARGE), await begin(LARGE), await begin(LARGE)];
  go();
  await client.request("tools/call", { name: "up__text", arguments: { size: 1 } }); // the others have ended before it
  await expect(resume(LARGE, sent)).rejects.toMatchObject({ data: { reason: "suspended_call_lost" } });
  for (const one of [first, second]) expect(await resume(LARGE, one)).toMatchObject({ content: [{ text: "x".repeat(LARGE) }] });
  await expect(resume(LARGE, third)).rejects.toMatchObject({ data: { limit: "maxHeld", max: 22 * CALL } });
});

it("the results that are kept for one caller leave room for those of others", async () => {
  const { server, go } = returning();
  const gateway = createGateway({
    readyTimeout: 60_000,
    servers: { up: { target: server, revision: "2025-11-25" } },
    limits: { maxHeld: 24.5 * CALL },
    onError: () => undefined,
  });
  const handler = createFetchHandler(gateway, { auth: byName });
  onTestFinished(async () => {
    await gateway.close();
    await handler.close();
  });
  const callerOf = async (name: string) => {
    const fetch = (url: string | URL, init?: RequestInit) => handler(new Request(url, init));
    const target = { url: "http://localhost/mcp", headers: { authorization: name }, fetch };
    const client = await connect(target, {
      revision: "2026-07-28",
      onElicit: () => ({ action: "cancel" }),
      limits: { maxRounds: 0 },
    });
    onTestFinished(() => client.close());
    return { client, ...byHand(client) };
  };
  const [ada, bob] = [await callerOf("ada"), await callerOf("bob")];
  const kept = [await ada.begin(LARGE), await ada.begin(LARGE)];
  const refused = [await ada.begin(LARGE)];
  const others = await bob.begin(LARGE);
  go();
  // the others have ended before it
  for (const { client } of [ada, bob]) await client.request("tools/call", { name: "up__text", arguments: { size: 1 } });
  const text = { content: [{ text: "x".repeat(LARGE) }] };
  for (const one of kept) expect(await ada.resume(LARGE, one)).toMatchObject(text);
  for (const one of refused)
    await expect(ada.resume(LARGE, one)).rejects.toMatchObject({ data: { limit: "maxHeld", max: 24.5 * CALL } });
  expect(await bob.resume(LARGE, others)).toMatchObject(text);
});

it("a question on the response of an HTTP request goes to the call of that request, also if another call is newer", async () => {
  const server = testServer({ name: "up" });
  const begun: string[] = [];
  const { opened: asks, open: ask } = gate();
  const { opened: ends, open: end } = gate();
  server.tool("ask", {}, async (_input, ctx) => {
    begun.push("ask");
    await asks;
    return (await ctx.elicit("name", { message: "Name?", schema: named })).content?.name ?? "nobody";
  });
  server.tool("other", {}, async () => {
    begun.push("other");
    await ends;
    return "other";
  });
  const handler = createFetchHandler(server);
  onTestFinished(() => handler.close());
  const up = { url: "http://localhost/mcp", fetch: (url: string | URL, init?: RequestInit) => handler(new Request(url, init)) };
  const client = await clientOf(up, {}, { limits: { maxRounds: 0 } });
  const call = (name: string, more: object = {}) =>
    client.request("tools/call", { name: `up__${name}`, arguments: {}, ...more }) as Promise<object>;
  const older = call("ask");
  await expect.poll(() => begun).toEqual(["ask"]);
  const newer = call("other");
  await expect.poll(() => begun).toEqual(["ask", "other"]);
  ask();
  const first = await Promise.race([older.then(() => "older"), newer.then(() => "newer")]);
  expect(first).toBe("older");
  const { requestState, inputRequests } = (await older) as InputRequiredResult;
  end();
  expect(await newer).toMatchObject({ content: [{ text: "other" }] });
  const inputResponses = { [Object.keys(inputRequests!)[0]!]: { action: "accept", content: { name: "Ada" } } };
  expect(await call("ask", { requestState, inputResponses })).toMatchObject({ content: [{ text: "Ada" }] });
});

it("a gateway that is closed while it gathers questions refuses them; the call ends with its server's result", async () => {
  const server = testServer({ name: "up" });
  const { opened: asked, open: ask } = gate();
  const { opened: refused, open: refuse } = gate();
  const { opened: saved, open: save } = gate();
  server.tool("ask", {}, async (_input, ctx) => {
    const answer = ctx.elicit("name", { message: "Name?", schema: named });
    setImmediate(ask); // the gateway has the question by then
    const { action } = await answer;
    refuse();
    await saved;
    const again = await ctx.elicit("other", { message: "Another name?", schema: named });
    return `saved after ${action} and ${again.action}`;
  });
  server.tool("once", {}, async (_input, ctx) => (await ctx.elicit("name", { message: "Name?", schema: named })).action);
  const servers = { up: { target: server, revision: "2025-11-25" as const } };
  const onElicit = () => ({ action: "cancel" as const });
  const before = createGateway({ readyTimeout: 60_000, servers });
  onTestFinished(() => before.close());
  const first = await connect(before, { revision: "2026-07-28", onElicit });
  onTestFinished(() => first.close());
  await first.callTool("up__once"); // what is loaded with the first question is loaded
  const clock = new VirtualClock(); // the time in which questions are gathered does not pass
  const gateway = createGateway({ readyTimeout: 60_000, servers, clock, onError: () => undefined });
  const client = await connect(gateway, { revision: "2026-07-28", onElicit });
  onTestFinished(() => client.close());
  await client.listTools();
  const result = client.callTool("up__ask");
  await asked;
  const closed = gateway.close();
  await refused;
  save();
  expect((await result).text).toBe("saved after cancel and cancel");
  await closed;
});
