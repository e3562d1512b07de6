// The end of a server process: the matrix of how children behave, in bounded time and without anything left.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { getActiveResourcesInfo } from "node:process";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ServerProcess } from "tenon/node";
import { shutDown } from "../../src/node/processes/shut-down.ts";
import { isAlive, killGroup, nextNotification, rejection, SHORT, spawnOdd } from "./support.ts";

/** Steps so long that a test that needs one of them fails by its own time limit. */
const LONG = { flush: 60_000, exit: 60_000, terminate: 60_000, reap: 60_000 };

/** Starts a mode that says "ready" and answers with the pid of its grandchild, if it has one. */
async function ready(mode: string, parameters: object): Promise<{ server: ServerProcess; grandchild: number }> {
  const server = await spawnOdd(mode, "", parameters);
  const { params } = await nextNotification(server);
  const grandchild = (params?.["pid"] ?? 0) as number;
  if (grandchild !== 0) onTestFinished(() => killGroup(grandchild));
  return { server, grandchild };
}

/** Resolves when a process that is no child of ours has ended. */
async function gone(pid: number): Promise<void> {
  while (isRunning(pid)) await new Promise(setImmediate);
}

/** Where nothing reaps orphans (a container without init) the dead stay as zombies, which do not count. */
function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}

test("a server that exits when its input ends is never signalled [ST-52 ST-53 C.6 B1.10 XT-19]", async () => {
  const { server } = await ready("exitsByItself", { timeouts: LONG });
  await server.close();
  expect(server.stderrTail).toBe("exits by itself\n");
  expect(isAlive(server.pid)).toBe(false);
});

test("a server that ignores the end of its input gets SIGTERM once, after its time [fault S4 ST-54 ST-59 XT-19]", async () => {
  const { server } = await ready("ignoresEnd", { timeouts: { ...LONG, exit: 200 } });
  const start = performance.now();
  await server.close();
  expect(performance.now() - start).toBeGreaterThanOrEqual(195);
  expect(server.stderrTail).toBe("SIGTERM\n");
  expect(isAlive(server.pid)).toBe(false);
});

test("a server that ignores SIGTERM gets SIGKILL and is waited for [S5 ST-54 XT-19]", async () => {
  const { server } = await ready("ignoresSigterm", { timeouts: { ...LONG, exit: 100, terminate: 200 } });
  const start = performance.now();
  await server.close();
  expect(performance.now() - start).toBeGreaterThanOrEqual(295);
  expect(server.stderrTail).toBe("SIGTERM\n");
  expect(isAlive(server.pid)).toBe(false);
});

test("a process that survives SIGKILL is given up [S6 ST-55]", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true });
  const never = new Promise<void>(() => undefined);
  const steps = { exit: 10, terminate: 2000, reap: 50, always: false };
  expect(await shutDown(child, never, steps)).toBe(false);
});

test("a server that survives SIGKILL is reported, and close() ends all the same [S6 ST-55]", async () => {
  const errors: Error[] = [];
  const timeouts = { ...LONG, exit: 10, terminate: 10, reap: 10 };
  const server = await spawnOdd("ignoresSigterm", "", { timeouts }, { onError: (error) => void errors.push(error) });
  await nextNotification(server);
  // No process really survives SIGKILL for as long as a test wants it to. So the signal does not leave this process.
  const kill = process.kill.bind(process);
  const swallowed = vi.spyOn(process, "kill").mockImplementation((pid, signal) => signal === "SIGKILL" || kill(pid, signal));
  await server.close();
  swallowed.mockRestore();
  const message = `The server process ${server.pid} is still alive after SIGKILL; it was abandoned`;
  expect(errors).toEqual([expect.objectContaining({ message, data: { pid: server.pid } })]);
  expect(isAlive(server.pid)).toBe(true);
});

test("a server that has much to say before it exits is listened to [S18 ST-23 ST-24 ST-50 XT-19]", async () => {
  const { server } = await ready("floods", { timeouts: LONG });
  await server.close();
  expect(server.stderrTail).toBe("flooded\n");
});

test("a server that never reads does not hold up the shutdown [S17 ST-51 ST-58 XT-19]", async () => {
  const { server } = await ready("neverReads", { timeouts: { ...SHORT, terminate: 60_000 } });
  const sent = Promise.resolve(server.send({ jsonrpc: "2.0", method: "x", params: { text: "y".repeat(1_000_000) } }));
  await Promise.all([server.close(), sent.catch(() => undefined)]);
  expect(isAlive(server.pid)).toBe(false);
});

