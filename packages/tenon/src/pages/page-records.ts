/**
 * The pages of users in a keyed store: what each asks, and how far it is. One step of the store takes a page from open to answered, so a page
 * is answered once, whatever browsers and nodes try at the same time.
 *
 * What a user is to confirm is removed by the call that uses the answer, so a yes counts once. The page of a secret becomes the secret.
 */
import { randomId } from "../base/bytes.ts";
import { isJsonObject } from "../jsonrpc/message.ts";
import { askedShelf } from "../state/forget.ts";
import type { Changed, KeptText, Shelf } from "../state/shelf.ts";
import { DamagedEntryError } from "../storage/damaged-entry.ts";
import type { KeyedStore } from "../storage/keyed-store.ts";
import type { UserPagesSettings } from "./options.ts";

export type PageKind = "secret" | "confirm";

/** Where a page lies: of which user, and what it is about. */
export interface PagePlace {
  /** As `userOf` names users. */
  readonly user: string;
  readonly kind: PageKind;
  readonly place: string;
}

/** What lies there: a page, the answer of its user, or a secret. */
export type PageRecord =
  | { readonly state: "open"; readonly id: string; readonly message: string; readonly name: string }
  | { readonly state: "yes" | "no"; readonly id: string }
  | { readonly state: "kept"; readonly sealed: string };

/** An answer for a record: what it becomes. */
export type Answer = Exclude<PageRecord, { readonly state: "open" }>;

const NEVER = new AbortController().signal;
const MAX_BYTES = 1_000_000;

export class PageRecords {
  readonly #store: () => KeyedStore;
  readonly #settings: UserPagesSettings;

  /** @param store finds the store, which a server gets after its pages */
  constructor(store: () => KeyedStore, settings: UserPagesSettings) {
    this.#store = store;
    this.#settings = settings;
  }

  async read(at: PagePlace): Promise<PageRecord | undefined> {
    return recordOf(await this.#shelf(at).read(at.place));
  }

  /**
   * Opens a page, unless there is one with the same words, and returns its id; undefined if there is an answer, or a secret, already.
   * @param damaged a secret that cannot be used, which the page takes the place of @throws LimitExceededError
   */
  async open(at: PagePlace, asked: { readonly name: string; readonly message: string }, damaged?: PageRecord): Promise<string | undefined> {
    let id: string | undefined;
    await this.#change(at, NEVER, (record) => {
      id = record === undefined || isSame(record, damaged) ? randomId() : record.state === "open" ? record.id : undefined;
      return id === undefined ? undefined : { text: JSON.stringify({ state: "open", id, ...asked }), ms: this.#settings.ttl };
    });
    return id;
  }

  /** Answers a page. False if it is not open any more. */
  async answer(at: PagePlace, id: string, answer: Answer): Promise<boolean> {
    let isDone = false;
    const ms = answer.state === "kept" ? this.#settings.secretTtl : this.#settings.ttl;
    await this.#change(at, NEVER, (record) => {
      isDone = record?.state === "open" && record.id === id;
      return isDone ? { text: JSON.stringify(answer), ms } : undefined;
    });
    return isDone;
  }

  /** Takes an answer away, so that it counts once. Undefined if there is none yet, `"gone"` if there is no page. */
  async take(at: PagePlace, signal: AbortSignal): Promise<"yes" | "no" | "gone" | undefined> {
    let taken: "yes" | "no" | "gone" | undefined;
    await this.#change(at, signal, (record) => {
      taken = record === undefined ? "gone" : record.state === "yes" || record.state === "no" ? record.state : undefined;
      return record === undefined || taken === undefined ? undefined : "remove";
    });
    return taken;
  }

  /** Removes a page, or a secret. */
  async remove(at: PagePlace): Promise<void> {
    await this.#change(at, NEVER, () => "remove");
  }

  async #change(at: PagePlace, signal: AbortSignal, make: (record: PageRecord | undefined) => Changed): Promise<void> {
    const { maxPages, maxSecrets } = this.#settings.limits;
    const [option, maxItems] = at.kind === "secret" ? ["maxSecrets", maxSecrets] : ["maxPages", maxPages];
    const optionOf = (limit: string): string =>
      limit === "maxItems" ? `userPages().limits.${option}` : `bytes of all ${at.kind === "secret" ? "secrets" : "pages"} of a user`;
    await this.#shelf(at).change(at.place, {
      room: { maxItems, maxBytes: MAX_BYTES, optionOf },
      signal,
      make: (kept) => make(recordOf(kept)),
    });
  }

  #shelf({ user, kind }: PagePlace): Shelf {
    return askedShelf(this.#store(), user, kind);
  }
}

/** @throws DamagedEntryError */
function recordOf(kept: KeptText | undefined): PageRecord | undefined {
  if (kept === undefined) return undefined;
  const record: unknown = JSON.parse(kept.text);
  if (!isJsonObject(record) || typeof record["state"] !== "string")
    throw new DamagedEntryError("A page of a user in the keyed store", "is no page");
  return record as unknown as PageRecord; // authentic: who can write to the store can do anything to its pages
}

function isSame(record: PageRecord, other: PageRecord | undefined): boolean {
  return record.state === "kept" && other?.state === "kept" && record.sealed === other.sealed;
}
