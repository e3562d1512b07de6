/**
 * The engines that the stores are tested on, each a process of its own on a free port, with its files in a folder that is deleted
 * afterwards; and PGlite inside this process.
 *
 * Tests of an engine that is not installed are left out.
 */
import { PGlite } from "@electric-sql/pglite";
import { execFileSync, spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { TestContext } from "vitest";
import { natsStores } from "tenon/stores/nats";
import { postgresStores } from "tenon/stores/postgres";
import { redisStores } from "tenon/stores/redis";
import type { StoreOptions, Stores } from "tenon/stores/redis";
import { freePort } from "../../../../scripts/free-port.mjs";
import { assertHas, leaveOut, programOf } from "../support/needs.ts";

export interface Engine {
  readonly name: string;
  /** Where it is; empty for PGlite. */
  readonly url: string;
  /** Stores of this engine. Those of one `space` share what they keep. */
  readonly stores: (space: string, options?: StoreOptions & { readonly url?: string }) => Stores;
  /** Ends its process at once, as a crash does. */
  readonly kill: () => Promise<void>;
  /** Starts it again on the same files. */
  readonly restart: () => Promise<void>;
  /** Stops its process without ending it, and lets it go on; undefined for PGlite. */
  readonly pause?: () => void;
  readonly resume?: () => void;
  readonly stop: () => Promise<void>;
}

export type EngineName = "redis" | "postgres" | "pglite" | "nats";
export const ENGINES: readonly EngineName[] = ["redis", "postgres", "pglite", "nats"];

/** Starts an engine; undefined if it is not installed. */
export function startEngine(name: EngineName): Promise<Engine | undefined> {
  return { redis: () => startRedis(), postgres: () => startPostgres(), pglite: startPglite, nats: () => startNats() }[name]();
}

/** The engine that a file has started. Leaves the test out if it is not installed. */
export function assertStarted(engine: Engine | undefined, name: EngineName, context: TestContext): Engine {
  if (engine !== undefined) return engine;
  if (name === "pglite") throw new Error("PGlite is a package of this project, and did not start");
  return leaveOut([name], context);
}

/** Leaves a test out that starts Redis by itself if it is not installed. */
export function assertRedisInstalled(context: TestContext): void {
  assertHas(context, "redis");
}

// ---- Redis ----

/** `more` are settings that win over those of the tests. */
export async function startRedis(more: readonly string[] = []): Promise<Engine | undefined> {
  const program = programOf("redis");
  if (program === undefined) return undefined;
  const [folder, port] = [engineFolder("redis"), await freePort()];
  const settings = [
    "--port",
    String(port),
    "--bind",
    "127.0.0.1",
    "--dir",
    folder,
    "--appendonly",
    "yes",
    "--appendfsync",
    "always",
    "--save",
    "",
    ...more,
  ];
  const url = `redis://127.0.0.1:${port}`;
  return ofProcess("redis", url, folder, () => started(program, settings, /Ready to accept connections/), {
    stores: (space, options) => redisStores({ url, prefix: `${space}:`, onError: () => undefined, ...options }),
  });
}

// ---- PostgreSQL ----

/** `maxBlocks`: the largest file that its process may write, in blocks of 512 or 1 024 bytes, as a full disk would have it. */
export async function startPostgres(maxBlocks?: number): Promise<Engine | undefined> {
  const [program, initdb] = [programOf("postgres"), programOf("postgres", "initdb")];
  if (program === undefined || initdb === undefined) return undefined;
  const [folder, port] = [engineFolder("postgres"), await freePort()];
  const user = unprivileged(folder);
  execFileSync(initdb, ["-D", join(folder, "data"), "-U", "tenon", "-A", "trust", "--no-sync", "-E", "UTF8"], {
    ...user,
    cwd: folder,
    stdio: "ignore",
  });
  const settings = ["-D", join(folder, "data"), "-p", String(port), "-h", "127.0.0.1", "-k", folder];
  const url = `postgres://tenon@127.0.0.1:${port}/postgres`;
  const limited = ["-c", `ulimit -f ${maxBlocks}; exec "$@"`, "sh", program, ...settings];
  const [command, args] = maxBlocks === undefined ? [program, settings] : ["sh", limited];
  return ofProcess(
    "postgres",
    url,
    folder,
    () => started(command, args, /ready to accept connections/, { ...user, cwd: folder }),
    {
      stores: (space, options) => postgresStores({ url, schema: space, onError: () => undefined, ...options }),
    },
  );
}

/** PostgreSQL and its poolers do not run as root: then the folder and the process belong to `nobody`. */
export function unprivileged(folder: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = [65_534, 65_534];
  chownSync(folder, uid, gid);
  return { uid, gid };
}

// ---- NATS ----

/** `more`: lines of its configuration. */
export async function startNats(more = ""): Promise<Engine | undefined> {
  const program = programOf("nats");
  if (program === undefined) return undefined;
  const [folder, port] = [engineFolder("nats"), await freePort()];
  const config = join(folder, "nats.conf");
  writeFileSync(config, `host: "127.0.0.1"\nport: ${port}\njetstream { store_dir: "${folder}" }\n${more}\n`);
  const url = `nats://127.0.0.1:${port}`;
  return ofProcess("nats", url, folder, () => started(program, ["-c", config], /Server is ready/), {
    stores: (space, options) => natsStores({ url, prefix: space, onError: () => undefined, ...options }),
  });
}

// ---- PGlite ----

async function startPglite(): Promise<Engine> {
  const folder = await newDatabase();
  let database = await PGlite.create(folder);
  return {
    name: "pglite",
    url: "",
    // Its first query loads the engine, which takes seconds on a busy machine.
    stores: (space, options) =>
      postgresStores({ pglite: database, schema: space, onError: () => undefined, timeout: 60_000, ...options }),
    kill: () => database.close(),
    restart: async () => void (database = await PGlite.create(folder)),
    async stop() {
      if (!database.closed) await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A folder with what PGlite makes of an empty one: to make it takes seconds of a core, so a run of tests makes it once, and each
 * file has a copy. Who asks for it removes it.
 */
export async function newDatabase(): Promise<string> {
  const folder = engineFolder("pglite");
  const shared = process.env["TENON_TEST_TEMPORARY"];
  if (shared === undefined) return folder;
  const made = join(shared, "pglite-new");
  if (!existsSync(made)) {
    const draft = mkdtempSync(`${made}-`);
    await (await PGlite.create(draft)).close();
    // Two files may begin together: then one of the two is used.
    await rename(draft, made).catch(() => rmSync(draft, { recursive: true }));
  }
  cpSync(made, folder, { recursive: true });
  return folder;
}

// ---- processes ----

/**
 * A disk in memory, which Linux has and a container may have too small: what a killed process wrote is there, as on any other
 * disk.
 */
const MEMORY = "/dev/shm";
const ROOM_BYTES = 2 * 2 ** 30;

/**
 * A new folder for what an engine writes. In memory where there is room: engines wait for the disk at each write, and on a slow
 * disk these tests took four times as long.
 */
function engineFolder(name: string): string {
  const { bavail, bsize } = existsSync(MEMORY) ? statfsSync(MEMORY) : { bavail: 0, bsize: 0 };
  // In the folder of the run, which goes with it (temporary.ts). Other users find their folder in it.
  const ofRun = join(MEMORY, basename(process.env["TENON_TEST_TEMPORARY"] ?? ""));
  const parent = bavail * bsize > ROOM_BYTES ? ofRun : tmpdir();
  mkdirSync(parent, { recursive: true, mode: 0o711 });
  return mkdtempSync(join(parent, `tenon-${name}-`));
}

function ofProcess(
  name: string,
  url: string,
  folder: string,
  start: () => Promise<ChildProcess>,
  { stores }: Pick<Engine, "stores">,
): Promise<Engine> {
  return start().then((first) => {
    let child = first;
    let starting: Promise<unknown> = Promise.resolve();
    const kill = async (): Promise<void> => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "close"); // not "exit": the processes of PostgreSQL outlive their parent, and answer for a moment
      child.kill("SIGKILL");
      await ended;
    };
    const restart = async (): Promise<void> => {
      const next = start();
      starting = next.catch(() => undefined);
      child = await next;
    };
    const stop = async (): Promise<void> => {
      await starting;
      await kill();
      rmSync(folder, { recursive: true, force: true });
    };
    const pause = (): void => void child.kill("SIGSTOP");
    const resume = (): void => void child.kill("SIGCONT");
    return { name, url, stores: withPatience(stores), kill, restart, pause, resume, stop };
  });
}

/** The machine of a test may be busy: a command may take long. */
const withPatience = (stores: Engine["stores"]): Engine["stores"] => {
  return (space, options) => stores(space, { timeout: 60_000, ...options });
};

/** Starts a program and waits until it says that it is ready. */
export async function started(
  program: string,
  args: readonly string[],
  ready: RegExp,
  options: SpawnOptions = {},
): Promise<ChildProcess> {
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on("data", (part: Buffer) => {
        text = (text + part.toString()).slice(-10_000);
        if (ready.test(text)) resolve();
      });
    }
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${program} ended with ${code}: ${text}`)));
  });
  return child;
}
