/**
 * Loads the author's file, and loads it again when it or what it imports is saved.
 *
 * One round at a time: what is saved during a round begins another one, so that the last content is served. A spare, which has loaded
 * everything but the author's code, waits for the next round.
 */
import { join } from "node:path";
import type { KeptValue, Loaded, LoadOrder } from "./channel.ts";
import { differenceBetween, NO_DIFFERENCE, type Difference } from "./page/difference.ts";
import type { Front } from "./front/front.ts";
import { Generation, LoadError } from "./front/generation-process.ts";
import { RestartPace } from "tenon/internal";
import type { DevEvent } from "./page/events.ts";
import { Sources } from "./sources.ts";
import { Watcher } from "./watcher.ts";

/** Files that change what the author's does, in the folder of the command. */
const PROJECT_FILES = ["package.json", "tsconfig.json", ".env"];

export interface ReloaderOptions {
  readonly path: string;
  /** The folder of the command. */
  readonly cwd: string;
  readonly args: readonly string[];
  readonly front: Front;
  readonly url: string;
  readonly tell: (event: DevEvent) => void;
}

export class Reloader {
  readonly #options: ReloaderOptions;
  readonly #sources = new Sources();
  readonly #watcher: Watcher;
  readonly #stateKey = crypto.getRandomValues(new Uint8Array(32));
  readonly #pace = new RestartPace({});
  #warned: ReadonlySet<string> = new Set();
  #spare: Generation | undefined;
  /** The one that loads. */
  #next: Generation | undefined;
  #current: Generation | undefined;
  #packages: readonly string[] = [];
  /** The round that runs; undefined between rounds. */
  #round: Promise<void> | undefined;
  /** Whether another round must follow the one that runs, whatever is on the disk. */
  #again = false;
  /** What the watcher has said since the round last looked at the disk. */
  #seen = { isSaved: false, isNew: false };
  #closed = false;
  /** Whether the newest version failed: then a file that is new may mend it. */
  #failed = false;
  #number = 0;

