/**
 * Servers whose questions break the protocol, are too many or too long, or concern another caller: errors name the server, and
 * nothing crosses.
 */
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, type Client, type ConnectOptions, type InputRequiredResult, type JsonObject, type McpError } from "tenon";
import { createGateway, type GatewayOptions } from "tenon/gateway";
import { createFetchHandler } from "tenon/server";
import { result, scriptedServer, type Reply } from "../support/scripted-server.ts";
import type { ScriptedTransport } from "../support/scripted-transport.ts";
import { byName } from "./support.ts";
import { testServer } from "../support/test-server.ts";

const complete = (members: JsonObject): JsonObject => ({ resultType: "complete", ttlMs: 0, cacheScope: "private", ...members });

/** A server of every revision with one tool. */
function serverWith(call: Reply): ScriptedTransport {
  const capabilities = { tools: { listChanged: true } };
  return scriptedServer({
    initialize: result({ protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "odd", version: "1" } }),
    "server/discover": result(complete({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } })),
    "tools/list": result(complete({ tools: [{ name: "ask", inputSchema: { type: "object" } }] })),
    "tools/call": call,
  });
}

/** Clients of one gateway, by their names. */
async function clientsOf(
  options: GatewayOptions,
  names: readonly string[],
  client: (name: string) => ConnectOptions,
): Promise<Client[]> {
  const gateway = createGateway({ readyTimeout: 60_000, onError: () => undefined, ...options });
  const handler = createFetchHandler(gateway, { auth: byName });
  onTestFinished(async () => {
    await gateway.close();
    await handler.close();
  });
  const connected = names.map(async (name) => {
    const target = {
      url: "http://localhost/mcp",
      headers: { authorization: name },
      fetch: (url: string | URL, init?: RequestInit) => handler(new Request(url, init)),
    };
    const one = await connect(target, client(name));
    onTestFinished(() => one.close());
    return one;
  });
  return Promise.all(connected);
}

const form = { method: "elicitation/create", params: { message: "Name?", requestedSchema: { type: "object", properties: {} } } };
const MALFORMED: readonly [string, unknown][] = [
  ["a list", [form]],
  ["a text", "roots"],
  ["a question that is null", { one: null }],
  ["a question without a method", { one: {} }],
  ["a question without params", { one: { method: "elicitation/create" } }],
  ["params that are a text", { one: { method: "elicitation/create", params: "url" } }],
  ["a request that is not a question", { one: { method: "tools/call", params: { name: "ask" } } }],
];

describe.each(["2025-11-25", "2026-07-28"] as const)("A client of %s and a server without sessions", (revision) => {
  async function failureOf(asking: JsonObject): Promise<{ failure: Promise<unknown>; asked: () => number }> {
    let asked = 0;
    const target = serverWith(result({ resultType: "input_required", ...asking }));
    const [client] = await clientsOf({ servers: { odd: { target, revision: "2026-07-28" } } }, ["ada"], () => ({
      revision,
      onElicit: () => (asked++, { action: "cancel" }),
    }));
    return { failure: client!.callTool("odd__ask"), asked: () => asked };
  }

  it.each(MALFORMED)("%s in the place of questions is an error that names the server", async (_what, inputRequests) => {
    const { failure, asked } = await failureOf({ inputRequests });
    await expect(failure).rejects.toMatchObject({ code: -32603, data: { server: "odd" } });
    await expect(failure).rejects.toThrow(/server "odd"/i);
    expect(asked()).toBe(0);
  });

  it("a state that is not a text is an error that names the server", async () => {
    const { failure } = await failureOf({ inputRequests: { one: form }, requestState: { of: "the call" } });
    await expect(failure).rejects.toMatchObject({ code: -32603, data: { server: "odd" } });
  });

  it("more questions in one round than the limit are not asked", async () => {
    const inputRequests = Object.fromEntries(Array.from({ length: 257 }, (_, at) => [`question ${at}`, form]));
    const { failure, asked } = await failureOf({ inputRequests });
    await expect(failure).rejects.toMatchObject({ code: -32603, data: { server: "odd", limit: "questions", max: 256 } });
    expect(asked()).toBe(0);
  });
});

