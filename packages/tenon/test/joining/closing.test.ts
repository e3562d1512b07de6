/** Whatever way servers are joined: what is closed while a server starts ends the program that it started. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect } from "tenon";
import { createGateway } from "tenon/gateway";
import { WAYS } from "./ways.ts";

const PROGRAM = fileURLToPath(new URL("silent-program.mjs", import.meta.url));

/** A server that starts and never answers, and the id of its process once it has started. */
async function silent(): Promise<{ entry: { command: string; args: string[] }; started: () => Promise<number> }> {
  const folder = await mkdtemp(join(tmpdir(), "tenon-joining-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "pid");
  const started = async (): Promise<number> => {
    await expect.poll(() => readFile(file, "utf8").catch(() => ""), { timeout: 20_000 }).not.toBe("");
    const pid = Number(await readFile(file, "utf8"));
    onTestFinished(() => void (isRunning(pid) && process.kill(pid, "SIGKILL")));
    return pid;
  };
  return { entry: { command: process.execPath, args: [PROGRAM, file] }, started };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe.each(WAYS)("$name", ({ join: joinAll }) => {
  it("ends the program of a server that is still starting when it closes, before close() resolves", async () => {
    const { entry, started } = await silent();
    const joined = await joinAll({ slow: entry });
    const listing = joined.tools();
    listing.catch(() => undefined); // it may fail because its client closes
    const pid = await started();
    await joined.close();
    expect(isRunning(pid)).toBe(false);
  });
});

describe("a gateway", () => {
  it("ends the program of a server that setServers() removes while it starts, before setServers() resolves", async () => {
    const { entry, started } = await silent();
    const gateway = createGateway({ servers: { slow: entry }, onError: () => undefined });
    onTestFinished(() => gateway.close());
    const client = await connect(gateway);
    onTestFinished(() => client.close());
    const listing = client.listTools();
    const pid = await started();
    expect(await gateway.setServers({})).toMatchObject({ removed: ["slow"] });
    expect(isRunning(pid)).toBe(false);
    expect((await listing).tools).toEqual([]);
  });

  it("ends the program of a call that waits for it when the time to drain is over", async () => {
    const { entry, started } = await silent();
    const gateway = createGateway({ servers: { slow: entry }, drainTimeout: 100, onError: () => undefined });
    onTestFinished(() => gateway.close());
    const client = await connect(gateway);
    onTestFinished(() => client.close());
    const calling = client.callTool("slow__x");
    const pid = await started();
    await gateway.setServers({});
    await expect(calling).rejects.toMatchObject({ code: -32603, data: { server: "slow" } });
    await expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false);
  });
});
