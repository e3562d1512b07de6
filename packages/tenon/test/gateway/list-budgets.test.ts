/** What a server lists uses up that server's own room: its lists, its pins, its pages. */
import { expect, it, onTestFinished } from "vitest";
import { connect, McpServer, type Client } from "tenon";
import { bearerToken } from "tenon/auth";
import { perCaller, type Gateway } from "tenon/gateway";
import { createFetchHandler, type FetchHandler } from "tenon/server";
import { byName, clientOf, gatewayOf } from "./support.ts";
import { testServer } from "../support/test-server.ts";

function serverWith(tools: readonly string[], description = "text"): McpServer {
  const server = testServer();
  for (const tool of tools) server.tool(tool, { description }, () => tool);
  return server;
}

async function namesOf(client: Client): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of client.tools()) names.push(name);
  return names;
}

/** A client of that name, over HTTP. */
async function named(gateway: Gateway, name: string): Promise<Client> {
  const handler = createFetchHandler(gateway, { auth: byName });
  const fetch = ((url: string, init?: RequestInit) => handler(new Request(url, init))) as typeof globalThis.fetch;
  const client = await connect({ url: "http://localhost/mcp", headers: { authorization: name }, fetch });
  onTestFinished(async () => {
    await client.close();
    await handler.close();
  });
  return client;
}

it.each([10_000, 10_001])("a server may list %d prompts at most 10,000 of them by default", async (count) => {
  const prompts = Array.from({ length: count }, (_, at) => ({ name: `p${at}` }));
  const fetch = (async (url: string, init?: RequestInit) => {
    const { id, method } = (await new Request(url, init).json()) as { id: number; method: string };
    const meta = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
    const about = { supportedVersions: ["2026-07-28"], capabilities: { prompts: {} } };
    const result = method === "server/discover" ? { ...about, ...meta } : { prompts, ...meta };
    return Response.json({ jsonrpc: "2.0", id, result });
  }) as typeof globalThis.fetch;
  const errors: string[] = [];
  const gateway = gatewayOf({
    servers: { long: { target: { url: "http://localhost:7/mcp", fetch }, revision: "2026-07-28" } },
    onError: (error) => errors.push(error.message),
  });
  await gateway.start();
  expect(errors.join()).toEqual(count > 10_000 ? expect.stringContaining('Limit "limits.maxListItems" of 10000 exceeded') : "");
});

it("a server's different lists for many callers share a bound: earlier ones stay, others are reported", async () => {
  const handlers = new Map<string, FetchHandler>();
  const fetch = ((url: string, init?: RequestInit) => {
    const request = new Request(url, init);
    const user = request.headers.get("authorization")!;
    const handler =
      handlers.get(user) ?? createFetchHandler(serverWith([`of-${user.replace("Bearer ", "")}`], "x".repeat(8_000)));
    handlers.set(user, handler);
    return handler(request);
  }) as typeof globalThis.fetch;
  onTestFinished(async () => void (await Promise.all([...handlers.values()].map((handler) => handler.close()))));
  const errors: string[] = [];
  const auth = perCaller(({ principal }) => bearerToken(principal));
  const gateway = gatewayOf({
    servers: { large: { url: "http://localhost:7/mcp", fetch, auth }, small: serverWith(["tiny"]) },
    limits: { maxDefinitionSize: 10_000 },
    onError: (error, { server }) => errors.push(`${server}: ${error.message}`),
  });
  const seen: string[][] = [];
  for (let at = 0; at < 12; at++) seen.push(await namesOf(await named(gateway, `u${at}`)));
  expect(seen[0]).toEqual(["large__of-u0", "small__tiny"]);
  expect(seen.at(-1)).toEqual(["small__tiny"]);
  expect(seen.filter((names) => names.length === 2).length).toBe(9);
  expect(
    errors.filter((error) => error.startsWith("large: ") && error.includes("lists of all callers")).length,
  ).toBeGreaterThanOrEqual(3);
});

it("a server that invents names uses up its own pins only", async () => {
  const many = Array.from({ length: 10_001 }, (_, at) => `tool${at}`);
  const later = serverWith(["yo"]);
  const gateway = gatewayOf({
    servers: { bad: serverWith(many), later },
    pins: {},
    limits: { maxTools: 20_000 },
    readyTimeout: 60_000,
  });
  const client = await clientOf(gateway);
  const names = await namesOf(client);
  expect(names).toContain("later__yo");
  expect(names.filter((name) => name.startsWith("bad__")).length).toBe(10_000);
  expect((await client.callTool("later__yo")).text).toBe("yo");
});