it("a state of a server that is too long to come back fails its call at once, and names the server and the limit", async () => {
  const target = serverWith(
    result({ resultType: "input_required", inputRequests: { one: form }, requestState: "x".repeat(2 ** 20) }),
  );
  const [client] = await clientsOf({ servers: { odd: { target, revision: "2026-07-28" } } }, ["ada"], () => ({
    revision: "2026-07-28",
    onElicit: () => ({ action: "cancel" }),
  }));
  const failure = client!.callTool("odd__ask");
  await expect(failure).rejects.toMatchObject({ code: -32603, data: { server: "odd", limit: "requestState", max: 2 ** 20 } });
});

it("questions of one call that are too large together fail at their server, and the others are asked", async () => {
  const large = "x".repeat(1_500_000);
  const server = testServer({ name: "odd" });
  server.tool("ask", {}, async (_input, ctx) => {
    const asked = ["a", "b", "c", "d"].map((name) =>
      ctx.confirm(name, large).then(String, (error: unknown) => (error as McpError).message),
    );
    return (await Promise.all(asked)).join();
  });
  let asked = 0;
  const [client] = await clientsOf(
    { servers: { odd: { target: server, revision: "2025-11-25" } }, limits: { maxHeld: 2 ** 24 } },
    ["ada"],
    () => ({
      revision: "2026-07-28",
      onElicit: () => (asked++, { action: "accept", content: {} }),
    }),
  );
  const tooLarge =
    'The questions of one call that wait for a client are too large together (limit "maxHeld": 16777216 characters)';
  for (let turn = 1; turn <= 2; turn++) {
    expect((await client!.callTool("odd__ask")).text).toBe(`true,true,${tooLarge},${tooLarge}`);
    expect(asked).toBe(turn * 2); // what was answered does not count any more
  }
});

it("one caller's questions that wait leave room for those of others, and their room is free again when they end", async () => {
  const large = "x".repeat(4 * 131_072); // as much as four calls
  const server = testServer({ name: "odd" });
  server.tool("ask", {}, async (_input, ctx) => {
    try {
      return String(await ctx.confirm("sure", large));
    } catch (error) {
      return (error as McpError).message;
    }
  });
  const options = { servers: { odd: { target: server, revision: "2025-11-25" } }, limits: { maxHeld: 25 * 131_072 } } as const;
  const [ada, bob] = await clientsOf(options, ["ada", "bob"], () => ({
    revision: "2026-07-28",
    onElicit: () => ({ action: "accept", content: {} }),
    limits: { maxRounds: 0 },
  }));
  const ask = (client: Client, more: object = {}) => client.request("tools/call", { name: "odd__ask", arguments: {}, ...more });
  const answer = (client: Client, asked: unknown) => {
    const { requestState, inputRequests } = asked as InputRequiredResult;
    return ask(client, {
      requestState,
      inputResponses: { [Object.keys(inputRequests!)[0]!]: { action: "accept", content: {} } },
    });
  };
  const refused = {
    content: [
      {
        text:
          "What waits for one caller, which may not use more than is left for others, is too large " +
          '(limit "maxHeld": 3276800 characters)',
      },
    ],
  };
  const waiting = [await ask(ada!), await ask(ada!)];
  expect(await ask(ada!)).toMatchObject(refused); // half of the room
  const others = await ask(bob!);
  expect(others).toMatchObject({ resultType: "input_required" });
  expect(await ask(bob!)).toMatchObject(refused);
  for (const one of waiting) expect(await answer(ada!, one)).toMatchObject({ content: [{ text: "true" }] });
  expect(await ask(bob!)).toMatchObject({ resultType: "input_required" });
  expect(await answer(bob!, others)).toMatchObject({ content: [{ text: "true" }] });
});

it.each(["2025-11-25", "2026-07-28"] as const)(
  "the end of a page that a server of %s announces on a connection of all callers reaches none of them",
  async (behind) => {
    const heard: string[] = [];
    const target = serverWith(result(complete({ content: [] })));
    const options = { servers: { odd: { target, revision: behind } }, share: "all" } as const;
    const clients = await clientsOf(options, ["ada", "bob"], (name) => ({
      revision: "2025-11-25",
      onMessage: ({ method }) => void (/elicitation|list_changed/.test(method) && heard.push(`${name} ${method}`)),
    }));
    for (const client of clients) await client.callTool("odd__ask");
    target.push({ jsonrpc: "2.0", method: "notifications/elicitation/complete", params: { elicitationId: "ada's own" } });
    target.push({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    if (behind === "2025-11-25") await expect.poll(() => heard.filter((line) => line.includes("list_changed")).length).toBe(2);
    else for (const client of clients) await client.callTool("odd__ask");
    expect(heard.filter((line) => line.includes("elicitation"))).toEqual([]);
  },
);
