import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { lockFile, removeDeadLock } from "./file-lock.ts";

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "tenon-lock-"));
  path = join(directory, "a.lock");
  onTestFinished(() => rmSync(directory, { recursive: true }));
});

/** The id of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  await new Promise((resolve) => {
    child.once("exit", resolve);
  });
  return child.pid!;
}

const holder = (pid: number, host = hostname()): string => JSON.stringify({ id: "other", pid, host });

test("one holder at a time, and nothing is left behind", async () => {
  let inside = 0;
  let most = 0;
  const visit = async (): Promise<void> => {
    const lock = await lockFile(path);
    most = Math.max(most, ++inside);
    await new Promise(setImmediate);
    inside--;
    await lock.release();
  };
  await Promise.all(Array.from({ length: 8 }, visit));
  expect(most).toBe(1);
  expect(readdirSync(directory)).toEqual([]);
});

test("the lock of a process that died is taken at once", async () => {
  writeFileSync(path, holder(await deadPid()));
  const lock = await lockFile(path, undefined, Infinity); // a silence would never be long enough
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: process.pid });
  await lock.release();
});

test("eight who find it at once: one after the other has it", async () => {
  writeFileSync(path, holder(await deadPid()));
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      const lock = await lockFile(path);
      most = Math.max(most, ++inside);
      await new Promise(setImmediate);
      inside--;
      await lock.release();
    }),
  );
  expect(most).toBe(1);
});

test("who has seen a dead holder's lock takes away that one, and none that has come in its place", async () => {
  const dead = holder(await deadPid());
  writeFileSync(path, dead);
  const seen = { content: dead, touched: statSync(path).mtimeMs, since: 0 };
  const lock = await lockFile(path);
  await removeDeadLock(path, seen);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: process.pid });
  await lock.release();
  expect(readdirSync(directory)).toEqual([]);
});

test("a holder elsewhere counts as dead after a silence, and not while it gives signs of life", async () => {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now); // what a waiter measures silences with
  const looks = vi.spyOn(Math, "random"); // a waiter draws how long it sleeps each time it has looked
  const looked = (times: number): Promise<void> => {
    const before = looks.mock.calls.length;
    return expect.poll(() => looks.mock.calls.length - before).toBeGreaterThanOrEqual(times);
  };
  writeFileSync(path, holder(1, "another machine"));
  const locking = lockFile(path, undefined, 350);
  await looked(1);
  now += 351;
  const lock = await locking;
  let second = false;
  const waiting = lockFile(path, undefined, 350).then((next) => {
    second = true;
    return next;
  });
  for (let silences = 0; silences < 4; silences++) {
    const { mtimeMs } = statSync(path);
    await expect.poll(() => statSync(path).mtimeMs).toBeGreaterThan(mtimeMs); // a sign of life
    await looked(2); // the first look may have begun before it
    now += 300;
  }
  await looked(2);
  expect(second).toBe(false);
  await lock.release();
  await (await waiting).release();
});

test("a file without a holder is left alone until no process can be writing it any more", async () => {
  writeFileSync(path, "");
  const started = performance.now();
  const lock = await lockFile(path, undefined, 200);
  expect(performance.now() - started).toBeGreaterThan(190);
  await lock.release();
});

test("a holder that lost it is notified, and takes it from no other", async () => {
  const lock = await lockFile(path, undefined, 140);
  writeFileSync(path, holder(process.pid));
  await expect.poll(() => lock.lost.aborted).toBe(true);
  await lock.release();
  expect(existsSync(path)).toBe(true);
});

test("waiting can be given up", async () => {
  const lock = await lockFile(path);
  const abort = new AbortController();
  const waiting = lockFile(path, abort.signal);
  abort.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await lock.release();
  expect(readdirSync(directory)).toEqual([]);
});

test("a folder that cannot be written is an error, not a wait", async () => {
  await expect(lockFile(join(directory, "missing", "a.lock"))).rejects.toThrow("ENOENT");
});
