/**
 * A lock between processes: a file that only one of them can create, and that is touched while it is held.
 *
 * The lock of a dead process is removed. On this machine its process id shows at once that it is dead; otherwise the file
 * has not been touched for a while, by the waiter's own clock. A second lock guards the removal, so that two waiters never
 * remove each other's lock. (`proper-lockfile` judges by the file's time alone, waits that out after every crash, and can
 * take a fresh lock for a stale one.)
 */
import { jsonIn } from "../../jsonrpc/parse-json.ts";
import { randomUUID } from "node:crypto";
import { readFile, stat, unlink, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { retryWhileBusy } from "../windows.ts";

/** Milliseconds. */
const POLL = 50;
/** Milliseconds without a touch after which a holder counts as dead. */
const STALE = 15_000;
/** Touches in that time. Several allow for a slow disk. */
const HEARTBEATS = 7;

/** The content of the file. */
interface Holder {
  readonly id: string;
  readonly pid: number;
  readonly host: string;
}

export interface FileLock {
  /** Aborts when another process has taken the lock, because this one was suspended for too long. */
  readonly lost: AbortSignal;
  /** Never rejects. */
  release(): Promise<void>;
}

/**
 * Waits for the lock.
 * @param stale milliseconds after which a silent holder counts as dead; it must be the same for all processes
 * @throws `signal.reason`; Node's errors if the folder cannot be written
 */
export async function lockFile(path: string, signal?: AbortSignal, stale: number = STALE): Promise<FileLock> {
  const me: Holder = { id: randomUUID(), pid: process.pid, host: hostname() };
  for (let sighting: Sighting | undefined; ;) {
    signal?.throwIfAborted();
    if (await createLockFile(path, me)) return holdLock(path, me, stale / HEARTBEATS);
    const now = await readLock(path);
    if (now !== undefined) {
      sighting = sighting?.content === now.content && sighting.touched === now.touched ? sighting : now;
      if (isDead(sighting, stale)) {
        await removeDeadLock(path, sighting);
        continue;
      }
    }
    await sleep(POLL + Math.random() * POLL, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
  }
}

/** The lock of another process, and since when it is unchanged. */
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
    return codeOf(error) !== "ESRCH"; // another user's process runs too
  }
}

/** Parses the file; undefined if its holder has not written it yet. */
function parse(content: string): Holder | undefined {
  const { id, pid, host } = Object(jsonIn(content)) as Partial<Holder>; // checked below
  return typeof id === "string" && typeof pid === "number" && typeof host === "string" ? { id, pid, host } : undefined;
}

/** @internal Removes a dead holder's lock, but never a new lock in its place. */
export async function removeDeadLock(path: string, seen: Sighting): Promise<void> {
  const breaker = `${path}.break`;
  if (!(await createLockFile(breaker, { id: "", pid: process.pid, host: hostname() }))) {
    // This lock is held for milliseconds; an old one belongs to a process that died.
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
      // The file cannot be touched, so another process will take the lock.
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
