/** The lists of one server as the gateway shares them among callers: frozen, and with one digest for equal lists. */
import { hashed } from "../../base/hash.ts";
import { EMPTY_LISTS, KINDS, type Kind, type Lists } from "../../upstream/listing.ts";

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

/** Entries that are hashed before other calls get a turn. */
const CHUNK = 200;

export async function listingOf(lists: Lists): Promise<Listing> {
  const digests: Record<Kind, string> = { ...NO_DIGESTS };
  let size = 0;
  for (const kind of KINDS) {
    const entries = lists[kind];
    let digest = "";
    for (let at = 0; at < entries.length; at += CHUNK) {
      const text = JSON.stringify(entries.slice(at, at + CHUNK));
      size += text.length;
      digest = await hashed(`${digest}\n${text}`);
    }
    digests[kind] = digest;
  }
  return Object.freeze({ ...lists, digests, size, key: KINDS.map((kind) => digests[kind]).join("\n") });
}
