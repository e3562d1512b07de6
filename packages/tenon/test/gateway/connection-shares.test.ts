/** How many connections of one server one caller can hold: the others always find some. On virtual time. */
import { expect, it, onTestFinished } from "vitest";
import { acceptorOf, connect, type Client, type ConnectOptions, type Servable } from "tenon";
import type { GatewayOptions } from "tenon/gateway";
import { createFetchHandler, type EndpointAuth } from "tenon/server";
import { VirtualClock } from "../support/virtual-clock.ts";
import { byName, clientOf, gatewayOf } from "./support.ts";
import { testServer } from "../support/test-server.ts";

interface Endpoint {
  /** The connections that the gateway has closed, as numbers: the first one that it opened is 1. */
  readonly closed: number[];
  /** A new session of a caller, by the name in its token, or by its address if the endpoint takes no tokens. */
  readonly session: (name: string, abilities?: ConnectOptions) => Promise<Client>;
}

/** A gateway before one server with sessions, whose tool says how often it was called on its connection. */
function endpointOf(options: Partial<GatewayOptions>, auth?: EndpointAuth): Endpoint {
  let opened = 0;
  const closed: number[] = [];
  const target: Servable = {
    accept: async (dispatcher) => {
      const number = ++opened;
      const server = testServer({ name: "counter" });
      let calls = 0;
      server.tool("count", {}, () => String(++calls));
      await acceptorOf(server)
        .accept(dispatcher)
        .finally(() => closed.push(number));
    },
  };
  const gateway = gatewayOf({ servers: { up: { target, revision: "2025-11-25" } }, ...options });
  const handler = createFetchHandler(gateway, { clientAddress: "x-address", ...(auth && { auth }) });
  onTestFinished(() => handler.close());
  const session: Endpoint["session"] = async (name, abilities) => {
    const headers = { authorization: name, "x-address": name };
    const client = await connect(
      { url: "http://localhost/mcp", headers, fetch: (url, init) => handler(new Request(url, init)) },
      { revision: "2025-11-25", ...abilities },
    );
    onTestFinished(() => client.close());
    return client;
  };
  return { closed, session };
}

/**
 * Opens sessions of a caller and calls on each, until the gateway refuses one. Returns the sessions that were served, and the
 * refusal.
 */
async function takeAll({ session }: Endpoint, name: string): Promise<{ served: Client[]; refusal: unknown }> {
  const served: Client[] = [];
  for (;;) {
    const client = await session(name);
    const refusal: unknown = await client.callTool("up__count").then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refusal !== undefined) return { served, refusal };
    served.push(client);
  }
}

it.each([
  ["principals", byName, ["ada", "bob", "eve"]],
  ["addresses", undefined, ["192.0.2.1", "192.0.2.2", "192.0.2.3"]],
])("leaves connections of a server to other callers, however many sessions one has: %s", async (_by, auth, [ada, bob, eve]) => {
  const endpoint = endpointOf({ limits: { maxConnections: 16 } }, auth);
  const first = await takeAll(endpoint, ada!);
  expect(first.served).toHaveLength(8);
  expect(first.refusal).toMatchObject({ code: -32603, data: { server: "up", reason: "busy" } });
  expect(first.refusal).toMatchObject({ message: expect.stringContaining('limit "maxConnections"') as string });
  expect((await takeAll(endpoint, bob!)).served).toHaveLength(4);
  expect((await takeAll(endpoint, eve!)).served).toHaveLength(2);
  // None of the connections in use was closed.
  for (const client of first.served) expect((await client.callTool("up__count")).text).toBe("2");
});

it("closes the connection that the caller itself has not used for the longest time, and none of another caller", async () => {
  const clock = new VirtualClock();
  const { session, closed } = endpointOf({ limits: { maxConnections: 9 }, clock }, byName);
  const open = async (name: string): Promise<Client> => {
    const client = await session(name);
    await client.callTool("up__count");
    return client;
  };
  const bob = await open("bob"); // connection 1
  const ada = [await open("ada"), await open("ada"), await open("ada"), await open("ada")];
  // Their connections stay open for the option `idleTimeout`.
  for (const ended of [bob, ada[2]!, ada[0]!]) {
    await clock.advance(1_000);
    await ended.close();
  }
  await open("ada");
  expect(closed).toEqual([]);
  await open("ada");
  await expect.poll(() => closed).toEqual([4]);
  await open("ada");
  await expect.poll(() => closed).toEqual([4, 2]);
  await expect(open("ada")).rejects.toMatchObject({ data: { reason: "busy" } });
  for (const client of [ada[1]!, ada[3]!]) expect((await client.callTool("up__count")).text).toBe("2");
  expect(closed).toEqual([4, 2]);
});

it("opens four connections of an owner whose clients declare other abilities, and closes an unused one for a fifth", async () => {
  const { session, closed } = endpointOf({ share: "principal" }, byName);
  const never = (): never => {
    throw new Error("The server asks nothing");
  };
  const open = async (name: string, abilities: ConnectOptions): Promise<Client> => {
    const client = await session(name, abilities);
    await client.callTool("up__count");
    return client;
  };
  const abilities: ConnectOptions[] = [{}, { roots: [] }, { onElicit: never }, { onSample: never }];
  const clients = [];
  for (const some of abilities) clients.push(await open("ada", some));
  const fifth = { roots: [], onElicit: never };
  await expect(open("ada", fifth)).rejects.toMatchObject({
    code: -32603,
    message: expect.stringContaining("uses 4 connections to it, each with other capabilities") as string,
    data: { server: "up", reason: "busy" },
  });
  expect((await (await open("bob", fifth)).callTool("up__count")).text).toBe("2");
  await clients[1]!.close();
  await open("ada", fifth);
  await expect.poll(() => closed).toEqual([2]);
});

it("serves the 100 sessions that one caller may have", async () => {
  const { session } = endpointOf({}, byName);
  for (let one = 0; one < 100; one++) expect((await (await session("ada")).callTool("up__count")).text).toBe("1");
});

it.each(["2025-11-25", "2026-07-28"] as const)(
  "opens one connection for 200 first calls at once of one caller: server of %s",
  async (revision) => {
    let opened = 0;
    const server = testServer({ name: "up" });
    server.tool("ping", {}, () => "pong");
    const target: Servable = {
      accept: (dispatcher) => {
        opened++;
        return acceptorOf(server).accept(dispatcher);
      },
    };
    const client = await clientOf(gatewayOf({ servers: { up: { target, revision } } }), { revision: "2026-07-28" });
    const texts = await Promise.all(Array.from({ length: 200 }, async () => (await client.callTool("up__ping")).text));
    expect(new Set(texts)).toEqual(new Set(["pong"]));
    expect(opened).toBe(1);
  },
);
