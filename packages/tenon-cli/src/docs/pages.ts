/** The pages of the documentation, of the version that is installed. The build packs them into one file. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { packageFolder } from "../version.ts";

export interface DocPage {
  /** Such as `servers/tools.md`. */
  readonly path: string;
  readonly title: string;
  /** One sentence. */
  readonly description: string;
  /** Markdown, without its front matter. */
  readonly text: string;
}

/** The page at a path; its ending may be left out. */
export function pageAt(pages: readonly DocPage[], path: string): DocPage | undefined {
  return pages.find((page) => page.path === path || page.path === `${path}.md`);
}

const unpack = promisify(gunzip);

/** @throws Error if the package was not built */
export async function readPages(): Promise<readonly DocPage[]> {
  const packed = await readFile(join(packageFolder("tenon-cli"), "dist", "docs-pages.json.gz"));
  return JSON.parse((await unpack(packed)).toString("utf8")) as DocPage[]; // our own file
}
