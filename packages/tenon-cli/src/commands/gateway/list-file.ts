/**
 * The last lists of servers, in a file of the user: the next gateway serves them until its servers are there.
 *
 * The file is beside the programs that the user agreed to, and only the user can read it. It has a bounded size; lists that were kept first
 * leave first. Its keys are digests, so it names no command and no URL.
 */
import { readFile, rename, writeFile } from "node:fs/promises";
import { BoundedMap, OneAtATime, isJsonObject } from "tenon/internal";
import type { ListMemory } from "tenon/gateway";
import type { JsonObject } from "tenon";

/** Most servers whose lists are kept, and most characters of the lists of one of them. */
const MAX_SERVERS = 100;
const MAX_LISTS = 1_000_000;

export class ListFile implements ListMemory {
  readonly #path: string;
  readonly #note: (line: string) => void;
  readonly #unsaved = new Map<string, JsonObject>();
  readonly #saving = new OneAtATime(() => this.#save());

  /** @param note called with what cannot be written */
  constructor(path: string, note: (line: string) => void) {
    this.#path = path;
    this.#note = note;
  }

  async get(key: string): Promise<JsonObject | undefined> {
    return (await this.#read()).get(key);
  }

  set(key: string, lists: JsonObject): void {
    if (JSON.stringify(lists).length > MAX_LISTS) return;
    this.#unsaved.set(key, lists);
    this.#saving.run();
  }

  /** Waits until all lists are saved. */
  async close(): Promise<void> {
    await this.#saving.whenDone();
  }

  /** A file that is missing or damaged has no lists: they are read from the servers again. */
  async #read(): Promise<BoundedMap<string, JsonObject>> {
    const saved = new BoundedMap<string, JsonObject>(MAX_SERVERS);
    try {
      const { servers } = JSON.parse(await readFile(this.#path, "utf8")) as { servers?: unknown };
      for (const [key, lists] of Object.entries(isJsonObject(servers) ? servers : {})) if (isJsonObject(lists)) saved.set(key, lists);
    } catch {
      // as above
    }
    return saved;
  }

  async #save(): Promise<void> {
    const unsaved = [...this.#unsaved];
    this.#unsaved.clear();
    try {
      const saved = await this.#read();
      for (const [key, lists] of unsaved) saved.set(key, lists);
      const next = `${this.#path}.${process.pid}.tmp`;
      await writeFile(next, JSON.stringify({ servers: Object.fromEntries(saved) }), { mode: 0o600 });
      await rename(next, this.#path);
    } catch (error) {
      this.#note(`${this.#path} was not written: ${String(error)}`);
    }
  }
}
