/**
 * Roots that have changed: every server hears it, whatever joins it to the client, and gets the new roots of that client when it
 * asks.
 */
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, McpServer, type Servable, type Client, type Root } from "tenon";
import { wrap } from "tenon/compose";
import { createGateway } from "tenon/gateway";
import { ClientSessionGroup } from "tenon/group";
import type { Mountable } from "tenon/server";

const OLD = { revision: "2025-11-25" } as const;

/** A server that asks for the roots when they have changed, and keeps what it hears. */
function listening(): { server: McpServer; heard: string[][] } {
  const server = new McpServer({ name: "s", version: "1" });
  const heard: string[][] = [];
  server.tool("ping", {}, () => "pong");
  server.onRootsChanged(async (session) => void heard.push((await session.listRoots()).roots.map(({ uri }) => uri)));
  return { server, heard };
}

async function groupOf(server: McpServer, roots: () => readonly Root[]): Promise<ClientSessionGroup> {
  const group = await ClientSessionGroup.connect({ s: { target: server, ...OLD } }, { roots, readyTimeout: Infinity });
  onTestFinished(() => group.close());
  return group;
}

function mounting(source: Mountable): McpServer {
  const all = new McpServer({ name: "all", version: "1" });
  all.mount("m", source);
  return all;
}

/** What joins a server to a client, and the name of its tool then. */
const WAYS: Readonly<Record<string, (server: McpServer) => Promise<Servable> | Servable>> = {
  "a mount": (server) => mounting(server),
  "compose over a mount": (server) => mounting(wrap(server, (next) => (context) => next(context))),
  "a mounted group": async (server) => mounting(await groupOf(server, () => [{ uri: "file:///host" }])),
  "compose over a mounted group": async (server) =>
    mounting(wrap(await groupOf(server, () => [{ uri: "file:///host" }]), (next) => (context) => next(context))),
  "a gateway": (server) => {
    const gateway = createGateway({ servers: { s: { target: server, ...OLD } } });
    onTestFinished(() => gateway.close());
    return gateway;
  },
};

async function clientOf(target: Servable, roots: () => readonly Root[]): Promise<Client> {
  const client = await connect(target, { ...OLD, roots });
  onTestFinished(() => client.close());
  return client;
}

describe.each(Object.entries(WAYS))("%s", (_way, join) => {
  it("lets a server hear that a client's roots have changed, and what they are now [CL-22]", async () => {
    const { server, heard } = listening();
    let roots: readonly Root[] = [{ uri: "file:///before" }];
    const client = await clientOf(await join(server), () => roots);
    const { tools } = await client.listTools();
    expect((await client.callTool(tools[0]!.name)).text).toBe("pong"); // it has a connection through what joins them
    expect(heard).toEqual([]);
    roots = [{ uri: "file:///after" }];
    await client.sendRootsListChanged();
    await expect.poll(() => heard, { timeout: 30_000 }).toEqual([["file:///after"]]);
    roots = [{ uri: "file:///later" }, { uri: "file:///more" }];
    await client.sendRootsListChanged();
    await expect.poll(() => heard, { timeout: 30_000 }).toEqual([["file:///after"], ["file:///later", "file:///more"]]);
  });
});

describe("a group", () => {
  it("tells its servers that the program's roots have changed [CL-22]", async () => {
    const { server, heard } = listening();
    let roots: readonly Root[] = [];
    const group = await groupOf(server, () => roots);
    roots = [{ uri: "file:///host" }];
    await group.sendRootsListChanged();
    await expect.poll(() => heard, { timeout: 30_000 }).toEqual([["file:///host"]]);
  });

  it("answers with the program's roots once the client that told of its own is gone", async () => {
    const { server, heard } = listening();
    const group = await groupOf(server, () => [{ uri: "file:///host" }]);
    server.tool("roots", {}, async (_input, { session }) => (await session.listRoots()).roots[0]!.uri);
    const client = await clientOf(mounting(group), () => [{ uri: "file:///client" }]);
    await client.sendRootsListChanged();
    await expect.poll(() => heard, { timeout: 30_000 }).toEqual([["file:///client"]]);
    await client.close();
    await expect.poll(() => group.tools.has("s__roots"), { timeout: 30_000 }).toBe(true);
    expect((await group.callTool("s__roots")).text).toBe("file:///host");
  });
});

it("a gateway tells the servers of the client whose roots have changed, and asks that client", async () => {
  const { server, heard } = listening();
  const gateway = createGateway({ servers: { s: { target: server, ...OLD } }, share: "session" });
  onTestFinished(() => gateway.close());
  const [ada, bob] = [
    await clientOf(gateway, () => [{ uri: "file:///ada" }]),
    await clientOf(gateway, () => [{ uri: "file:///bob" }]),
  ];
  for (const client of [ada, bob]) await client.callTool("s__ping");
  await bob.sendRootsListChanged();
  await expect.poll(() => heard, { timeout: 30_000 }).toEqual([["file:///bob"]]);
  await ada.sendRootsListChanged();
  await expect.poll(() => heard, { timeout: 30_000 }).toEqual([["file:///bob"], ["file:///ada"]]);
});
