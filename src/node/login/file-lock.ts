/**
 * A lock between processes: a file that only one of them can create, kept fresh while it is held.
 *
 * A holder that dies leaves it behind. On this machine that is seen at once, by its process id; otherwise by a file that
 * nobody has touched for a while, on the waiter's own clock. Who takes a lock away from a dead holder does so under another,
 * so that two never take it from each other. (`proper-lockfile` was considered: unchanged for years, it judges by the
 * file's time alone, waits that out after every crash, and can take a fresh lock for a stale one.)
 */
import { randomUUID } from "node:crypto";
import { readFile, stat, unlink, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { retryWhileBusy } from "../windows.ts";

/** Milliseconds. */
const POLL = 50;
/** Longest silence of a holder that lives. */
const STALE = 15_000;
/** Signs of life in that time, so that a slow disk does not kill. */
const HEARTBEATS = 7;

/** What is in the file. */
interface Holder {
  readonly id: string;
  readonly pid: number;
  readonly host: string;
}

export interface FileLock {
  /** Aborts when somebody else has taken it: this process was asleep for too long. */
  readonly lost: AbortSignal;
  /** Never rejects. */
  release(): Promise<void>;
}

/**
 * Waits for the lock.
 * @param stale milliseconds of silence after which a holder counts as dead: the same for all who share the lock
 * @throws `signal.reason`; Node's errors for a folder that cannot be written
 */
export async function lockFile(path: string, signal?: AbortSignal, stale: number = STALE): Promise<FileLock> {
  const me: Holder = { id: randomUUID(), pid: process.pid, host: hostname() };
  for (let seen: Sighting | undefined; ;) {
    signal?.throwIfAborted();
    if (await createLockFile(path, me)) return holdLock(path, me, stale / HEARTBEATS);
    const now = await readLock(path);
    if (now !== undefined) {
      seen = seen?.content === now.content && seen.touched === now.touched ? seen : now;
      if (isDead(seen, stale)) {
        await removeDeadLock(path, seen);
        continue;
      }
    }
    await sleep(POLL + Math.random() * POLL, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
  }
}

/** A lock of somebody else, and since when it has looked like that. */
export interface Sighting {
  readonly content: string;
  readonly touched: number;
  readonly since: number;
}

async function createLockFile(path: string, me: Holder): Promise<boolean> {
  try {
    await retryWhileBusy(() => writeFile(path, JSON.stringify(me), { flag: "wx", mode: 0o600 }));
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Undefined where it is gone. */
async function readLock(path: string): Promise<Sighting | undefined> {
  try {
    const [content, { mtimeMs }] = await Promise.all([readFile(path, "utf8"), stat(path)]);
    return { content, touched: mtimeMs, since: performance.now() };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function isDead({ content, since }: Sighting, stale: number): boolean {
  if (performance.now() - since > stale) return true;
  const holder = parse(content);
  return holder !== undefined && holder.host === hostname() && !isRunning(holder.pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH"; // somebody else's process runs too
  }
}

/** Undefined where its holder has not written it yet. */
function parse(content: string): Holder | undefined {
  try {
    const { id, pid, host } = JSON.parse(content) as Partial<Holder>; // checked below
    return typeof id === "string" && typeof pid === "number" && typeof host === "string" ? { id, pid, host } : undefined;
  } catch {
    return undefined;
  }
}

/** @internal Removes a dead holder's lock, and never another that has come in its place. */
export async function removeDeadLock(path: string, seen: Sighting): Promise<void> {
  const breaker = `${path}.break`;
  if (!(await createLockFile(breaker, { id: "", pid: process.pid, host: hostname() }))) {
    // Held for a few milliseconds; longer only by a process that died within them.
    const other = await stat(breaker).catch(() => undefined);
    if (other !== undefined && Date.now() - other.mtimeMs > STALE) await unlink(breaker).catch(() => undefined);
    await sleep(POLL);
    return;
  }
  try {
    const now = await readLock(path);
    if (now?.content === seen.content && now.touched === seen.touched) await retryWhileBusy(() => unlink(path));
  } finally {
    await unlink(breaker).catch(() => undefined);
  }
}

function holdLock(path: string, me: Holder, heartbeat: number): FileLock {
  const lost = new AbortController();
  const beat = setInterval(() => void check(), heartbeat);
  beat.unref();
  const isMine = async (): Promise<boolean> => parse((await readLock(path))?.content ?? "")?.id === me.id;
  const check = async (): Promise<void> => {
    try {
      if (await isMine()) return await utimes(path, new Date(), new Date());
    } catch {
      // It cannot be kept fresh, so others will take it.
    }
    clearInterval(beat);
    lost.abort(new Error("Another process has taken the lock"));
  };
  return {
    lost: lost.signal,
    async release(): Promise<void> {
      clearInterval(beat);
      if (await isMine().catch(() => false)) await retryWhileBusy(() => unlink(path)).catch(() => undefined);
    },
  };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