it.each([
  ["one byte", "z", 500_000],
  ["three bytes", "語", 170_000],
  ["an escape of six bytes", "\u0001", 86_000],
])("a page ends at 1 MiB, also if its characters have %s", async (_of, character, count) => {
  const server = serverWith(["a", "b", "c"], character.repeat(count));
  const client = await clientOf(gatewayOf({ servers: { s: server } }));
  const pages: number[] = [];
  for (let cursor: string | undefined; ;) {
    const { tools, nextCursor } = await client.listTools(cursor === undefined ? {} : { cursor });
    pages.push(tools.length);
    if ((cursor = nextCursor) === undefined) break;
  }
  expect(pages).toEqual([2, 1]);
});

it("an entry larger than a page is left out and named; the others are served", async () => {
  const server = serverWith(["small"]);
  server.tool("huge", { description: "語".repeat(360_000) }, () => "");
  server.prompt("long", { description: "p".repeat(1_100_000) }, () => "");
  const errors: string[] = [];
  const gateway = gatewayOf({ servers: { s: server }, onError: (error, of) => errors.push(`${of.server}: ${error.message}`) });
  const client = await clientOf(gateway);
  expect(await namesOf(client)).toEqual(["s__small"]);
  expect((await client.listPrompts()).prompts).toEqual([]);
  expect(errors.toSorted()).toEqual([
    expect.stringMatching(/^s: The prompt "long" is left out: it has \d+ bytes, and a page has room for 1048576$/),
    expect.stringMatching(/^s: The tool "huge" is left out: it has \d+ bytes, and a page has room for 1048576$/),
  ]);
});

it("all gateways of a process have one budget for their lists, and equal lists count once", async () => {
  const limits = { maxDefinitionSize: 10_000 };
  const errors: string[] = [];
  const onError = (error: Error): void => void errors.push(error.message);
  const servers = (kind: string, text: (at: number) => string): Record<string, McpServer> =>
    Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${kind}${at}`, serverWith(["tool"], text(at))]));
  const equal = ["a", "b", "c"].map((kind) => gatewayOf({ servers: servers(kind, () => "e".repeat(9_000)), limits, onError }));
  for (const gateway of equal) expect((await namesOf(await clientOf(gateway))).length).toBe(20);
  expect(errors).toEqual([]);
  const different = ["d", "f"].map((kind) =>
    gatewayOf({ servers: servers(kind, (at) => `${kind}${at}`.padEnd(9_000, "x")), limits, onError }),
  );
  const seen: number[] = [];
  for (const gateway of different) seen.push((await namesOf(await clientOf(gateway))).length);
  expect(seen[0]).toBe(20);
  expect(seen[1]).toBeLessThan(20);
  expect(seen[1]).toBeGreaterThan(10);
  expect(errors.length).toBeGreaterThan(0);
  expect(errors.every((message) => message.includes("the lists of all servers of this process"))).toBe(true);
  await different[0]!.close();
  const later = gatewayOf({
    servers: servers("g", (at) => `g${at}`.padEnd(9_000, "y")),
    limits,
    onError: (error) => expect.fail(error.message),
  });
  expect((await namesOf(await clientOf(later))).length).toBe(20);
});

it("what a server says of itself on all connections shares that room", async () => {
  const server = new McpServer({ name: "talks", version: "1" }, { instructions: "x".repeat(30_000) });
  server.tool("who", {}, () => "here");
  const errors: string[] = [];
  const gateway = gatewayOf({
    servers: { s: { target: server, revision: "2025-11-25" } },
    limits: { maxDefinitionSize: 10_000 },
    onError: (error) => errors.push(error.message),
  });
  const [first, second, third] = [await clientOf(gateway), await clientOf(gateway), await clientOf(gateway)];
  for (const client of [first, second]) expect((await client.callTool("s__who")).text).toBe("here");
  await expect(third.callTool("s__who")).rejects.toThrow('Server "s" is not available');
  expect(errors.join()).toContain('what it says of itself" of 80000 exceeded');
  expect((await first.callTool("s__who")).text).toBe("here");
  await second.close();
  await gateway.close();
});
