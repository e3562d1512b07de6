/**
 * What happens to the calls at a server that the configuration changes or removes: programs and URLs, servers with and without
 * sessions. Needs a build.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, type Client, type ConnectOptions, type ProtocolVersion } from "tenon";
import { tasks } from "tenon/ext/tasks";
import { createGateway, type Gateway, type GatewayEntry, type GatewayOptions } from "tenon/gateway";
import { serveHttp } from "tenon/node";
import { createWaitingServer } from "./waiting-server.mjs";
import { gate } from "../support/gate.ts";

const PROGRAM = fileURLToPath(new URL("waiting-server.mjs", import.meta.url));
const FAMILIES = ["2025-11-25", "2026-07-28"] as const;
const PLACES = ["program", "URL"] as const;
const PAIRS = PLACES.flatMap((place) => FAMILIES.map((revision) => ({ place, revision })));
const ALL = PAIRS.flatMap((pair) => FAMILIES.map((front) => ({ ...pair, front })));

/** A server of that version, as an entry of a gateway. */
async function entry(version: string, place: (typeof PLACES)[number], revision: ProtocolVersion): Promise<GatewayEntry> {
  if (place === "program") return { target: { command: process.execPath, args: [PROGRAM], env: { VERSION: version } }, revision };
  const server = createWaitingServer(version);
  const endpoint = await serveHttp(server, { port: 0 });
  onTestFinished(() => endpoint.close());
  return { target: endpoint.url, revision };
}

interface Served {
  readonly gateway: Gateway;
  readonly client: Client;
  readonly reported: string[];
  /** A file that no test before has made: calls of `wait` and `build` end when it is there. */
  readonly file: string;
  readonly release: () => Promise<void>;
}

async function served(
  up: GatewayEntry,
  front: ProtocolVersion,
  { drainTimeout }: GatewayOptions | { drainTimeout?: number } = {},
  options: ConnectOptions = {},
): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), "tenon-draining-"));
  const file = join(folder, "go");
  const reported: string[] = [];
  const gateway = createGateway({
    servers: { up },
    readyTimeout: 60_000,
    onError: ({ message }) => void reported.push(message),
    ...(drainTimeout !== undefined && { drainTimeout }),
  });
  const client = await connect(gateway, { revision: front, extensions: [tasks()], ...options });
  onTestFinished(async () => {
    await client.close();
    await gateway.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { gateway, client, reported, file, release: () => writeFile(file, "") };
}

/** Begins a call, and resolves when its handler runs. */
async function begun({ client, file }: Served): Promise<{ said: Promise<string | undefined> }> {
  const { opened: running, open: began } = gate();
  const said = client.callTool("up__wait", { file }, { onProgress: () => began() }).then(({ text }) => text);
  said.catch(() => undefined);
  await Promise.race([running, said]);
  return { said };
}

describe.each(ALL)("a $place of $revision, for a client of $front", ({ place, revision, front }) => {
  it("gets no new call when it was changed, and its running call ends there", async () => {
    const all = await served(await entry("1", place, revision), front);
    const { said } = await begun(all);
    await all.gateway.setServers({ up: await entry("2", place, revision) });
    expect((await all.client.callTool("up__version")).text).toBe("2");
    await all.release();
    expect(await said).toBe("1");
    expect(all.reported).toEqual([]);
  });
});

describe.each(PAIRS)("a $place of $revision", ({ place, revision }) => {
  it("is not known any more when it was removed, and its running call ends there", async () => {
    const all = await served(await entry("1", place, revision), revision);
    const { said } = await begun(all);
    await all.gateway.setServers({});
    await expect(all.client.callTool("up__version")).rejects.toMatchObject({
      code: -32602,
      message: "Unknown tool: up__version",
    });
    await all.release();
    expect(await said).toBe("1");
  });

  it("ends its calls by name when their time is over", async () => {
    const all = await served(await entry("1", place, revision), revision, { drainTimeout: 1 });
    const { said } = await begun(all);
    await all.gateway.setServers({});
    await expect(said).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining(
        'Server "up" was changed or removed in the configuration, and the call did not end within 1 ms (option "drainTimeout")',
      ) as string,
      data: { server: "up", reason: "replaced", delivery: "unknown" },
    });
    expect(all.reported).toHaveLength(1);
    expect(all.reported[0]).toContain("drainTimeout");
  });

  it("keeps the task that was begun there, until it has ended", async () => {
    const all = await served(await entry("1", place, revision), revision);
    const { opened: running, open: began } = gate();
    const said = all.client.callTool("up__build", { file: all.file }, { onTask: () => began() });
    said.catch(() => undefined);
    await running;
    await all.gateway.setServers({ up: await entry("2", place, revision) });
    expect((await all.client.callTool("up__version")).text).toBe("2");
    await all.release();
    expect((await said).text).toBe("1");
  });
});

describe.each(PLACES)("a call that a %s of 2025-11-25 holds for its client's answer", (place) => {
  it.each(["changed", "removed", "down"])("goes on there when the server was %s", async (how) => {
    const next =
      how === "changed"
        ? { up: await entry("2", place, "2025-11-25") }
        : how === "removed"
          ? {}
          : { up: "http://127.0.0.1:1/mcp" };
    let change: () => Promise<unknown> = () => Promise.resolve();
    const all = await served(
      await entry("1", place, "2025-11-25"),
      "2026-07-28",
      {},
      {
        onElicit: async () => {
          await change();
          return { action: "accept", content: { name: "Ada" } };
        },
      },
    );
    change = () => all.gateway.setServers(next);
    expect((await all.client.callTool("up__ask")).text).toBe("Ada at 1");
  });

  it("becomes a task that keeps its questions", async () => {
    let change: () => Promise<unknown> = () => Promise.resolve();
    const all = await served(
      await entry("1", place, "2025-11-25"),
      "2026-07-28",
      {},
      {
        onElicit: async () => {
          await change();
          return { action: "accept", content: { name: "Ada" } };
        },
      },
    );
    change = () => all.gateway.setServers({});
    const { opened: running, open: began } = gate();
    const said = all.client.callTool("up__book", {}, { onTask: () => began() });
    said.catch(() => undefined);
    await running;
    expect((await said).text).toBe("Ada at 1");
  });
});

it("closes a program that no call uses, and all at once when the gateway closes", async () => {
  const all = await served(await entry("1", "program", "2025-11-25"), "2025-11-25");
  const pid = async (): Promise<number> => Number((await all.client.callTool("up__pid")).text);
  const idle = await pid();
  await all.gateway.setServers({ up: await entry("2", "program", "2025-11-25") });
  await expect.poll(() => isRunning(idle), { timeout: 60_000 }).toBe(false);
  const { said } = await begun(all);
  await all.gateway.setServers({});
  await all.gateway.close();
  await expect(said).rejects.toThrow("closed");
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