  constructor(options: ReloaderOptions) {
    this.#options = options;
    const { path, cwd, tell } = options;
    this.#watcher = new Watcher(
      (isNew) => void this.#check(isNew),
      (folder, error) => tell({ kind: "unwatched", folder, message: error.message }),
    );
    this.#watch([path, ...PROJECT_FILES.map((name) => join(cwd, name))]);
  }

  /** Loads the file for the first time. Resolves when the round has ended, whether it succeeded or not. */
  start(): Promise<void> {
    return this.reload();
  }

  /** Ends the round that runs. After that, the front gets no new generation. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#watcher.close();
    this.#spare?.kill();
    this.#next?.kill();
    await this.#round;
  }

  #watch(files: Iterable<string>): void {
    this.#watcher.add(this.#sources.add(files));
  }

  async #check(isNew: boolean): Promise<void> {
    const isNeeded = this.#round === undefined && (await this.#isChanged(isNew));
    if (this.#round !== undefined) this.#look(isNew);
    else if (isNeeded) await this.reload();
  }

  /** A file that is new may mend a version that failed. */
  async #isChanged(isNew: boolean): Promise<boolean> {
    return (await this.#sources.changed()).length > 0 || (this.#failed && isNew);
  }

  /** The end of the round looks at the disk; if it is looking already, it looks again. */
  #look(isNew: boolean): void {
    this.#seen = { isSaved: true, isNew: this.#seen.isNew || isNew };
  }

  /** Runs a round, or another one after the one that runs. */
  reload(): Promise<void> {
    this.#again = true;
    return (this.#round ??= this.#rounds());
  }

  async #rounds(): Promise<void> {
    do {
      this.#again = false;
      this.#seen = { isSaved: false, isNew: false };
      if (!this.#closed) await this.#load();
    } while ((await this.#isOutOfDate()) || this.#again);
    this.#round = undefined;
  }

  /**
   * Whether something was saved that the round which has ended did not load.
   *
   * A file may be saved while this reads it: then the watcher speaks, and all files are read again.
   */
  async #isOutOfDate(): Promise<boolean> {
    let isNew = false;
    do {
      isNew ||= this.#seen.isNew;
      this.#seen = { isSaved: false, isNew: false };
      const isChanged = await this.#isChanged(isNew);
      if (this.#closed) return false;
      if (isChanged) return true;
    } while (this.#seen.isSaved);
    return false;
  }

  async #load(): Promise<void> {
    const savedBefore = Date.now();
    try {
      await this.#attempt(savedBefore);
    } catch (error) {
      this.#next?.kill();
      if (!this.#closed) this.#fail(error);
    }
    this.#next = undefined;
    await this.#sources.serveNew(savedBefore);
    if (this.#closed) return this.#spare?.kill();
    (this.#spare ??= new Generation()).warm(this.#packages);
    // Files that this version was the first to import: the next save finds their JavaScript ready.
    await this.#sources.code().catch(() => undefined);
  }

  async #attempt(savedBefore: number): Promise<void> {
    const { front, tell } = this.#options;
    const began = performance.now();
    const files = await this.#sources.changed();
    await this.#sources.read();
    const code = await this.#sources.code();
    if (this.#closed) return;
    const next = (this.#next = this.#takeSpare());
    // Beside the first version, so that the first save finds it ready. Later it would take time from the version that loads.
    if (this.#current === undefined) this.#spare = new Generation();
    next.onFiles = () => void this.#learn(next, savedBefore);
    const state = await this.#current?.keep();
    const { loaded, difference } = await this.#loadInto(next, code, state?.values ?? []);
    await front.replace(next, loaded, difference);
    this.#serve(next);
    const { changes } = difference;
    const news = loaded.warnings.filter((warning) => !this.#warned.has(warning));
    this.#warned = new Set(loaded.warnings);
    const warnings = [...(state?.warnings ?? []), ...news];
    const ms = Math.round(performance.now() - began);
    tell({ kind: "served", number: ++this.#number, ms, files, changes, definition: loaded.definition, warnings });
  }

  async #loadInto(
    next: Generation,
    sources: ReadonlyMap<string, string>,
    state: readonly KeptValue[],
  ): Promise<{ loaded: Loaded; difference: Difference }> {
    const { path, args, front, url } = this.#options;
    const order: LoadOrder = { path, args, sources, kept: state, stateKey: this.#stateKey, url };
    const loaded = await next.load(order);
    const before = front.definition;
    return { loaded, difference: before ? differenceBetween(before, loaded.definition) : NO_DIFFERENCE };
  }

  /** Watches what a generation has imported. A handler may import a file late, and it may have been saved before it was watched. */
  async #learn({ files, packages }: Generation, savedBefore: number): Promise<void> {
    this.#packages = packages;
    this.#watch(files);
    await this.#sources.serveNew(savedBefore);
    await this.#check(false);
  }

  /** A spare that has ended while it waited is replaced. */
  #takeSpare(): Generation {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare === undefined || spare.hasEnded ? new Generation() : spare;
  }

  #serve(generation: Generation): void {
    this.#failed = false;
    this.#current = generation;
    void generation.ended.then((how) => this.#restart(generation, how));
  }

  #fail(error: unknown): void {
    this.#failed = true;
    const { front, tell } = this.#options;
    const message = error instanceof LoadError || error instanceof SyntaxError ? error.message : String(error);
    tell({ kind: "failed", message, isServing: front.isServing });
    front.failed(message);
  }

  /** Starts a server that has ended by itself again. */
  async #restart(generation: Generation, how: string): Promise<void> {
    if (this.#closed || generation !== this.#current) return;
    const { tell, front } = this.#options;
    const isBlocked = this.#pace.blocked(performance.now()) > 0;
    tell({ kind: "ended", how, isRestarted: !isBlocked });
    if (isBlocked) {
      front.failed(`the server keeps ending: ${how}`);
      this.#failed = true;
      return;
    }
    this.#pace.started(performance.now());
    await this.reload();
  }
}
