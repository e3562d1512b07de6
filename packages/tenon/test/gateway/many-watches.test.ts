/**
 * Many watched resources of a server without sessions: few requests of the gateway stay open, so that the calls of others go on.
 */
import { describe, expect, it } from "vitest";
import { McpServer, type Client, type JsonObject } from "tenon";
import { clientOf, gatewayOf } from "./support.ts";
import { testServer } from "../support/test-server.ts";

interface Behind {
  readonly server: McpServer;
  /** The requests that are open, how many were at most, and how many there have been. */
  readonly watching: { open: number; most: number; all: number };
}

/** @param refuses whether the server refuses a watch of so many resources */
function serverOf(refuses: (uris: number) => boolean = () => false): Behind {
  const server = testServer({ name: "notes", onError: () => undefined });
  const watching = { open: 0, most: 0, all: 0 };
  server.resourceTemplate("note://{id}", {}, () => "text");
  server.tool("ping", {}, () => "pong");
  server.use("subscriptions/listen", (next) => async (context) => {
    const { resourceSubscriptions: uris = [] } = context.params["notifications"] as { resourceSubscriptions?: string[] };
    if (uris.length === 0) return next(context);
    if (refuses(uris.length)) throw new Error("too many resources");
    watching.all++;
    watching.most = Math.max(watching.most, ++watching.open);
    try {
      return await next(context);
    } finally {
      watching.open--;
    }
  });
  return { server, watching };
}

const uriOf = (id: number): string => `note://${id}`;
const ALL = Array.from({ length: 600 }, (_, id) => uriOf(id));

/** Watches all resources, and collects the changes that the client hears of. */
async function watchAll(client: Client, heard: Set<string>): Promise<() => Promise<void>> {
  if (client.protocolVersion === "2026-07-28") {
    const changes = await client.listen({ resources: ALL });
    const reading = (async () => {
      for await (const change of changes) if (change.kind === "resource") heard.add(change.uri);
    })();
    reading.catch(() => undefined); // the test ends before it
    return () => changes.close();
  }
  client.onNotification("notifications/resources/updated", ({ uri }: JsonObject) => void heard.add(uri as string));
  for (const uri of ALL) await client.request("resources/subscribe", { uri });
  return async () => {
    for (const uri of ALL) await client.request("resources/unsubscribe", { uri });
  };
}

describe.each(["2025-11-25", "2026-07-28"] as const)("a client of %s", (revision) => {
  it("hears each change, and few requests are open at the server, none when it has ended", async () => {
    const { server, watching } = serverOf();
    const gateway = gatewayOf({ servers: { up: { target: server, revision: "2026-07-28" } } });
    const [client, other] = [await clientOf(gateway, { revision }), await clientOf(gateway, { revision })];
    const heard = new Set<string>();
    const end = await watchAll(client, heard);
    expect((await other.callTool("up__ping")).text).toBe("pong");
    for (const uri of ALL) server.resourceUpdated(uri);
    await expect.poll(() => heard.size).toBe(ALL.length);
    expect(watching.most).toBeLessThanOrEqual(20);
    await end();
    await expect.poll(() => watching.open).toBe(0);
  });

  it("hears each change of a server that refuses to watch many resources in one request", async () => {
    const { server, watching } = serverOf((uris) => uris > 50);
    const gateway = gatewayOf({ servers: { up: { target: server, revision: "2026-07-28" } } });
    const client = await clientOf(gateway, { revision });
    const heard = new Set<string>();
    await watchAll(client, heard);
    for (const uri of ALL) server.resourceUpdated(uri);
    await expect.poll(() => heard.size).toBe(ALL.length);
    expect(watching.most).toBeLessThanOrEqual(60);
  });
});

it("requests of half of what the server allows are merged, until few are left", async () => {
  const { server, watching } = serverOf((uris) => uris > 2);
  const gateway = gatewayOf({ servers: { up: { target: server, revision: "2026-07-28" } } });
  const client = await clientOf(gateway, { revision: "2025-11-25" });
  for (const uri of ALL.slice(0, 5)) await client.request("resources/subscribe", { uri });
  await expect.poll(() => [watching.all, watching.open]).toEqual([6, 4]);
});
