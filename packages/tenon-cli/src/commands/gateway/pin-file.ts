/**
 * The file of `--pins`: the approved definition of each tool, and its digest.
 *
 * A running gateway adds the tools that it sees first, and follows the file; `tenon gateway approve` adds those that have changed.
 */
import { readFile, rename, writeFile } from "node:fs/promises";
import { OneAtATime, isJsonObject, linksOf } from "tenon/internal";
import type { PinnedTools, SeenTool } from "tenon/gateway";
import type { JsonObject } from "tenon";

/** What a file says of one tool. */
export interface PinnedTool {
  readonly digest: string;
  readonly definition: JsonObject;
}

/** Pinned tools by server and by the name that the server gives the tool. */
type Pinned = Record<string, Record<string, PinnedTool>>;

export class PinFile {
  readonly path: string;
  readonly #note: (line: string) => void;
  readonly #unsaved = new Map<string, SeenTool>();
  readonly #saving: OneAtATime;
  #saved: Promise<void> = Promise.resolve();

  /** @param path its absolute path */
  constructor(path: string, note: (line: string) => void) {
    this.path = path;
    this.#note = note;
    this.#saving = new OneAtATime(() => (this.#saved = this.#save()));
  }

  /** The pinned tools; none if there is no file. @throws Error that names the file and what is wrong */
  async read(): Promise<Pinned> {
    const text = await readFile(this.path, "utf8").catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return "{}"; // Node's
      throw error;
    });
    return pinnedIn(text, this.path);
  }

  /** Saves a tool soon. */
  add(seen: SeenTool): void {
    this.#unsaved.set(JSON.stringify([seen.server, seen.tool]), seen);
    this.#saving.run();
  }

  /** Saves tools, and replaces tools of the same names. */
  async write(tools: Iterable<SeenTool>): Promise<void> {
    const pinned = await this.read();
    for (const { server, tool, digest, definition } of tools) {
      if (!Object.hasOwn(pinned, server)) define(pinned, server, {});
      define(pinned[server]!, tool, { digest, definition });
    }
    const target = linksOf(this.path).at(-1)!; // a link stays a link: the file that it leads to is replaced
    const next = `${target}.${process.pid}.tmp`;
    await writeFile(next, `${JSON.stringify({ servers: pinned }, null, 2)}\n`, { mode: 0o600 });
    await rename(next, target);
  }

  async #save(): Promise<void> {
    const tools = [...this.#unsaved.values()];
    this.#unsaved.clear();
    await this.write(tools).catch((error: unknown) => this.#note(`${this.path} was not written: ${String(error)}`));
  }

  /** Waits until all tools are saved. */
  async close(): Promise<void> {
    while (this.#unsaved.size > 0) await this.#saved;
    await this.#saved;
  }
}

/** Sets an own member of any name. */
function define<T>(target: Record<string, T>, name: string, value: T): void {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}

/** @throws Error that names the file, the server and the tool */
function pinnedIn(text: string, path: string): Pinned {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${path} is not JSON`, { cause });
  }
  const { servers = {} } = isJsonObject(parsed) ? parsed : {};
  if (!isJsonObject(parsed) || !isJsonObject(servers)) throw new Error(`${path}: "servers" must be an object`);
  for (const [server, tools] of Object.entries(servers)) {
    if (!isJsonObject(tools)) throw new Error(`${path}: server "${server}" must be an object`);
    for (const [tool, pin] of Object.entries(tools))
      if (!isJsonObject(pin) || typeof pin["digest"] !== "string" || !isJsonObject(pin["definition"]))
        throw new Error(`${path}: tool "${tool}" of server "${server}" must have a "digest" and a "definition"`);
  }
  return servers as Pinned; // checked above
}

/** The digests, as a gateway takes them. */
export function digestsIn(pinned: Pinned): PinnedTools {
  return Object.fromEntries(
    Object.entries(pinned).map(([server, tools]) => [
      server,
      Object.fromEntries(Object.entries(tools).map(([tool, { digest }]) => [tool, digest])),
    ]),
  );
}
