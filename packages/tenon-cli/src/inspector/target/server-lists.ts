/** The lists of a server, read again whenever the server says that one has changed, and the difference of each reading. */
import type { Client } from "tenon/client";
import type { JsonObject } from "tenon";
import type { ListKind, Mark } from "../entries.ts";
import type { Journal } from "../server/journal.ts";
import { toFailure } from "./failure.ts";

export const LIST_KINDS: readonly ListKind[] = ["tools", "resources", "templates", "prompts"];

/** Milliseconds for one list. */
const LIST_TIMEOUT = 60_000;

/** Says what hosts or models stumble over in the tools of a server. */
export type MarkTools = (tools: readonly JsonObject[]) => readonly Mark[];

export class ServerLists {
  readonly #target: number;
  readonly #journal: Journal;
  readonly #items = new Map<ListKind, readonly JsonObject[]>();
  readonly #marksOf: MarkTools;

  /** @param marksOf says what is wrong with tools */
  constructor(target: number, journal: Journal, marksOf: MarkTools) {
    this.#target = target;
    this.#journal = journal;
    this.#marksOf = marksOf;
  }

  /** The items of a list as they were read last. */
  of(kind: ListKind): readonly JsonObject[] {
    return this.#items.get(kind) ?? [];
  }

  /** Reads lists. A list that cannot be read is in the journal with its error. @param kinds default: all */
  async read(client: Client, kinds: readonly ListKind[] = LIST_KINDS): Promise<void> {
    await Promise.all(kinds.map((kind) => this.#readOne(client, kind)));
  }

  /** Reads lists again. Returns the difference of each as text: `+added -removed ~changed`. */
  async readAgain(client: Client, kinds: readonly ListKind[]): Promise<string> {
    const before = new Map(kinds.map((kind) => [kind, this.of(kind)]));
    await this.read(client, kinds);
    return kinds
      .map((kind) => difference(before.get(kind)!, this.of(kind)))
      .join(" ")
      .trim();
  }

  async #readOne(client: Client, kind: ListKind): Promise<void> {
    const capabilities = client.serverCapabilities;
    const place = `list:${this.#target}:${kind}`;
    const signal = AbortSignal.timeout(LIST_TIMEOUT);
    const items: JsonObject[] = [];
    const entry = { kind: "list", target: this.#target, of: kind, items } as const;
    try {
      if (capabilities[kind === "templates" ? "resources" : kind] !== undefined)
        for await (const item of kind === "templates" ? client.resourceTemplates({ signal }) : client[kind]({ signal })) items.push(item);
      this.#items.set(kind, items);
      const marks = kind === "tools" ? this.#marksOf(items) : [];
      this.#journal.add({ ...entry, ...(marks.length > 0 && { marks }) }, place);
    } catch (error) {
      this.#items.set(kind, items);
      this.#journal.add({ ...entry, failure: toFailure(error) }, place);
    }
  }
}

/** The name by which an item of any list is known. */
export function keyOf(item: JsonObject): string {
  return String(item["uri"] ?? item["uriTemplate"] ?? item["name"]);
}

function difference(before: readonly JsonObject[], after: readonly JsonObject[]): string {
  const [old, now] = [before, after].map((items) => new Map(items.map((item) => [keyOf(item), JSON.stringify(item)])));
  const added = [...now!.keys()].filter((key) => !old!.has(key));
  const removed = [...old!.keys()].filter((key) => !now!.has(key));
  const changed = [...now!].flatMap(([key, text]) => (old!.has(key) && old!.get(key) !== text ? [key] : []));
  return [...added.map((key) => `+${key}`), ...removed.map((key) => `-${key}`), ...changed.map((key) => `~${key}`)].join(" ");
}
