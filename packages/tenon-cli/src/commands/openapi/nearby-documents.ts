/**
 * The other files that a document refers to, for documents that the command reads from a file.
 *
 * Security: the document chooses the names, so only files in its folder and below are read, and no URL is fetched.
 */
import { readFile, realpath } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { resolveInside } from "tenon/node";
import type { OpenApiOptions } from "tenon/openapi";

/** The options that let a document in a file refer to files beside it, and whether it did. */
export interface NearbyDocuments {
  readonly options: Required<Pick<OpenApiOptions, "documentUrl" | "resolve">>;
  wereRead(): boolean;
}

/** @throws Error with the code ENOENT if there is no such file */
export async function nearbyDocuments(file: string): Promise<NearbyDocuments> {
  const path = await realpath(file);
  let isUsed = false;
  const options = {
    documentUrl: pathToFileURL(path),
    resolve: async (url: URL) => {
      if (url.protocol !== "file:") throw new Error("the command fetches no URL that a document names");
      const found = await resolveInside(dirname(path), relative(dirname(path), fileURLToPath(url))).catch(() => {
        throw new Error("it is not a file in the folder of the document");
      });
      isUsed = true;
      return readFile(found, "utf8");
    },
  };
  return { options, wereRead: () => isUsed };
}
