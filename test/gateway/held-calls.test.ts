/** Calls of clients without sessions that wait for answers: how many there may be, and which of them gets a question. */
import { expect, it, onTestFinished } from "vitest";
import { connect, McpServer, type Client, type ConnectOptions, type InputRequiredResult } from "tenon";
import { createGateway, type GatewayOptions } from "tenon/gateway";
import * as z from "zod";

const named = z.object({ name: z.string() });

async function clientOf(server: McpServer, limits: GatewayOptions["limits"], options?: ConnectOptions): Promise<Client> {
  const gateway = createGateway({
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
  const server = new McpServer({ name: "up", version: "1.0.0" });
  server.tool("ask", {}, async (_input, ctx) => (await ctx.elicit("name", { message: "Name?", schema: named })).content?.name ?? "nobody");
  return server;
}

it.each([{ maxSuspendedPerPrincipal: 2 }, { maxSuspended: 2 }])(
  "calls that have ended do not count as calls that wait: %j",
  async (limits) => {
    const client = await clientOf(asking(), limits);
    for (let call = 0; call < 5; call++) expect((await client.callTool("up__ask")).text).toBe("Ada");
  },
);

it("a call that waits is never given up for another one, and a result that its client has not got stays", async () => {
  const client = await clientOf(asking(), { maxSuspended: 2 }, { limits: { maxRounds: 0 } });
  const begin = () => client.request("tools/call", { name: "up__ask", arguments: {} });
  const go = (asked: object) => {
    const { requestState, inputRequests } = asked as InputRequiredResult;
    const inputResponses = { [Object.keys(inputRequests!)[0]!]: { action: "accept", content: { name: "Ada" } } };
    return client.request("tools/call", { name: "up__ask", arguments: {}, requestState, inputResponses });
  };
  const [first, second] = [await begin(), await begin()];
  await expect(begin()).rejects.toMatchObject({ data: { limit: "maxSuspended" } });
  const done = await go(first);
  expect(done).toMatchObject({ content: [{ text: "Ada" }] });
  expect(await go(first)).toEqual(done); // its response may have been lost
  const third = await begin();
  for (const one of [second, third]) expect(await go(one)).toMatchObject({ content: [{ text: "Ada" }] });
});

it("a question whose server does not say which call it is of reaches the client although another call ends meanwhile", async () => {
  const server = new McpServer({ name: "up", version: "1.0.0" });
  let begin!: () => void;
  let end!: () => void;
  const [begun, ended] = [new Promise<void>((resolve) => (begin = resolve)), new Promise<void>((resolve) => (end = resolve))];
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
