/** Decompresses bodies of responses: what servers of the web send if they were asked, and some without. */
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

type CreateDecompressor = () => ReturnType<typeof createGunzip>;

/** Most encodings of one body: as many as `fetch` takes. */
const MAX_ENCODINGS = 5;
const DECOMPRESSORS: ReadonlyMap<string, CreateDecompressor> = new Map<string, CreateDecompressor>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** What decompresses a body with that `Content-Encoding`, in the order in which it was compressed; none if an encoding is unknown. */
export function decompressorsOf(encodings: string | null | undefined): readonly CreateDecompressor[] {
  if (!encodings) return [];
  const names = encodings.toLowerCase().split(",", MAX_ENCODINGS + 1);
  const known = names.flatMap((name) => DECOMPRESSORS.get(name.trim()) ?? []);
  return known.length < names.length || names.length > MAX_ENCODINGS ? [] : known;
}

/** Decompresses a body; without a decompressor it stays unchanged, as with `fetch`. */
export function decompressed(body: Readable, decompressors: readonly CreateDecompressor[]): Readable {
  return decompressors.reduceRight((packed, createDecompressor) => {
    const unpacked = createDecompressor();
    packed.on("error", (error) => unpacked.destroy(error));
    unpacked.once("close", () => packed.destroy());
    return packed.pipe(unpacked);
  }, body);
}
