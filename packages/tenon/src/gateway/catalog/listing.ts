/** The lists of one server as the gateway shares them among callers: frozen, and with one digest for equal lists. */
import { hashed } from "../../base/hash.ts";
import { ITEMS_OF_A_TURN } from "../../base/turns.ts";
import { EMPTY_LISTS, KINDS, type EntryTexts, type Kind, type Lists } from "../../upstream/listing.ts";

/** The entries of one server by kind, and what is the same for equal entries. */
export interface Listing extends Lists {
  /** The digest of all kinds. */
  readonly key: string;
  readonly digests: Readonly<Record<Kind, string>>;
  /** Characters of all entries. */
  readonly size: number;
}

const NO_DIGESTS: Listing["digests"] = Object.freeze({ tool: "", prompt: "", resource: "", template: "" });
export const EMPTY_LISTING: Listing = Object.freeze({ ...EMPTY_LISTS, key: "", digests: NO_DIGESTS, size: 0 });

/** @param texts the entries as JSON, if they were written already */
export async function listingOf(lists: Lists, texts?: EntryTexts): Promise<Listing> {
  const digests: Record<Kind, string> = { ...NO_DIGESTS };
  let size = 0;
  for (const kind of KINDS) {
    const entries = lists[kind];
    let digest = "";
    // Other calls get a turn while a part is hashed.
    for (let at = 0; at < entries.length; at += ITEMS_OF_A_TURN) {
      const [from, to] = [at, at + ITEMS_OF_A_TURN];
      const text = (texts?.[kind].slice(from, to) ?? entries.slice(from, to).map((entry) => JSON.stringify(entry))).join(",");
      size += text.length;
      digest = await hashed(`${digest}\n${text}`);
    }
    digests[kind] = digest;
  }
  return Object.freeze({ ...lists, digests, size, key: KINDS.map((kind) => digests[kind]).join("\n") });
}