test("a server that never reads has half a second to take what was sent, if the user names no other time [ST-51]", async () => {
  const { server } = await ready("neverReads", { timeouts: { exit: 0, terminate: 60_000, reap: 60_000 } });
  const sent = Promise.resolve(server.send({ jsonrpc: "2.0", method: "x", params: { text: "y".repeat(1_000_000) } }));
  const start = performance.now();
  await Promise.all([server.close(), sent.catch(() => undefined)]);
  expect(performance.now() - start).toBeGreaterThanOrEqual(495);
  expect(isAlive(server.pid)).toBe(false);
});

test("what was sent before close still reaches the server [ST-51]", async () => {
  const server = await spawnOdd("echo", "", { timeouts: LONG, env: { NODE_OPTIONS: "--trace-exit" } });
  void server.send({ jsonrpc: "2.0", method: "x", params: { text: "y".repeat(1_000_000) } });
  void server.send({ jsonrpc: "2.0", method: "exit", params: { code: 9 } });
  await server.close();
  expect(server.stderrTail).toContain("code 9");
});

test("what a server left running in the background lives on after it exits by itself [S8 ST-56]", async () => {
  const { server, grandchild } = await ready("grandchildInBackground", { timeouts: LONG });
  await server.close();
  expect(isAlive(server.pid)).toBe(false);
  expect(isAlive(grandchild)).toBe(true);
});

test("killTree: always ends it too [S8]", async () => {
  const { server, grandchild } = await ready("grandchildInBackground", {
    timeouts: { ...LONG, terminate: 100 },
    killTree: "always",
  });
  await server.close();
  expect(isAlive(server.pid)).toBe(false);
  await gone(grandchild);
});

test("what a server has started is killed with it, also when the server is gone by then [S7 ST-12 ST-54 XT-19]", async () => {
  const { server, grandchild } = await ready("grandchildOutlivesSigterm", { timeouts: { ...LONG, exit: 50, terminate: 200 } });
  await server.close();
  expect(isAlive(server.pid)).toBe(false);
  await gone(grandchild);
});

/** What the descriptors of this process refer to: the ends of pipes have names of their own. */
function openPipes(): string[] {
  const names = readdirSync("/proc/self/fd").map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return ""; // the one that read the folder
    }
  });
  return names.filter((name) => /^(pipe|socket):/.test(name)).sort();
}

test("pipes that a grandchild holds are closed here, and hold up no shutdown or process [S7 ST-27 ST-57 XT-19]", async () => {
  const before = openPipes();
  const { server, grandchild } = await ready("grandchildHoldsPipes", { timeouts: LONG });
  expect(openPipes().length).toBe(before.length + 3);
  await server.close();
  expect(isAlive(grandchild)).toBe(true);
  for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate); // handles are closed at the end of a turn
  expect(openPipes()).toEqual(before);
  expect(getActiveResourcesInfo().filter((name) => name === "ProcessWrap")).toEqual([]);
});

test("a server that is dead already [ST-58 XT-19]", async () => {
  const server = await spawnOdd("echo", "", { timeouts: LONG });
  void server.send({ jsonrpc: "2.0", method: "exit", params: { code: 1 } });
  await rejection(Promise.resolve(server.receive()));
  await server.close();
  await expect(async () => server.send({ jsonrpc: "2.0", method: "x" })).rejects.toMatchObject({ data: { exitCode: 1 } });
});

test("close twice, at the same time, during a call and with unread messages [S20 XT-20]", async () => {
  const { server } = await ready("ignoresEnd", { timeouts: SHORT });
  void server.send({ jsonrpc: "2.0", id: 1, method: "x" });
  const waiting = rejection(Promise.resolve(server.receive()));
  const first = server.close();
  expect(server.close()).toBe(first);
  expect(await waiting).toMatchObject({ code: -32000, message: "Connection closed: closed by this side" });
  await first;
  await server.close();
});

test("fifty connections opened, broken off and closed leave no process, descriptor or timer [S20 ST-58 XT-20]", async () => {
  const cycle = async (n: number): Promise<number> => {
    const server = await spawnOdd(n % 3 === 0 ? "ignoresSigterm" : "echo", "", {
      timeouts: { ...SHORT, exit: 20, terminate: 20 },
    });
    if (n % 2 === 0) process.kill(server.pid, "SIGKILL");
    if (n % 5 === 0) Promise.resolve(server.receive()).catch(() => undefined);
    await server.close();
    return server.pid;
  };
  const pids = await Promise.all([0, 1, 2, 3].map(cycle));
  const descriptors = readdirSync("/proc/self/fd").length;
  for (let n = 0; n < 50; n += 10) pids.push(...(await Promise.all(Array.from({ length: 10 }, (_, i) => cycle(n + i)))));
  expect(pids.filter(isAlive)).toEqual([]);
  for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
  expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(descriptors);
  expect(getActiveResourcesInfo().filter((name) => name === "ProcessWrap")).toEqual([]);
});
