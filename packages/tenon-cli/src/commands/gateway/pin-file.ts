/**
 * The file of `--pins`: the approved definition of each tool, prompt, page and so on, with its digest; and the digests of what was pinned for
 * one caller.
 *
 * A running gateway adds what it sees first, and follows the file; `tenon gateway approve` adds what has changed.
 */
import { readFile, rename, writeFile } from "node:fs/promises";
import { OneAtATime, isJsonObject, linksOf } from "tenon/internal";
import type { PinnedForCallers, PinnedTools, SeenTool } from "tenon/gateway";
import type { JsonObject } from "tenon";

export interface PinnedTool {
  readonly digest: string;
  readonly definition: JsonObject;
}

/** Definitions for all callers, by server and by what they are pinned under: the name of a tool, `prompt:` and the name of a prompt, and so on. */
export type Pinned = Record<string, Record<string, PinnedTool>>;
type PinnedCallers = Record<string, Record<string, Record<string, string>>>;

interface Pins {
  readonly servers: Pinned;
  readonly callers: PinnedCallers;
}

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

  /** What is pinned; nothing if there is no file. @throws Error that names the file and what is wrong */
  read(): Promise<Pins> {
    return this.#readFrom(this.path);
  }

  async #readFrom(path: string): Promise<Pins> {
    const text = await readFile(path, "utf8").catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return "{}"; // Node's
      throw error;
    });
    return pinnedIn(text, this.path);
  }

  /** Saves a definition soon. */
  add(seen: SeenTool): void {
    this.#unsaved.set(JSON.stringify([seen.server, seen.tool, seen.principal]), seen);
    this.#saving.run();
  }

  /** Saves definitions, and replaces definitions of the same names. Of what is for one caller only the digest: there may be thousands of callers. */
  async write(definitions: Iterable<SeenTool>): Promise<void> {
    // A link stays a link: the file that it leads to now is read and replaced, and no other, even if the link changes meanwhile.
    const target = linksOf(this.path).at(-1)!;
    const { servers, callers } = await this.#readFrom(target);
    for (const { server, tool, digest, definition, principal } of definitions) {
      if (principal === undefined) define(placeIn(servers, server), tool, { digest, definition });
      else define(placeIn(placeIn(callers, server), principal), tool, digest);
    }
    const hasCallers = Object.keys(callers).length > 0;
    const next = `${target}.${process.pid}.tmp`;
    await writeFile(next, `${JSON.stringify({ servers, ...(hasCallers && { callers }) }, null, 2)}\n`, { mode: 0o600 });
    await rename(next, target);
  }

  async #save(): Promise<void> {
    const tools = [...this.#unsaved.values()];
    this.#unsaved.clear();
    await this.write(tools).catch((error: unknown) => this.#note(`${this.path} was not written: ${String(error)}`));
  }

  async close(): Promise<void> {
    while (this.#unsaved.size > 0) await this.#saved;
    await this.#saved;
  }
}

function placeIn<T>(target: Record<string, Record<string, T>>, name: string): Record<string, T> {
  if (!Object.hasOwn(target, name)) define(target, name, {});
  return target[name]!;
}

/** Sets an own member of any name. */
function define<T>(target: Record<string, T>, name: string, value: T): void {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}

/** @throws Error that names the file, the server and the tool */
function pinnedIn(text: string, path: string): Pins {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${path} is not JSON`, { cause });
  }
  const { servers = {}, callers = {} } = isJsonObject(parsed) ? parsed : {};
  if (!isJsonObject(parsed) || !isJsonObject(servers)) throw new Error(`${path}: "servers" must be an object`);
  assertCallers(callers, path);
  for (const [server, tools] of Object.entries(servers)) {
    if (!isJsonObject(tools)) throw new Error(`${path}: server "${server}" must be an object`);
    for (const [tool, pin] of Object.entries(tools))
      if (!isJsonObject(pin) || typeof pin["digest"] !== "string" || !isJsonObject(pin["definition"]))
        throw new Error(`${path}: tool "${tool}" of server "${server}" must have a "digest" and a "definition"`);
  }
  return { servers: servers as Pinned, callers }; // checked above
}

/** Whether it is an object whose members all hold. */
function isOf(value: unknown, holds: (member: unknown) => boolean): boolean {
  return isJsonObject(value) && Object.values(value).every(holds);
}

/** @throws Error that names the file and the server */
function assertCallers(callers: unknown, path: string): asserts callers is PinnedCallers {
  if (!isJsonObject(callers)) throw new Error(`${path}: "callers" must be an object`);
  for (const [server, principals] of Object.entries(callers))
    if (!isOf(principals, (digests) => isOf(digests, (digest) => typeof digest === "string")))
      throw new Error(`${path}: the callers of server "${server}" must have digests by principal and name`);
}

/** What something pinned is, for people: `files: tool "read"`. */
export function pinNameOf({ server, kind, name }: Pick<SeenTool, "server" | "kind" | "name">): string {
  if (kind === "instructions") return `${server}: its instructions`;
  return `${server}: ${kind === "resource" ? "the listed page" : kind} "${name}"`;
}

/** The digests, as a gateway takes them. */
export function digestsIn({ servers, callers }: Pins): { readonly approved: PinnedTools; readonly callers: PinnedForCallers } {
  return { approved: approvedIn(servers), callers };
}

function approvedIn(pinned: Pinned): PinnedTools {
  return Object.fromEntries(
    Object.entries(pinned).map(([server, tools]) => [
      server,
      Object.fromEntries(Object.entries(tools).map(([tool, { digest }]) => [tool, digest])),
    ]),
  );
}
